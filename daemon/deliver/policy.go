package deliver

import (
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

const (
	// maxTries is how many attempts a target has after a person queued it.
	maxTries = 5

	// firstAsk is how long after a call with an unknown outcome its network is asked
	// about it. Servers and their gateways end a request within a minute.
	firstAsk = time.Minute

	// longestMediaAttempt is longer than any attempt of a post with media takes. It
	// includes the preparation and the upload of large files.
	longestMediaAttempt = time.Hour

	// maxAsks is how often a network is asked about a call if it responds without a
	// result.
	maxAsks = 5

	// firstBackoff is multiplied by backoffFactor with each try, plus or minus
	// jitterFraction: 10 s, 80 s, 11 min, 85 min. Five tries therefore outlast a network
	// that responds with errors for an hour.
	firstBackoff   = 10 * time.Second
	backoffFactor  = 8
	jitterFraction = 0.2

	// maxProbe is the longest time between two requests to an unreachable network. The
	// first wait is firstBackoff. Each later one is as long as the disruption has lasted.
	maxProbe = time.Minute

	// orderedTries is how many failed tries of a target delay the later targets of its
	// account. After that the fault may be in the post, because the network responds.
	orderedTries = 2

	// longestBackoff is longer than any wait between two tries. A target that may be
	// between two parts of its thread pauses its account for all of that wait.
	longestBackoff = 2 * time.Hour

	// maxPause bounds the retry time that a network may ask for.
	maxPause = 24 * time.Hour
)

// facts are the inputs of the policy in addition to the error.
type facts struct {
	now              time.Time
	queuedAt         time.Time // the position of the target in the queue
	midThread        bool      // the network has earlier parts of the thread
	startsThread     bool      // the call is for the first part of a thread
	tooLate          bool      // the target may no longer be published
	lateAt           time.Time // when it becomes too late; zero for never
	disrupted        time.Time // since when the network gives no usable response for the account, or zero
	spread           float64   // random, from -1 to 1
	tries            int       // attempts that reached the network since a person queued the target, including this one
	earlierUncertain bool      // an earlier attempt may have published
	repeatable       bool      // the network recognizes a repeat of this call
	findable         bool      // the network can be asked about the call
	asks             int       // how often it was asked without a result
	replies          int       // how often it responded to that
	askAt            time.Time // when it wants to be asked again, or zero
	unreachable      bool      // the last question did not reach it
	absent           bool      // it was asked and does not have the post
	elapsed          bool      // the call ended some time ago, so a retry need not wait
}

// addFailedAsk counts a question to the network that had no result.
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

// policyDecision is what follows from a failed call.
type policyDecision struct {
	askIn time.Duration // if not zero: ask the network after this time; no other field is set

	result      schedctl.Result
	words       string                // what the network said, empty if it said nothing
	outcome     schedctl.Outcome      // of the attempt
	refused     bool                  // the network refused the account
	hold        *schedctl.TargetError // why the account is held; nil for the error of result
	disrupted   bool                  // the call got no usable response
	pausedUntil time.Time             // the account is left alone until then, or zero
}

// policy decides what follows from an error. It alone decides what is retried, and when.
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
	switch {
	case e.RetryAt.IsZero():
	case e.Kind == schedctl.KindRateLimited && e.Code != publish.CodeVideoLimit:
		d.pausedUntil = clampRetryTime(e.RetryAt, f.now)
	case d.refused: // no check ends the hold before
		d.pausedUntil = e.HeldUntil(f.now)
	}
	tooLong := !f.lateAt.IsZero() && e.RetryAt.After(f.lateAt)
	late := tooLong && e.Kind != schedctl.KindAuth && !d.result.RetryAt.IsZero()
	if late {
		d.result.RetryAt, d.result.AskAt = time.Time{}, time.Time{}
	}
	d.words = e.Words
	d.result.Error = targetError(e, unknown || f.earlierUncertain, !d.result.RetryAt.IsZero())
	switch at := e.RetryAt.UTC().Format(time.RFC3339); {
	case late: // the target fails now, because it would be too late then
		d.result.Error.Message = withAdvice(d.result.Error.Message, "; the network accepts it from "+at+", which is later than --max-lateness allows; retry it to publish it then")
	case tooLong && d.refused:
		d.result.Error.Message = withAdvice(d.result.Error.Message, "; posts that are due before "+at+" and would be later than --max-lateness allows are not published: move them")
	}
	return d
}

// withAdvice returns a message with a text at its end that is never cut.
func withAdvice(message, advice string) string {
	return publish.Clip(message, maxMessage-len(advice)) + advice
}

// mayAsk reports whether the network is asked (again) about a call. It is asked at least
// once, not after the target is too late, and at most maxAsks times if it responds.
func (f facts) mayAsk() bool {
	return f.asks == 0 || (!f.tooLate && f.replies < maxAsks)
}

// The HTTP statuses of gateways whose server is down.
const (
	badGateway     = 502
	unavailable    = 503
	gatewayTimeout = 504
)

