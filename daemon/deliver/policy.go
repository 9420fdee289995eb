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

	// maxAsks is how often a network that responds, and cannot say what became of a
	// call, is asked about it.
	maxAsks = 5

	// firstBackoff is multiplied by backoffFactor with each try, give or take a
	// fifth: 10 s, 80 s, 11 min, 85 min. So five tries outlast a network that
	// responds with errors for an hour.
	firstBackoff   = 10 * time.Second
	backoffFactor  = 8
	jitterFraction = 0.2

	// maxProbe is the longest time between two calls, or two questions, to a
	// network that is out of reach. The first is firstBackoff, and each is as long as
	// the disruption has lasted.
	maxProbe = time.Minute

	// orderedTries is how many failed tries of a target hold up the later targets of its
	// account. The network responds to them, so the fault may be the post's own.
	orderedTries = 2

	// maxPause bounds how long a network is believed that says when to return.
	maxPause = 24 * time.Hour
)

// facts are what the policy weighs beside the error.
type facts struct {
	now              time.Time
	lateSince        time.Time
	tooLate          bool      // the target may not be published any more
	disrupted        time.Time // since when the account gets no usable response, or zero
	spread           float64   // random, from -1 to 1
	tries            int       // attempts since a person queued the target that reached the network, and this one
	earlierUncertain bool      // an earlier one may have published
	repeatable       bool      // the network recognizes a repeat of this call
	findable         bool      // the network can be asked what it has
	asks             int       // how often it was asked in vain
	replies          int       // how often it responded to that, and could not tell
	askAt            time.Time // when it said to ask again, or zero
	unreachable      bool      // the last question did not get through to it
	absent           bool      // it was asked, and does not have the post
	elapsed          bool      // the call lies back, so that a retry need not wait
}

// addFailedAsk adds a question to the network that did not show what it has.
func (f *facts) addFailedAsk(failure *publish.Error) {
	f.asks++
	f.askAt, f.unreachable = failure.RetryAt, isUnreachable(failure)
	switch {
	case failure.Code == publish.CodeCannotAsk:
		f.replies = maxAsks
	case !f.unreachable:
		f.replies++
	}
}

// policyDecision is what follows from a call that did not publish, or may not have.
type policyDecision struct {
	askIn time.Duration // when not zero: ask the network then; nothing else is set

	result      schedctl.Result
	outcome     schedctl.Outcome // of the attempt
	refused     bool             // the account was refused: it is in error now
	disrupted   bool             // the call got no usable response
	pausedUntil time.Time        // the account is to be left alone, or zero
}

// policy decides what follows from an error. It is the one place that says what
// is tried again and when.
func policy(e *publish.Error, f facts) policyDecision {
	unknown := e.Outcome != schedctl.OutcomeNotPublished && !f.absent
	if unknown && !f.repeatable && f.findable && f.mayAsk() {
		return policyDecision{askIn: askDelay(f)}
	}
	d := policyDecision{outcome: schedctl.OutcomeNotPublished}
	if unknown {
		d.outcome = schedctl.OutcomeUnknown
	}
	if !unknown || f.repeatable {
		d.planRetry(e, f, unknown)
		d.refused = e.Kind == schedctl.KindAuth
	}
	if e.Kind == schedctl.KindRateLimited && !e.RetryAt.IsZero() {
		d.pausedUntil = clampRetryTime(e.RetryAt, f.now)
	}
	d.result.Error = targetError(e, unknown || f.earlierUncertain, !d.result.RetryAt.IsZero())
	return d
}

// mayAsk reports whether the network is asked again what became of a call: at
// least once, while the target is not too late, and not for ever when the network
// responds and cannot tell.
func (f facts) mayAsk() bool {
	return f.asks == 0 || (!f.tooLate && f.replies < maxAsks)
}

// The HTTP statuses of gateways whose server is absent.
const (
	badGateway     = 502
	unavailable    = 503
	gatewayTimeout = 504
)

// isUnreachable reports whether a call failed because the network is absent, by the
// word of the transport or of a gateway in front of it. A 503 that says when to
// return is a response of the network's own.
func isUnreachable(e *publish.Error) bool {
	switch e.HTTPStatus {
	case badGateway, gatewayTimeout:
		return true
	case unavailable:
		return e.RetryAt.IsZero()
	}
	return e.Kind == schedctl.KindNetwork
}

// askDelay returns how long to wait before the network is asked. A call of which
// nothing is heard may still be at work there, so the first question waits for
// longer than any is. A network that is out of reach is probed until it is back.
func askDelay(f facts) time.Duration {
	wait := jittered(firstBackoff<<max(f.replies-1, 0), f.spread)
	switch {
	case f.asks == 0:
		return firstAsk
	case f.unreachable:
		wait = probeDelay(f)
	}
	return max(wait, clampRetryTime(f.askAt, f.now).Sub(f.now))
}

// probeDelay returns how long to wait before a network that is out of reach is called
// or asked again.
func probeDelay(f facts) time.Duration {
	lasts := time.Duration(0)
	if !f.disrupted.IsZero() {
		lasts = f.now.Sub(f.disrupted.Round(0))
	}
	return min(jittered(min(max(lasts, firstBackoff), maxProbe), f.spread), maxProbe)
}

// planRetry decides when a call that may be repeated is. A target that keeps its place
// in the queue goes before the later ones of its account, which wait with it.
func (d *policyDecision) planRetry(e *publish.Error, f facts, unknown bool) {
	place := f.lateSince
	switch {
	case e.Code == publish.CodeLeaseLapsed: // nothing was tried
		d.result.RetryAt, d.result.Unreached = place, true
	case e.Kind == schedctl.KindAuth: // until the account works again
		d.result.RetryAt = place
	case isUnreachable(e) && !f.absent && !f.elapsed:
		d.result.RetryAt, d.result.Unreached, d.disrupted = place, true, true
		d.result.AskAt = f.now
		if !unknown || !f.disrupted.IsZero() { // else the call was cut off, and can be repeated at once
			d.result.AskAt = f.now.Add(probeDelay(f))
			d.pausedUntil = d.result.AskAt
		}
	case !e.Kind.Retryable() && e.Kind != schedctl.KindUnknown, f.tries >= maxTries:
	case f.elapsed && e.RetryAt.IsZero():
		d.result.RetryAt, d.result.AskAt = place, f.now
	default:
		at := f.now.Add(backoff(f.tries, f.spread))
		if !e.RetryAt.IsZero() {
			at = clampRetryTime(e.RetryAt, f.now)
		}
		d.result.RetryAt, d.result.AskAt, d.disrupted = at, at, unknown && e.RetryAt.IsZero()
		if e.Kind == schedctl.KindRateLimited || !e.RetryAt.IsZero() || f.tries <= orderedTries {
			d.result.RetryAt = place
			if at.After(f.now) {
				d.pausedUntil = at
			}
		}
	}
}

// clampRetryTime returns the instant that a network named, within reason.
func clampRetryTime(at, now time.Time) time.Time {
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
	return wait + time.Duration(jitterFraction*spread*float64(wait))
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
