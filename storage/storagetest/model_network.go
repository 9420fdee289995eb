package storagetest

import (
	"errors"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest/oracle"
)

// modelBackoff is the pause after the first try; each later pause is eight times as long.
const modelBackoff = 10 * time.Second

// CallResult returns the result of a call to a network in this mode, and its duration.
func CallResult(m oracle.Mood, now time.Time) (took time.Duration, r oracle.Result) {
	switch m {
	case oracle.Slow:
		return 12 * time.Second, oracle.Result{Published: true, Has: true}
	case oracle.Hanging:
		return 30 * time.Second, oracle.Result{Kind: "network", Outcome: "unknown"}
	case oracle.Refusing:
		return 0, oracle.Result{Kind: "content", Outcome: "not_published"}
	case oracle.Down:
		return 0, oracle.Result{Kind: "network", Outcome: "not_published"}
	case oracle.Limiting:
		return 0, oracle.Result{Kind: "rate_limited", Outcome: "not_published", RetryAt: now.Add(30 * time.Minute)}
	case oracle.Dropping, oracle.NoResponse:
		return 0, oracle.Result{Kind: "platform", Outcome: "unknown", Has: m == oracle.NoResponse}
	case oracle.Locked:
		return 0, oracle.Result{Kind: "auth", Outcome: "not_published"}
	case oracle.Changing:
		return 0, oracle.Result{Published: true, Has: true, Degraded: "visibility"}
	case oracle.Orphaning:
		return 0, oracle.Result{Published: true, Has: true, Degraded: schedctl.DegradedReply}
	}
	return 0, oracle.Result{Published: true, Has: true}
}

// CallReceipt returns the receipt of a successful call that published so many parts of a
// target, from the given index on. It adds their ids to the result.
func CallReceipt(target string, index, parts int, r *oracle.Result) schedctl.Receipt {
	receipts := make([]schedctl.Receipt, parts)
	for i := range receipts {
		receipts[i].ID = fmt.Sprintf("%s-%d", target, index+i)
		if r.Degraded != "" && (r.Degraded != schedctl.DegradedReply || index+i > 0) {
			receipts[i].Degraded = schedctl.Degradation{Code: r.Degraded, Message: "changed"}
		}
		r.IDs = append(r.IDs, receipts[i].ID)
	}
	receipt := receipts[0]
	receipt.Rest = receipts[1:]
	return receipt
}

// finish records the result of a call.
func (c *publisher) finish(call callInFlight, r oracle.Result) {
	attempt := call.attempt
	var receipt *schedctl.Receipt
	if r.Published {
		all := CallReceipt(attempt.TargetID, attempt.Part, call.parts, &r)
		receipt = &all
		c.published = append(c.published, r.IDs...)
	}
	c.exchanges = append(c.exchanges, oracle.Exchange{At: c.now, Target: attempt.TargetID, Result: &r})
	c.update(func(tx storage.Tx) error {
		post, t, a, err := findModelTarget(tx, attempt.TargetID)
		if err != nil {
			return err
		}
		ended := attempt
		ended.FinishedAt, ended.Outcome = c.now, schedctl.OutcomePublished
		result := schedctl.Result{Receipt: receipt}
		var refusal []schedctl.Event
		if r.Published && !a.DisruptedSince.IsZero() {
			a.DisruptedSince = time.Time{}
			if err := tx.PutAccount(a); err != nil {
				return err
			}
		}
		if !r.Published {
			result = c.retryResult(&post, t, a, r, call)
			ended.Outcome, ended.Error = schedctl.Outcome(r.Outcome), result.Error
			if refusal, err = c.disableAccount(tx, a, r, result); err != nil {
				return err
			}
		}
		events, err := post.Finish(t.ID, result, c.now)
		return errors.Join(err, tx.PutPost(post), tx.PutAttempt(ended), tx.AddEvents(append(events, refusal...)...))
	})
}

// retryResult returns what follows for a target from a failed call.
func (c *publisher) retryResult(p *schedctl.Post, t *schedctl.Target, a schedctl.Account, r oracle.Result, call callInFlight) schedctl.Result {
	kind := schedctl.ErrorKind(r.Kind)
	e := &schedctl.TargetError{Kind: kind, Message: "no", Outcome: schedctl.OutcomeNotPublished}
	unknown, earlier := r.Outcome == "unknown", unconfirmedInModel(t, t.Tries()-1)
	inThread := call.attempt.Part > 0 && p.PartFor(t, call.attempt.Part).Kind == schedctl.PartReply ||
		call.attempt.Part == 0 && len(p.ThreadFor(t)) > 0 && (unknown || earlier)
	since := call.since
	if unknown || earlier {
		e.Outcome = schedctl.OutcomeUnknown
	}
	out := schedctl.Result{Error: e}
	tries := t.Tries() - t.Unreached
	wait := modelBackoff
	for range tries - 1 {
		wait *= 8
	}
	switch {
	case unknown && !a.Options.Bool("idempotent"):
	case kind == schedctl.KindAuth:
		out.RetryAt = t.QueuedAt()
	case kind == schedctl.KindNetwork:
		out.RetryAt, out.AskAt, out.Unreached = t.QueuedAt(), c.now, true
		if !unknown || !since.IsZero() {
			out.AskAt = c.now.Add(c.probe(since))
		}
	case tries >= 5:
	case kind == schedctl.KindUnknown:
		out.RetryAt, out.AskAt = t.QueuedAt(), c.now
	case !kind.Retryable():
	case !r.RetryAt.IsZero():
		out.RetryAt, out.AskAt = t.QueuedAt(), r.RetryAt
	case tries <= 2, inThread:
		out.RetryAt, out.AskAt = t.QueuedAt(), c.now.Add(wait)
	default:
		out.RetryAt, out.AskAt = c.now.Add(wait), c.now.Add(wait)
	}
	e.Retryable = !out.RetryAt.IsZero() || (kind.Retryable() && e.Outcome != schedctl.OutcomeUnknown)
	return out
}

// probe returns how long to wait before the next call to an unreachable account.
func (c *publisher) probe(since time.Time) time.Duration {
	if since.IsZero() {
		return modelBackoff
	}
	return min(max(c.now.Sub(since), modelBackoff), time.Minute)
}

// disableAccount pauses or disables an account that its network has refused, and keeps
// the time since when it is unreachable.
func (c *publisher) disableAccount(tx storage.Tx, a schedctl.Account, r oracle.Result, out schedctl.Result) ([]schedctl.Event, error) {
	var events []schedctl.Event
	if r.Kind == "auth" && a.Status == schedctl.AccountConnected {
		a.Status, a.Error = schedctl.AccountError, out.Error
		events = append(events, schedctl.AccountErrorEvent(a, c.now))
	}
	waits := !out.RetryAt.IsZero() && r.RetryAt.IsZero()
	switch disrupted := waits && (out.Unreached || r.Outcome == "unknown" && r.Kind == "platform"); {
	case !disrupted:
		a.DisruptedSince = time.Time{}
	case a.DisruptedSince.IsZero():
		a.DisruptedSince = c.now
	}
	until := r.RetryAt
	if out.AskAt.After(c.now) && out.RetryAt.Before(out.AskAt) {
		until = out.AskAt
	}
	if until.After(a.PausedUntil) {
		a.PausedUntil = until
	}
	return events, tx.PutAccount(a)
}