// isUnreachable reports whether a call failed because the network is down, according to
// the transport or a gateway. A 503 with a retry time is the network's own response.
func isUnreachable(e *publish.Error) bool {
	switch e.HTTPStatus {
	case badGateway, gatewayTimeout:
		return true
	case unavailable:
		return e.RetryAt.IsZero()
	}
	return e.Kind == schedctl.KindNetwork
}

// askDelay returns how long to wait before the network is asked. It may still be
// processing the call, so the first question waits longer than any call takes. An
// unreachable network is probed until it responds.
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

// probeDelay returns how long to wait before the next request to an unreachable network.
func probeDelay(f facts) time.Duration {
	lasts := time.Duration(0)
	if !f.disrupted.IsZero() {
		lasts = f.now.Sub(f.disrupted.Round(0))
	}
	return min(jittered(min(max(lasts, firstBackoff), maxProbe), f.spread), maxProbe)
}

// planRetry decides when a call that may be repeated is made again. A target that keeps
// its place in the queue stays ahead of the later targets of its account, which wait. So
// does a target that is, or may be, between two parts of its thread.
func (d *policyDecision) planRetry(e *publish.Error, f facts, unknown bool) {
	place := f.queuedAt
	switch {
	case e.Code == publish.CodeLeaseLapsed, e.Code == codeStopped, e.Code == codeInterrupted: // no request was sent
		d.result.RetryAt, d.result.Unreached = place, true
	case e.Code == publish.CodeStageLost && f.absent: // the request was only to publish an earlier one's post
		d.result.RetryAt, d.result.AskAt, d.result.Unreached = place, f.now, true
	case e.Code == publish.CodeWindowFull && !unknown && !e.RetryAt.IsZero():
		d.result.RetryAt, d.result.AskAt, d.result.Unreached = place, clampRetryTime(e.RetryAt, f.now), true
	case e.Code == publish.CodeVideoLimit && !e.RetryAt.IsZero(): // the account waits for it only in a thread
		at := clampRetryTime(e.RetryAt, f.now)
		d.result.RetryAt, d.result.AskAt, d.result.Unreached = at, at, true
	case e.Kind == schedctl.KindAuth: // until the account works again
		d.result.RetryAt = place
		// A date and a lack of credits say nothing about the post: it may meet them after each
		// check, because reading works meanwhile. So it does not fail for them, not even without
		// a date, as the usage cap of X has none.
		d.result.Unreached = e.Code == string(publish.HoldCredits) || !e.RetryAt.IsZero()
	case isUnreachable(e) && !f.absent && !f.elapsed:
		d.result.RetryAt, d.result.Unreached, d.disrupted = place, true, true
		d.result.AskAt = f.now
		if !unknown || !f.disrupted.IsZero() { // otherwise the connection was cut, and the call can be repeated at once
			d.result.AskAt = f.now.Add(probeDelay(f))
			d.pausedUntil = d.result.AskAt
		}
	case !e.Kind.Retryable() && e.Kind != schedctl.KindUnknown && e.Code != publish.CodeUploadRefused, f.tries >= maxTries:
	case f.elapsed && e.RetryAt.IsZero():
		d.result.RetryAt, d.result.AskAt = place, f.now
	default:
		at := f.now.Add(backoff(f.tries, f.spread))
		if !e.RetryAt.IsZero() {
			at = clampRetryTime(e.RetryAt, f.now)
		}
		d.result.RetryAt, d.result.AskAt, d.disrupted = at, at, unknown && e.RetryAt.IsZero()
		if e.Kind == schedctl.KindRateLimited || !e.RetryAt.IsZero() || f.tries <= orderedTries && e.Kind != schedctl.KindMedia || f.midThread || f.startsThread && (unknown || f.earlierUncertain) {
			d.result.RetryAt = place
			if at.After(f.now) {
				d.pausedUntil = at
			}
		}
	}
}

// clampRetryTime limits a retry time from a network to the range from now to maxPause.
func clampRetryTime(at, now time.Time) time.Time {
	if latest := now.Add(maxPause); at.After(latest) {
		return latest
	}
	if at.Before(now) {
		return now
	}
	return at
}

// backoff returns how long to wait after the nth try.
func backoff(n int, spread float64) time.Duration {
	wait := firstBackoff
	for range n - 1 {
		wait *= backoffFactor
	}
	return jittered(wait, spread)
}

// jittered varies a wait by jitterFraction; spread is from -1 to 1.
func jittered(wait time.Duration, spread float64) time.Duration {
	return wait + time.Duration(jitterFraction*spread*float64(wait))
}

// targetError returns the error that the target shows. If one of its calls may have
// published, the outcome stays unknown, however the last call ended.
func targetError(e *publish.Error, uncertain, retried bool) *schedctl.TargetError {
	t := &schedctl.TargetError{
		Kind: e.Kind, Code: e.Code, Message: publish.Clip(e.Message, maxMessage), HTTPStatus: e.HTTPStatus,
		Outcome: schedctl.OutcomeNotPublished,
	}
	if uncertain {
		t.Outcome = schedctl.OutcomeUnknown
	}
	t.Retryable = retried || (e.Kind.Retryable() && !uncertain)
	return t
}
