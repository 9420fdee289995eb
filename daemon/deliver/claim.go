package deliver

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/failpoint"
)

// faultPause is how long an account waits whose records cannot be read or
// written where those of others perhaps can.
const faultPause = 10 * time.Second

// item is a target to be claimed.
type item struct {
	queue  *queue // the dispatcher's; the claim compares it only
	entry  entry
	shaken bool          // an earlier claim may be on disk
	ending bool          // not to be begun: its account is blocked, but it may be too late
	pace   time.Duration // how long an overdue target has to wait; 0 not to
	spaced bool          // the account's overdue target before this one was begun here
	next   int64         // the Unix millisecond of the account's next entry; 0 when there is none
}

// fate is what a claim has come to.
type fate int

const (
	over       fate = iota // there is nothing left to do for the target
	early                  // it is due later, or the clock is in doubt
	waits                  // its account has to wait; back into the queue
	behind                 // its account is busy with another target; back into the queue
	moved                  // another target of its account comes first by now; back into the queue
	elsewhere              // another member has a call of its account; back into the queue
	unreadable             // its records cannot be read; back into the queue
	begun                  // the attempt is on disk; call
)

// verdict is what a claim has decided on one target.
type verdict struct {
	fate    fate
	due     int64         // with early and moved: the Unix millisecond
	held    bool          // with waits: the account is refused or paused
	wait    time.Duration // with waits: how long; 0 until the account changes
	expires int64         // with waits, behind and elsewhere: see entry
	err     error         // with unreadable
	call    *call         // with begun

	// failed says that the target has ended without an attempt, and why.
	failed   *schedctl.TargetError
	platform string // with failed
}

// takeItems adds what the queue has to be claimed next to the batch.
func (x *dispatcher) takeItems(batch []item, q *queue, now time.Time) []item {
	ending := q.blocked(now)
	taken := x.queues.take(q, now, x.cfg.MaxLateness, x.claims.size)
	next := int64(0)
	if q.waiting.len() > 0 {
		next = q.waiting.head().At
	}
	for _, e := range taken {
		was := x.marks[e.Target] & shaken
		x.setMark(e.Target, inFlight|was)
		batch = append(batch, item{
			queue: q, entry: e, shaken: was != 0, ending: ending, next: next, pace: max(0, q.paced.Sub(now)), spaced: !q.paced.IsZero() && now.Sub(q.paced) < rhythm,
		})
	}
	return batch
}

// claimAll claims the batch on a goroutine of its own.
func (x *dispatcher) claimAll(ctx context.Context, batch []item) {
	x.claims.begin(time.Now(), x.pace())
	x.jobs.Go(func() {
		verdicts, err := x.Deliverer.claim(ctx, batch)
		x.mail.report(func(x *dispatcher) { x.claimed(ctx, batch, verdicts, err) })
	})
}

// claim decides on a batch of targets in one transaction and returns a verdict
// for each, or an error: then it is not known whether they were carried out.
func (d *Deliverer) claim(ctx context.Context, batch []item) (verdicts []verdict, err error) {
	owner := d.owner()
	err = d.cfg.Store.Update(ctx, func(tx storage.Tx) error {
		c := claiming{
			Deliverer: d, edits: newEdits(tx), owner: owner, begun: map[*queue]bool{}, leap: d.cfg.Clock.Leap(),
			// Without Round, times would be compared by the monotonic clock,
			// which knows nothing of suspend.
			now: time.Now().UTC().Round(0),
		}
		if err := prepare(d, tx, batch, func(it *item) string { return it.entry.TargetID() }); err != nil {
			return err
		}
		decided := make([]verdict, len(batch))
		for i := range batch {
			decided[i] = c.verdict(batch[i])
		}
		verdicts = decided
		return c.write()
	})
	if err == nil {
		err = failpoint.Hit(failpoint.DeliverClaimed)
	}
	return verdicts, err
}

// claimed acts on the verdicts.
func (x *dispatcher) claimed(ctx context.Context, batch []item, verdicts []verdict, err error) {
	if err != nil {
		x.claimFailed(batch, err, time.Now())
	} else {
		x.logGroup(x.claims.succeeded(), "claiming targets", nil)
		x.obeyAll(ctx, batch, verdicts)
	}
	for i := range batch {
		if q := batch[i].queue; q.busy && !q.calling {
			x.finish(q)
		}
	}
}

