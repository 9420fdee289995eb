package deliver

import (
	"context"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// reread is how soon a doubt is looked at again when the store failed.
const reread = 5 * time.Second

// doubt is an attempt of which nobody knows whether it has published.
type doubt struct {
	call    *call // of an attempt of an earlier run: queue and attempt alone
	err     *publish.Error
	asks    int           // how often the network was asked in vain
	replies int           // how often it responded to that
	askIn   time.Duration // when to ask, from the moment of the doubt
	after   time.Time     // the call may be at work on the network's side until then
	noted   bool          // the store has it as a doubt
	unread  bool          // the store could not be read the last time

	refused bool // the account was, so that asking waits for it
	askNow  bool // a success of the account, or a person, asks for it
}

// interrupted is what became of the attempts of a run that has ended.
func interrupted() *publish.Error {
	return &publish.Error{
		Kind: schedctl.KindUnknown, Code: "interrupted", Outcome: schedctl.OutcomeUnknown,
		Message: "the daemon ended during the call; look at the account whether the post is there, and if not retry with force",
	}
}

// recover puts the attempts that other runs have left without an end into the
// queues of their accounts, and reports whether it could. Nothing is delivered
// before, because nobody knows which accounts have such attempts.
func (x *dispatcher) recover(ctx context.Context, now time.Time) bool {
	if x.stopping || !x.recovers.open(now) {
		return false
	}
	var running []schedctl.Attempt
	err := x.cfg.Store.View(ctx, func(r storage.Reader) (err error) {
		running, err = r.RunningAttempts()
		return err
	})
	if err != nil {
		x.logGroup(x.recovers.failed(1, err, now), "reading unfinished attempts", err)
		return false
	}
	x.logGroup(x.recovers.succeeded(), "reading unfinished attempts", nil)
	x.recovered = true
	for _, a := range running {
		if a.Owner == x.cfg.Owner {
			continue
		}
		x.log.Warn("attempt of an earlier run has no end", "post", a.PostID, "target", a.TargetID, "account", a.AccountID, "attempt", a.ID)
		x.queues.arrange(x.doubtful(a, now), now)
	}
	return true
}

// doubtful makes an attempt that another run has begun a doubt of its account, and
// returns the queue of that.
func (x *dispatcher) doubtful(a schedctl.Attempt, now time.Time) *queue {
	q := x.queues.of(a.AccountID, a.WorkspaceID)
	in := &doubt{call: &call{queue: q, attempt: a}, err: interrupted(), asks: a.Asks, after: overBy(a, now)}
	if e := a.Error; e != nil {
		in.err = &publish.Error{Kind: e.Kind, Code: e.Code, Message: e.Message, HTTPStatus: e.HTTPStatus, Outcome: schedctl.OutcomeUnknown}
		in.noted = true
	}
	q.doubts = append(q.doubts, in)
	x.setMark(ulid(a.TargetID), x.marks[ulid(a.TargetID)]|inFlight)
	return q
}

// overBy returns when an interrupted call is over on the network's side too. The
// daemon may have ended, and started again, while the network was at work.
func overBy(a schedctl.Attempt, now time.Time) time.Time {
	over, latest := a.StartedAt.Add(firstAsk), now.Add(firstAsk)
	if over.After(latest) {
		return latest // the clock was set back
	}
	return over
}

// settleFirst settles the first doubt of a queue on a goroutine of its own.
func (x *dispatcher) settleFirst(ctx context.Context, q *queue) {
	first := q.doubts[0]
	if q.doubts = q.doubts[1:]; len(q.doubts) == 0 {
		q.doubts = nil
	}
	x.jobs.Go(func() {
		end, unsettled := x.Deliverer.settle(ctx, first)
		x.mail.report(func(x *dispatcher) { x.called(first.call, end, unsettled) })
	})
}

// settle finds out what became of an attempt: from the network when it can be
// asked; otherwise the call is repeated where that is safe, and given up where
// it is not.
func (d *Deliverer) settle(ctx context.Context, in *doubt) (*ending, *doubt) {
	c, status, err := d.reread(ctx, in.call)
	if err != nil {
		return nil, d.unreadable(in, err)
	}
	f := facts{
		asks: in.asks, replies: in.replies, elapsed: true,
		// What was called off must not be called again, not even safely.
		repeatable: status == schedctl.Publishing && repeatable(c.publisher, c.account),
	}
	finder, ok := c.publisher.(publish.Finder)
	f.findable = ok && c.account.Status != schedctl.AccountDisconnected
	if f.repeatable || !f.findable {
		return d.judge(c, in.err, f)
	}
	again := &doubt{call: in.call, err: in.err, asks: in.asks, replies: in.replies, after: in.after, noted: in.noted}
	after := d.askAfter(in, c)
	again.askIn = min(time.Until(after), firstAsk) // the clock may have been set back since
	early := again.askIn > 0
	if otherLogin := after.After(in.after); early && (!in.askNow || otherLogin) {
		if !in.noted {
			d.note(ctx, again)
		}
		return nil, again
	}
	receipt, found, failure := d.ask(ctx, finder, c)
	switch {
	case failure != nil:
		d.log.Warn("network cannot say what became of an attempt", "account", c.attempt.AccountID, "attempt", c.attempt.ID,
			"kind", failure.Kind, "code", failure.Code, "asks", in.asks+1, "error", cause(failure))
		if wait := d.refusedFor(c, failure); wait > 0 {
			d.refuse(ctx, c, failure)
			again.call, again.askIn, again.refused = c, wait, true
			d.note(ctx, again)
			return nil, again
		}
		f.failedAsk(failure)
	case found:
		if end := d.found(ctx, c, receipt, again); end != nil {
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
		d.note(ctx, again)
		return nil, again
	default:
		f.absent = true
	}
	end, unsettled := d.judge(c, in.err, f)
	if unsettled != nil {
		unsettled.after = in.after
		d.note(ctx, unsettled)
	}
	return end, unsettled
}

// unreadable returns a doubt that the store cannot be read about now.
func (d *Deliverer) unreadable(in *doubt, err error) *doubt {
	if !in.unread {
		d.log.Error("attempt cannot be settled, trying again", "attempt", in.call.attempt.ID, "error", err)
	}
	again := *in
	again.askIn, again.unread = reread, true
	return &again
}

// found returns the end of an attempt whose post the network has. It returns nil when
// the post may be that of another target: until then is again.askIn, 0 when nothing
// will show whose it is.
func (d *Deliverer) found(ctx context.Context, c *call, receipt schedctl.Receipt, again *doubt) *ending {
	contested, err := d.contested(ctx, c)
	switch {
	case err != nil:
		d.log.Error("attempt cannot be settled, trying again", "attempt", c.attempt.ID, "error", err)
		again.askIn = reread
	case !contested:
		return published(c, receipt)
	case time.Since(c.attempt.StartedAt) < contestedLimit:
		again.askIn = contestedAsk
		if !again.noted {
			d.note(ctx, again)
		}
	default:
		again.askIn = 0
	}
	return nil
}

// refusedAsk is how often the network of a refused account is asked about a
// doubt when nobody connects the account anew.
const refusedAsk = time.Hour

// forbidden is the HTTP status with which a network that knows an account does
// not let it read.
const forbidden = 403

// refusedFor returns how long a question waits for an account that is refused,
// zero when it is not, or when the post would be too late.
func (d *Deliverer) refusedFor(c *call, failure *publish.Error) time.Duration {
	if failure.Kind != schedctl.KindAuth || failure.HTTPStatus == forbidden {
		return 0
	}
	return max(0, min(refusedAsk, time.Until(c.lateSince.Add(d.cfg.MaxLateness))))
}

// refuse notes that the network refuses the account of a call, so that a person
// learns why the doubt stays. Should the store fail, the next question notes it.
func (d *Deliverer) refuse(ctx context.Context, c *call, failure *publish.Error) {
	e := &ending{call: c, decision: decision{refused: true, result: schedctl.Result{Error: targetError(failure, false, false)}}}
	err := d.cfg.Store.UpdateFromReserve(ctx, func(tx storage.Tx) error {
		r := recording{Deliverer: d, edits: newEdits(tx), now: time.Now().UTC().Round(0)}
		account, err := r.account(c.attempt.WorkspaceID, c.attempt.AccountID)
		if err != nil {
			return err
		}
		r.stop(account, e)
		return r.write()
	})
	if err != nil {
		d.log.Error("refused account cannot be recorded", "account", c.attempt.AccountID, "error", err)
		return
	}
	d.logEnd(e)
}

// reread returns the call with post and account as they are now, and the status
// of its target. Of a post that is gone, only the attempt is left.
func (d *Deliverer) reread(ctx context.Context, was *call) (c *call, status schedctl.Status, err error) {
	a := was.attempt
	err = d.cfg.Store.View(ctx, func(r storage.Reader) error {
		c, status = &call{queue: was.queue, attempt: a}, ""
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
		c.doubtful, err = doubtfulBefore(r, target, a)
		return err
	})
	if notFound(err) {
		err = nil
	}
	return c, status, err
}

// doubtfulBefore reports whether one of the attempts that were made before this one,
// since a person last queued the target, may have published. The error of the target
// does not show that: it may be about this attempt.
func doubtfulBefore(r storage.Reader, t *schedctl.Target, this schedctl.Attempt) (bool, error) {
	if t.Tries() < 2 {
		return false, nil
	}
	attempts, err := r.Attempts(t.ID)
	return slices.ContainsFunc(attempts, func(a schedctl.Attempt) bool {
		return a.Number > t.AttemptsBefore && a.Number < this.Number && a.Outcome == schedctl.OutcomeUnknown
	}), err
}

// ask asks the network for the post of a call.
func (d *Deliverer) ask(ctx context.Context, finder publish.Finder, c *call) (receipt schedctl.Receipt, found bool, failure *publish.Error) {
	since := d.cfg.Clock.Earliest(c.attempt.StartedAt)
	failure = d.tell(ctx, c, func(ctx context.Context, r publish.Request) (err error) {
		r.Taken = d.taken(ctx, c)
		if receipt, found, err = finder.Find(ctx, r, since); err != nil || !found {
			return err
		}
		if _, guesses := finder.(publish.ContentFinder); !guesses {
			return nil // it has recognized its own key, and ids may be unique in a channel only
		}
		taken, err := r.Taken(receipt.ID)
		if err == nil && taken {
			err = errClaimed()
		}
		return err
	})
	return receipt, found && failure == nil, failure
}
