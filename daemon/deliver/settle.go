package deliver

import (
	"context"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// settleRetryDelay is how soon a doubt is looked at again when the store failed.
const settleRetryDelay = 5 * time.Second

// unresolvedAttempt is an attempt of which nobody knows whether it has published.
type unresolvedAttempt struct {
	call       *publisherCall // of an attempt of an earlier run: queue and attempt alone
	err        *publish.Error
	asks       int           // how often the network was asked in vain
	replies    int           // how often it responded to that
	askIn      time.Duration // when to ask, from the moment of the doubt
	overBy     time.Time     // the call may be at work on the network's side until then
	stored     bool          // the store has it as a doubt
	readFailed bool          // the store could not be read the last time

	refused bool // the account was, so that asking waits for it
	askNow  bool // a success of the account, or a person, asks for it
}

// interruptedError is what became of the attempts of a run that has ended.
func interruptedError() *publish.Error {
	return &publish.Error{
		Kind: schedctl.KindUnknown, Code: "interrupted", Outcome: schedctl.OutcomeUnknown,
		Message: "the daemon ended during the call; look at the account whether the post is there, and if not retry with force",
	}
}

// recoverAttempts puts the attempts that other runs have left without an end into the
// queues of their accounts, and reports whether it could. Nothing is delivered
// before, because nobody knows which accounts have such attempts.
func (x *dispatcher) recoverAttempts(ctx context.Context, now time.Time) bool {
	if x.stopping || !x.recovers.mayStart(now) {
		return false
	}
	var running []schedctl.Attempt
	err := x.cfg.Store.View(ctx, func(r storage.Reader) (err error) {
		running, err = r.RunningAttempts()
		return err
	})
	if err != nil {
		x.logStoreState(x.recovers.failed(1, err, now), "reading unfinished attempts", err)
		return false
	}
	x.logStoreState(x.recovers.succeeded(), "reading unfinished attempts", nil)
	x.recovered = true
	for _, a := range running {
		if a.Owner == x.cfg.Owner {
			continue
		}
		x.log.Warn("attempt of an earlier run has no end", "post", a.PostID, "target", a.TargetID, "account", a.AccountID, "attempt", a.ID)
		x.queues.reschedule(x.addInterrupted(a, now), now)
	}
	return true
}

// addInterrupted makes an attempt that another run has begun a doubt of its account, and
// returns the queue of that.
func (x *dispatcher) addInterrupted(a schedctl.Attempt, now time.Time) *queue {
	q := x.queues.queueFor(a.AccountID, a.WorkspaceID)
	in := &unresolvedAttempt{call: &publisherCall{queue: q, attempt: a}, err: interruptedError(), asks: a.Asks, overBy: interruptedOverBy(a, now)}
	if e := a.Error; e != nil {
		in.err = &publish.Error{Kind: e.Kind, Code: e.Code, Message: e.Message, HTTPStatus: e.HTTPStatus, Outcome: schedctl.OutcomeUnknown}
		in.stored = true
	}
	q.unresolved = append(q.unresolved, in)
	x.setState(ulid(a.TargetID), x.states[ulid(a.TargetID)]|stateInFlight)
	return q
}

// interruptedOverBy returns when an interrupted call is over on the network's side too. The
// daemon may have ended, and started again, while the network was at work.
func interruptedOverBy(a schedctl.Attempt, now time.Time) time.Time {
	over, latest := a.StartedAt.Add(firstAsk), now.Add(firstAsk)
	if over.After(latest) {
		return latest // the clock was set back
	}
	return over
}

// settleFirst settles the first doubt of a queue on a goroutine of its own.
func (x *dispatcher) settleFirst(ctx context.Context, q *queue) {
	first := q.unresolved[0]
	if q.unresolved = q.unresolved[1:]; len(q.unresolved) == 0 {
		q.unresolved = nil
	}
	x.jobs.Go(func() {
		end, unsettled := x.Deliverer.settle(ctx, first)
		x.mail.report(func(x *dispatcher) { x.callEnded(first.call, end, unsettled) })
	})
}

// settle finds out what became of an attempt: from the network when it can be
// asked; otherwise the call is repeated where that is safe, and given up where
// it is not.
func (d *Deliverer) settle(ctx context.Context, in *unresolvedAttempt) (*attemptEnd, *unresolvedAttempt) {
	c, status, err := d.reload(ctx, in.call)
	if err != nil {
		return nil, d.retryRead(in, err)
	}
	f := facts{
		asks: in.asks, replies: in.replies, elapsed: true,
		// What was called off must not be called again, not even safely.
		repeatable: status == schedctl.Publishing && repeatable(c.publisher, c.account),
	}
	finder, ok := c.publisher.(publish.Finder)
	f.findable = ok && c.account.Status != schedctl.AccountDisconnected
	if f.repeatable || !f.findable {
		return d.applyPolicy(c, in.err, f)
	}
	again := &unresolvedAttempt{call: in.call, err: in.err, asks: in.asks, replies: in.replies, overBy: in.overBy, stored: in.stored}
	after := d.askAfter(in, c)
	again.askIn = min(time.Until(after), firstAsk) // the clock may have been set back since
	early := again.askIn > 0
	if otherLogin := after.After(in.overBy); early && (!in.askNow || otherLogin) {
		if !in.stored {
			d.recordUnresolved(ctx, again)
		}
		return nil, again
	}
	receipt, found, failure := d.findPost(ctx, finder, c)
	switch {
	case failure != nil:
		d.log.Warn("network cannot say what became of an attempt", "account", c.attempt.AccountID, "attempt", c.attempt.ID,
			"kind", failure.Kind, "code", failure.Code, "asks", in.asks+1, "error", logCause(failure))
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
		// The network may still be at work on the call. Only a later question can
		// show that it does not have the post.
		d.recordUnresolved(ctx, again)
		return nil, again
	default:
		f.absent = true
	}
	end, unsettled := d.applyPolicy(c, in.err, f)
	if unsettled != nil {
		unsettled.overBy = in.overBy
		d.recordUnresolved(ctx, unsettled)
	}
	return end, unsettled
}

// retryRead returns a doubt that the store cannot be read about now.
func (d *Deliverer) retryRead(in *unresolvedAttempt, err error) *unresolvedAttempt {
	if !in.readFailed {
		d.log.Error("attempt cannot be settled, trying again", "attempt", in.call.attempt.ID, "error", err)
	}
	again := *in
	again.askIn, again.readFailed = settleRetryDelay, true
	return &again
}

// acceptFound returns the end of an attempt whose post the network has. It returns nil when
// the post may be that of another target: until then is again.askIn, 0 when nothing
// will show whose it is.
func (d *Deliverer) acceptFound(ctx context.Context, c *publisherCall, receipt schedctl.Receipt, again *unresolvedAttempt) *attemptEnd {
	contested, err := d.isAmbiguous(ctx, c)
	switch {
	case err != nil:
		d.log.Error("attempt cannot be settled, trying again", "attempt", c.attempt.ID, "error", err)
		again.askIn = settleRetryDelay
	case !contested:
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

// refusedAskInterval is how often the network of a refused account is asked about a
// doubt when nobody connects the account anew.
const refusedAskInterval = time.Hour

// forbidden is the HTTP status with which a network that knows an account does
// not let it read.
const forbidden = 403

// refusedAskDelay returns how long a question waits for an account that is refused,
// zero when it is not, or when the post would be too late.
func (d *Deliverer) refusedAskDelay(c *publisherCall, failure *publish.Error) time.Duration {
	if failure.Kind != schedctl.KindAuth || failure.HTTPStatus == forbidden {
		return 0
	}
	return max(0, min(refusedAskInterval, time.Until(c.lateSince.Add(d.cfg.MaxLateness))))
}

// recordRefusal notes that the network refuses the account of a call, so that a person
// learns why the doubt stays. Should the store fail, the next question notes it.
func (d *Deliverer) recordRefusal(ctx context.Context, c *publisherCall, failure *publish.Error) {
	e := &attemptEnd{call: c, decision: policyDecision{refused: true, result: schedctl.Result{Error: targetError(failure, false, false)}}}
	err := d.cfg.Store.UpdateFromReserve(ctx, func(tx storage.Tx) error {
		r := recordTx{Deliverer: d, edits: newEdits(tx), now: time.Now().UTC().Round(0)}
		account, err := r.account(c.attempt.WorkspaceID, c.attempt.AccountID)
		if err != nil {
			return err
		}
		r.updateAccount(account, e)
		return r.write()
	})
	if err != nil {
		d.log.Error("refused account cannot be recorded", "account", c.attempt.AccountID, "error", err)
		return
	}
	d.logEnd(e)
}

// reload returns the call with post and account as they are now, and the status
// of its target. Of a post that is gone, only the attempt is left.
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
		c, status = newCall(was.queue, a, &post, target, &account), target.Status
		c.publisher = d.cfg.Publishers[account.Platform]
		c.earlierUncertain, err = earlierAttemptUncertain(r, target, a)
		return err
	})
	if notFound(err) {
		err = nil
	}
	return c, status, err
}