func (x *dispatcher) claimFailed(batch []item, err error, now time.Time) {
	x.logGroup(x.claims.failed(len(batch), err, now), "claiming targets", err)
	for i := range batch {
		batch[i].shaken = true
		x.putBack(batch[i], 0)
	}
	if q := batch[0].queue; len(batch) == 1 && !q.held && !storage.IsFull(err) {
		q.until = now.Add(faultPause) // let the others have a turn
	}
}

// obeyAll does what the verdicts on a batch ask for.
func (x *dispatcher) obeyAll(ctx context.Context, batch []item, verdicts []verdict) {
	now := time.Now()
	for i := range batch {
		x.obey(ctx, batch[i], verdicts[i], now)
	}
}

// obey does what a verdict asks for.
func (x *dispatcher) obey(ctx context.Context, it item, v verdict, now time.Time) {
	q, e := it.queue, it.entry
	switch v.fate {
	case over:
		if f := v.failed; f != nil {
			x.log.Warn("target not published", "target", e.TargetID(), "account", q.account, "kind", f.Kind, "code", f.Code)
			x.cfg.Observe(Observation{Platform: v.platform, Outcome: f.Outcome, Kind: f.Kind})
		}
		x.forget(e.Target, now)
	case unreadable:
		x.log.Error("target cannot be claimed, trying again", "target", e.TargetID(), "account", q.account, "error", v.err)
		x.putBack(it, 0)
		if !q.held {
			q.until = now.Add(faultPause)
		}
	case early:
		// The loop has an entry for a target that was moved. For one that it
		// handed over before the clock was set back, only this one is left.
		x.forget(e.Target, now)
		x.later.push(moment{At: v.due, Target: e.Target})
	case moved:
		it.entry.At = v.due
		x.putBack(it, it.entry.expires)
	case waits, behind:
		x.putBack(it, v.expires)
		switch {
		case v.fate == behind:
		case !v.held:
			q.until = now.Add(v.wait)
		case !q.changed: // else what the claim has read is old
			x.queues.hold(q, now, v.wait)
		}
	case elsewhere:
		x.putBack(it, v.expires)
		if !q.held {
			q.until = now.Add(q.elsewherePause())
		}
	case begun:
		q.calling, q.elsewhere = true, 0
		if x.cfg.Member != nil {
			x.inHand[v.call.attempt.ID] = true
		}
		if v.call.spacing > 0 {
			q.paced = now.Add(v.call.spacing)
		}
		x.start(ctx, v.call)
	}
}

// putBack returns a target to its queue.
func (x *dispatcher) putBack(it item, expires int64) {
	m := queued
	if it.shaken {
		m |= shaken
		it.queue.shaken = true
	}
	x.setMark(it.entry.Target, m)
	x.queues.push(it.queue, entry{Due: it.entry.Due, expires: expires})
}

// start makes the call of an attempt that is on disk, on a goroutine of its own.
func (x *dispatcher) start(ctx context.Context, c *call) {
	x.jobs.Go(func() {
		end, unsettled := x.Deliverer.call(ctx, c)
		x.mail.report(func(x *dispatcher) { x.called(c, end, unsettled) })
	})
}

// called takes what has come of a call, or of asking for one.
func (x *dispatcher) called(c *call, end *ending, unsettled *doubt) {
	if end != nil {
		x.endings = append(x.endings, end)
		return
	}
	// The worker is free again.
	q := c.queue
	x.doubt(unsettled)
	if unsettled.refused && q.changed {
		q.until = time.Time{} // what was refused may be another login by now
	}
	x.finish(q)
}

// doubt lets the account of a call wait until the network is asked what became of it.
func (x *dispatcher) doubt(d *doubt) {
	q := d.call.queue
	q.doubts = append(q.doubts, d)
	q.until = time.Now().Add(d.askIn)
}

// ulid returns the compact form of a target's id.
func ulid(targetID string) schedctl.ULID {
	u, _ := schedctl.ParseID(schedctl.TargetPrefix, targetID)
	return u
}
