package deliver

import (
	"context"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// maxCallMessage is how many bytes of a call's error message the status message of an
// unresolved attempt contains.
const maxCallMessage = 300

// unresolvedAttempt is an attempt for which it is unknown whether it has published.
type unresolvedAttempt struct {
	call       *publisherCall // of an earlier run: only queue and attempt are set
	err        *publish.Error
	asks       int           // how often the network was asked without a result
	replies    int           // how often it responded to that
	askIn      time.Duration // when to ask, counted from now
	overBy     time.Time     // the network is not asked before, unless the account changes
	finalBy    time.Time     // until then the network may still accept the post
	foundAt    time.Time     // when this run found the attempt of an earlier run, or zero
	repeated   bool          // the call was repeated within the attempt
	stored     bool          // the store has it as unresolved
	readFailed bool          // the last read of the store failed

	refused bool // the network refused the account, so asking waits for a new login
	askNow  bool // the account was stored: ask without waiting
}

// interruptedError is the error of attempts whose daemon ended during the call.
func interruptedError() *publish.Error {
	return &publish.Error{
		Kind: schedctl.KindUnknown, Code: "interrupted", Outcome: schedctl.OutcomeUnknown,
		Message: "the daemon ended during the call; check whether the account has the post, and if not retry with force",
	}
}

// addInterrupted adds an attempt that another run has left unfinished to the
// unresolved attempts of its account, and returns the queue of the account.
func (x *dispatcher) addInterrupted(a schedctl.Attempt, now time.Time) *queue {
	q := x.queues.queueFor(a.AccountID, a.WorkspaceID)
	u := &unresolvedAttempt{
		call: &publisherCall{queue: q, attempt: a}, err: interruptedError(), asks: a.Asks,
		overBy: interruptedOverBy(a, now), foundAt: now,
	}
	if e := a.Error; e != nil && !a.Preparing() {
		u.err = &publish.Error{Kind: e.Kind, Code: e.Code, Message: e.Message, HTTPStatus: e.HTTPStatus, Outcome: schedctl.OutcomeUnknown}
		u.stored = true
	}
	q.unresolved = append(q.unresolved, u)
	x.setState(ulid(a.TargetID), x.states[ulid(a.TargetID)]|stateInFlight)
	return q
}

// interruptedOverBy returns when the network is first asked about an interrupted call.
// By then it has usually finished the call.
func interruptedOverBy(a schedctl.Attempt, now time.Time) time.Time {
	return earlierOf(a.StartedAt.Add(firstAsk), now.Add(firstAsk)) // the clock may have been set back
}

// mayAcceptUntil returns when the network can no longer accept the post of a call. An
// earlier run may have sent the request long after the start of its attempt, and just
// before its process ended.
func (u *unresolvedAttempt) mayAcceptUntil(c *publisherCall) time.Time {
	if u.foundAt.IsZero() {
		return u.finalBy
	}
	longest := attemptLease
	if c.prepares() {
		longest = longestMediaAttempt
	}
	return earlierOf(c.attempt.StartedAt.Add(longest+firstAsk), u.foundAt.Add(firstAsk))
}

// recordUnresolved stores an unresolved attempt: in the attempt, so that the next run
// continues from there, and in the target, where users see it. If the store fails, the
// next question to the network stores it.
func (d *Deliverer) recordUnresolved(ctx context.Context, u *unresolvedAttempt) {
	err := d.cfg.Store.UpdateFromReserve(ctx, func(tx storage.Tx) error {
		r := recordTx{d: d, edits: newEdits(tx), now: time.Now().UTC().Round(0)}
		if err := r.applyUnresolved(u); err != nil && !notFound(err) {
			return err
		}
		return r.edits.write()
	})
	if err != nil {
		d.log.Error("recording unresolved attempt failed", "attempt", u.call.attempt.ID, "error", err)
		return
	}
	u.stored = true
}

// applyUnresolved updates attempt, target and account. It does nothing if the attempt
// has ended or has another owner.
func (r *recordTx) applyUnresolved(u *unresolvedAttempt) error {
	was := u.call.attempt
	a, err := storedAttempt(r.edits.tx, was)
	if err != nil || a.Outcome != schedctl.OutcomeRunning || a.Owner != was.Owner {
		return err
	}
	a.Error, a.Asks = targetError(u.err, true, true), u.asks
	r.edits.attempts = append(r.edits.attempts, a)
	if !u.refused {
		if err := r.markDisrupted(a); err != nil {
			return err
		}
	}
	post, err := r.edits.post(a.WorkspaceID, a.PostID)
	if err != nil {
		return err
	}
	next := r.now.Add(u.askIn)
	shown := *a.Error
	shown.Message = u.statusMessage(next)
	before := post.Version
	r.edits.events = append(r.edits.events, post.Doubt(a.TargetID, &shown, next, r.now)...)
	if post.Version != before {
		r.edits.changedPost(post)
	}
	return nil
}

// markDisrupted records that a call for an account got no usable response.
func (r *recordTx) markDisrupted(a schedctl.Attempt) error {
	account, err := r.edits.account(a.WorkspaceID, a.AccountID)
	if err != nil {
		return err
	}
	if account.DisruptedSince.IsZero() {
		account.DisruptedSince = schedctl.Millis(r.now)
		r.edits.changedAccount(account)
	}
	return nil
}

// statusMessage returns the error message that users see until the attempt is settled.
func (u *unresolvedAttempt) statusMessage(next time.Time) string {
	asked := "schedctl will ask the network"
	switch {
	case u.asks == 1:
		asked = "schedctl has asked the network once and will ask again"
	case u.asks > 1:
		asked = fmt.Sprintf("schedctl has asked the network %d times and will ask again", u.asks)
	}
	return publish.Clip(fmt.Sprintf("%s; it is unknown whether the post was published: %s at %s",
		publish.Clip(u.err.Message, maxCallMessage), asked, next.UTC().Format(time.RFC3339)), maxMessage)
}
