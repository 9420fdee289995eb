package deliver

import (
	"context"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// settleRetryDelay is how soon settling an attempt is retried when the store failed.
const settleRetryDelay = 5 * time.Second

// settleFirst settles the first unresolved attempt of a queue on a goroutine of its own.
func (x *dispatcher) settleFirst(ctx context.Context, q *queue) {
	first := q.unresolved[0]
	if q.unresolved = q.unresolved[1:]; len(q.unresolved) == 0 {
		q.unresolved = nil
	}
	x.jobs.Go(func() {
		end, unresolved := x.d.settle(ctx, first)
		x.d.mail.report(func(x *dispatcher) { x.callEnded(first.call, end, unresolved) })
	})
}

// settle finds out what became of an attempt. It asks the network where that is
// possible. Otherwise the call is repeated if that is safe, or the target fails.
func (d *Deliverer) settle(ctx context.Context, u *unresolvedAttempt) (*attemptEnd, *unresolvedAttempt) {
	c, status, err := d.reload(ctx, u.call)
	if err != nil {
		return nil, d.retryRead(u, err)
	}
	f := facts{
		asks: u.asks, replies: u.replies, elapsed: true,
		// A canceled target must not be called again, even if a repeat is safe.
		repeatable: status == schedctl.Publishing && repeatable(c.publisher, c.account),
	}
	if c.neverSent() {
		return d.settleNeverSent(ctx, u, c, f)
	}
	finder, ok := d.finder(c)
	f.findable = ok && c.account.Status != schedctl.AccountDisconnected
	if f.repeatable || !f.findable {
		return d.applyPolicy(c, u.err, f)
	}
	again := &unresolvedAttempt{
		call: u.call, err: u.err, asks: u.asks, replies: u.replies,
		overBy: u.overBy, finalBy: u.mayAcceptUntil(c), foundAt: u.foundAt, repeated: u.repeated, stored: u.stored,
	}
	after := d.askAfter(u, c)
	again.askIn = min(time.Until(after), firstAsk) // the clock may have been set back since
	early := again.askIn > 0
	if newLogin := after.After(u.overBy); early && (!u.askNow || newLogin) {
		if !u.stored {
			d.recordUnresolved(ctx, again)
		}
		return nil, again
	}
	return d.settleByAsking(ctx, finder, c, f, again, early)
}

// settleByAsking asks the network about an attempt. again is the attempt as it stays
// unresolved. While early is true, the network may still be processing the call.
func (d *Deliverer) settleByAsking(ctx context.Context, finder publish.Finder, c *publisherCall, f facts, again *unresolvedAttempt, early bool) (*attemptEnd, *unresolvedAttempt) {
	receipt, found, failure := d.findPost(ctx, finder, c)
	switch {
	case failure != nil:
		d.log.Warn("asking the network about an attempt failed", "account", c.attempt.AccountID, "attempt", c.attempt.ID,
			"kind", failure.Kind, "code", failure.Code, "asks", again.asks+1, "error", logCause(failure))
		if wait := d.refusedAskDelay(c, failure); wait > 0 {
			d.recordRefusal(ctx, c, failure)
			again.call, again.askIn, again.refused = c, wait, true
			d.recordUnresolved(ctx, again)
			return nil, again
		}
		f.addFailedAsk(failure)
	case found:
		if end := d.acceptFound(ctx, c, receipt, again); end != nil {
			return end, nil
		}
		if again.askIn > 0 {
			return nil, again
		}
		f.asks++
		f.replies++
	case early:
		// The network may not have finished the call. Only a later question can show
		// that it does not have the post.
		d.recordUnresolved(ctx, again)
		return nil, again
	case time.Until(again.finalBy) > 0:
		return d.repeatCall(ctx, c, again)
	default:
		f.absent = true
	}
	end, unresolved := d.applyPolicy(c, again.err, f)
	if unresolved != nil {
		unresolved.overBy, unresolved.finalBy, unresolved.foundAt, unresolved.repeated = again.overBy, again.finalBy, again.foundAt, again.repeated
		d.recordUnresolved(ctx, unresolved)
	}
	return end, unresolved
}

// retryRead returns the attempt to be settled again because the store could not be read.
func (d *Deliverer) retryRead(u *unresolvedAttempt, err error) *unresolvedAttempt {
	if !u.readFailed {
		d.log.Error("settling attempt failed, will retry", "attempt", u.call.attempt.ID, "error", err)
	}
	again := *u
	again.askIn, again.readFailed = settleRetryDelay, true
	return &again
}

// acceptFound returns the end of an attempt whose post the network has. It returns nil
// if the post may belong to a different target. Then again.askIn is how long to wait
// before asking again, or 0 if waiting will not show whose post it is.
func (d *Deliverer) acceptFound(ctx context.Context, c *publisherCall, receipt schedctl.Receipt, again *unresolvedAttempt) *attemptEnd {
	ambiguous, err := d.isAmbiguous(ctx, c)
	switch {
	case err != nil:
		d.log.Error("settling attempt failed, will retry", "attempt", c.attempt.ID, "error", err)
		again.askIn = settleRetryDelay
	case !ambiguous:
		return published(c, receipt)
	case time.Since(c.attempt.StartedAt) < ambiguousLimit:
		again.askIn = ambiguousAskDelay
		if !again.stored {
			d.recordUnresolved(ctx, again)
		}
	default:
		again.askIn = 0
	}
	return nil
}

// reload returns the call with the stored post and account, and the status of its
// target or first comment. If the post was deleted, the call has only the attempt.
func (d *Deliverer) reload(ctx context.Context, was *publisherCall) (c *publisherCall, status schedctl.Status, err error) {
	a := was.attempt
	err = d.cfg.Store.View(ctx, func(r storage.Reader) error {
		c, status = &publisherCall{queue: was.queue, attempt: a}, ""
		post, err := r.Post(a.WorkspaceID, a.PostID)
		if err != nil {
			return err
		}
		account, err := r.Account(a.WorkspaceID, a.AccountID)
		if err != nil {
			return err
		}
		target := post.Target(a.TargetID)
		if target == nil {
			return nil
		}
		c, status = d.newCall(was.queue, a, &post, target, &account), progress(target)
		if err := c.readFirstKey(r); err != nil {
			return err
		}
		c.earlierUncertain, err = earlierAttemptUncertain(r, target, a)
		return err
	})
	if notFound(err) {
		err = nil
	}
	return c, status, err
}

// earlierAttemptUncertain reports whether an attempt before this one, since a person
// last queued the target, may have published. The error of the target does not show
// that: it may be about this attempt.
func earlierAttemptUncertain(r storage.Reader, t *schedctl.Target, this schedctl.Attempt) (bool, error) {
	if t.Tries() < 2 {
		return false, nil
	}
	attempts, err := r.Attempts(t.ID)
	return slices.ContainsFunc(attempts, func(a schedctl.Attempt) bool {
		return a.Number > t.AttemptsBefore && a.Number < this.Number && a.Outcome == schedctl.OutcomeUnknown
	}), err
}