// earlierAttemptUncertain reports whether one of the attempts that were made before this one,
// since a person last queued the target, may have published. The error of the target
// does not show that: it may be about this attempt.
func earlierAttemptUncertain(r storage.Reader, t *schedctl.Target, this schedctl.Attempt) (bool, error) {
	if t.Tries() < 2 {
		return false, nil
	}
	attempts, err := r.Attempts(t.ID)
	return slices.ContainsFunc(attempts, func(a schedctl.Attempt) bool {
		return a.Number > t.AttemptsBefore && a.Number < this.Number && a.Outcome == schedctl.OutcomeUnknown
	}), err
}

// findPost asks the network for the post of a call.
func (d *Deliverer) findPost(ctx context.Context, finder publish.Finder, c *publisherCall) (receipt schedctl.Receipt, found bool, failure *publish.Error) {
	since := d.cfg.Clock.Earliest(c.attempt.StartedAt)
	failure = d.callPublisher(ctx, c, func(ctx context.Context, r publish.Request) (err error) {
		r.Taken = d.isTaken(ctx, c)
		if receipt, found, err = finder.Find(ctx, r, since); err != nil || !found {
			return err
		}
		if _, guesses := finder.(publish.ContentFinder); !guesses {
			return nil // it has recognized its own key, and ids may be unique in a channel only
		}
		taken, err := r.Taken(receipt.ID)
		if err == nil && taken {
			err = misattributedError()
		}
		return err
	})
	return receipt, found && failure == nil, failure
}
