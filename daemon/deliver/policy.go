package deliver

import (
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

const (
	// maxTries is how many attempts a target has, since a person queued it.
	maxTries = 5

	// firstAsk is how long after a call with an unknown outcome its network is
	// asked what became of it. Servers, and what is in front of them, end a
	// request within a minute.
	firstAsk = time.Minute

	// maxAsks is how often a network that does not answer is asked what became
	// of a call.
	maxAsks = 5

	// firstBackoff is multiplied by backoffFactor with each try, give or take a
	// fifth: 10 s, 80 s, 11 min, 85 min. So five tries outlast a network that is
	// down for an hour.
	firstBackoff  = 10 * time.Second
	backoffFactor = 8
	jitter        = 0.2

	// maxPause bounds how long a network is believed that says when to return.
	maxPause = 24 * time.Hour
)

// facts are what the policy weighs beside the error.
type facts struct {
	now        time.Time
	lateSince  time.Time
	spread     float64   // random, from -1 to 1
	tries      int       // attempts since a person queued the target, this one included
	doubtful   bool      // an earlier one may have published
	repeatable bool      // the network recognises a repeat of this call
	findable   bool      // the network can be asked what it has
	asks       int       // how often it was asked in vain
	askAt      time.Time // when it said to ask again, or zero
	down       bool      // the last question did not get through to it
	absent     bool      // it was asked, and does not have the post
	elapsed    bool      // the call lies back, so that a retry need not wait
}

// decision is what follows from a call that did not publish, or may not have.
type decision struct {
	askIn time.Duration // when not zero: ask the network then; nothing else is set

	result      schedctl.Result
	outcome     schedctl.Outcome // of the attempt
	refused     bool             // the account was refused: it is in error now
	pausedUntil time.Time        // the account is to be left alone, or zero
}

// policy decides what follows from an error. It is the one place that says what
// is tried again and when.
func policy(e *publish.Error, f facts) decision {
	unknown := e.Outcome != schedctl.OutcomeNotPublished && !f.absent
	if unknown && !f.repeatable && f.findable && f.asks < maxAsks {
		return decision{askIn: askIn(f)}
	}
	d := decision{outcome: schedctl.OutcomeNotPublished}
	if unknown {
		d.outcome = schedctl.OutcomeUnknown
	}
	if !unknown || f.repeatable {
		d.result.RetryAt = retryAt(e, f)
		d.refused = e.Kind == schedctl.KindAuth
	}
	if e.Kind == schedctl.KindRateLimited && !e.RetryAt.IsZero() {
		d.pausedUntil = believed(e.RetryAt, f.now)
	}
	d.result.Error = targetError(e, unknown || f.doubtful, !d.result.RetryAt.IsZero())
	return d
}

// askIn returns how long to wait before the network is asked. A call of which
// nothing is heard may still be at work there, so the first question waits for
// longer than any is. The questions to a network that is down outlast an hour,
// as tries do; one that answers and cannot tell will hardly know more by then.
func askIn(f facts) time.Duration {
	switch {
	case f.asks == 0:
		return firstAsk
	case f.down:
		return max(backoff(f.asks, f.spread), believed(f.askAt, f.now).Sub(f.now))
	}
	return max(jittered(firstBackoff<<(f.asks-1), f.spread), believed(f.askAt, f.now).Sub(f.now))
}

// retryAt returns when a call that may be repeated is to be, or zero.
func retryAt(e *publish.Error, f facts) time.Time {
	switch {
	case e.Code == publish.CodeLeaseLapsed:
		return f.now // nothing was tried
	case e.Kind == schedctl.KindAuth:
		return f.lateSince // it waits in the account's queue, at its old place
	case !e.Kind.Retryable() && e.Kind != schedctl.KindUnknown, f.tries >= maxTries:
		return time.Time{}
	case !e.RetryAt.IsZero():
		return believed(e.RetryAt, f.now)
	case f.elapsed:
		return f.now
	}
	return f.now.Add(backoff(f.tries, f.spread))
}

// believed returns the instant that a network named, within reason.
func believed(at, now time.Time) time.Time {
	if latest := now.Add(maxPause); at.After(latest) {
		return latest
	}
	if at.Before(now) {
		return now
	}
	return at
}

// backoff returns the wait after the nth try.
func backoff(n int, spread float64) time.Duration {
	wait := firstBackoff
	for range n - 1 {
		wait *= backoffFactor
	}
	return jittered(wait, spread)
}

// jittered returns the wait give or take a fifth; spread is from -1 to 1.
func jittered(wait time.Duration, spread float64) time.Duration {
	return wait + time.Duration(jitter*spread*float64(wait))
}

// targetError returns what the target shows. Whatever one of its calls may have
// done stays in doubt, whichever way the last one ended.
func targetError(e *publish.Error, inDoubt, retried bool) *schedctl.TargetError {
	t := &schedctl.TargetError{
		Kind: e.Kind, Code: e.Code, Message: clip(e.Message, maxMessage), HTTPStatus: e.HTTPStatus,
		Outcome: schedctl.OutcomeNotPublished,
	}
	if inDoubt {
		t.Outcome = schedctl.OutcomeUnknown
	}
	t.Retryable = retried || (e.Kind.Retryable() && !inDoubt)
	return t
}
