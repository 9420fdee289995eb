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

// claimItem is a target to be claimed.
type claimItem struct {
	queue       *queue // the dispatcher's; the claim compares it only
	entry       entry
	uncertain   bool          // an earlier claim may be on disk
	expireOnly  bool          // not to be begun: its account is blocked, but it may be too late
	overdueWait time.Duration // how long an overdue target has to wait; 0 not to
	spacedHere  bool          // the account's overdue target before this one was begun here
	nextAt      int64         // the Unix millisecond of the account's next entry; 0 when there is none
}

// claimResult is what a claim has come to.
type claimResult int

const (
	claimDropped    claimResult = iota // there is nothing left to do for the target
	claimEarly                         // it is due later, or the clock is in doubt
	claimWaits                         // its account has to wait; back into the queue
	claimBehind                        // its account is busy with another target; back into the queue
	claimMoved                         // another target of its account comes first by now; back into the queue
	claimElsewhere                     // another member has a call of its account; back into the queue
	claimUnreadable                    // its records cannot be read; back into the queue
	claimStarted                       // the attempt is on disk; call
)

// claimDecision is what a claim has decided on one target.
type claimDecision struct {
	result  claimResult
	due     int64          // with early and moved: the Unix millisecond
	held    bool           // with waits: the account is refused or paused
	wait    time.Duration  // with waits: how long; 0 until the account changes
	expires int64          // with waits, behind and elsewhere: see entry
	err     error          // with unreadable
	call    *publisherCall // with begun

	// failed says that the target has ended without an attempt, and why.
	failed   *schedctl.TargetError
	platform string // with failed
}

// takeItems adds what the queue has to be claimed next to the batch.
func (x *dispatcher) takeItems(batch []claimItem, q *queue, now time.Time) []claimItem {
	ending := q.blocked(now)
	taken := x.queues.take(q, now, x.cfg.MaxLateness, x.claims.size)
	next := int64(0)
	if q.waiting.len() > 0 {
		next = q.waiting.head().At
	}
	for _, e := range taken {
		was := x.states[e.Target] & stateUncertain
		x.setState(e.Target, stateInFlight|was)
		batch = append(batch, claimItem{
			queue: q, entry: e, uncertain: was != 0, expireOnly: ending, nextAt: next, overdueWait: max(0, q.nextOverdue.Sub(now)), spacedHere: !q.nextOverdue.IsZero() && now.Sub(q.nextOverdue) < spacingWindow,
		})
	}
	return batch
}

// claimAll claims the batch on a goroutine of its own.
func (x *dispatcher) claimAll(ctx context.Context, batch []claimItem) {
	x.claims.start(time.Now(), x.pace())
	x.jobs.Go(func() {
		verdicts, err := x.Deliverer.claim(ctx, batch)
		x.mail.report(func(x *dispatcher) { x.claimed(ctx, batch, verdicts, err) })
	})
}

// claim decides on a batch of targets in one transaction and returns a verdict
// for each, or an error: then it is not known whether they were carried out.
func (d *Deliverer) claim(ctx context.Context, batch []claimItem) (verdicts []claimDecision, err error) {
	owner := d.currentOwner()
	err = d.cfg.Store.Update(ctx, func(tx storage.Tx) error {
		c := claimTx{
			Deliverer: d, edits: newEdits(tx), owner: owner, started: map[*queue]bool{}, leap: d.cfg.Clock.Leap(),
			// Without Round, times would be compared by the monotonic clock,
			// which knows nothing of suspend.
			now: time.Now().UTC().Round(0),
		}
		if err := prepare(d, tx, batch, func(it *claimItem) string { return it.entry.TargetID() }); err != nil {
			return err
		}
		decided := make([]claimDecision, len(batch))
		for i := range batch {
			decided[i] = c.tryDecide(batch[i])
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
func (x *dispatcher) claimed(ctx context.Context, batch []claimItem, verdicts []claimDecision, err error) {
	if err != nil {
		x.claimFailed(batch, err, time.Now())
	} else {
		x.logStoreState(x.claims.succeeded(), "claiming targets", nil)
		x.applyDecisions(ctx, batch, verdicts)
	}
	for i := range batch {
		if q := batch[i].queue; q.busy && !q.calling {
			x.markIdle(q)
		}
	}
}

func (x *dispatcher) claimFailed(batch []claimItem, err error, now time.Time) {
	x.logStoreState(x.claims.failed(len(batch), err, now), "claiming targets", err)
	for i := range batch {
		batch[i].uncertain = true
		x.putBack(batch[i], 0)
	}
	if q := batch[0].queue; len(batch) == 1 && !q.held && !storage.IsFull(err) {
		q.notBefore = now.Add(faultPause) // let the others have a turn
	}
}

// applyDecisions does what the verdicts on a batch ask for.
func (x *dispatcher) applyDecisions(ctx context.Context, batch []claimItem, verdicts []claimDecision) {
	now := time.Now()
	for i := range batch {
		x.applyDecision(ctx, batch[i], verdicts[i], now)
	}
}

// applyDecision does what a verdict asks for.
func (x *dispatcher) applyDecision(ctx context.Context, it claimItem, v claimDecision, now time.Time) {
	q, e := it.queue, it.entry
	switch v.result {
	case claimDropped:
		if f := v.failed; f != nil {
			x.log.Warn("target not published", "target", e.TargetID(), "account", q.account, "kind", f.Kind, "code", f.Code)
			x.cfg.Observe(Observation{Platform: v.platform, Outcome: f.Outcome, Kind: f.Kind})
		}
		x.forget(e.Target, now)
	case claimUnreadable:
		x.log.Error("target cannot be claimed, trying again", "target", e.TargetID(), "account", q.account, "error", v.err)
		x.putBack(it, 0)
		if !q.held {
			q.notBefore = now.Add(faultPause)
		}
	case claimEarly:
		// The loop has an entry for a target that was moved. For one that it
		// handed over before the clock was set back, only this one is left.
		x.forget(e.Target, now)
		x.deferred.push(dueEntry{At: v.due, Target: e.Target})
	case claimMoved:
		it.entry.At = v.due
		x.putBack(it, it.entry.expires)
	case claimWaits, claimBehind:
		x.putBack(it, v.expires)
		switch {
		case v.result == claimBehind:
		case !v.held:
			q.notBefore = now.Add(v.wait)
		case !q.changed: // else what the claim has read is old
			x.queues.hold(q, now, v.wait)
		}
	case claimElsewhere:
		x.putBack(it, v.expires)
		if !q.held {
			q.notBefore = now.Add(q.nextElsewherePause())
		}
	case claimStarted:
		q.calling, q.busyElsewhere = true, 0
		if x.cfg.Member != nil {
			x.inHand[v.call.attempt.ID] = true
		}
		if v.call.spacing > 0 {
			q.nextOverdue = now.Add(v.call.spacing)
		}
		x.startCall(ctx, v.call)
	}
}

// putBack returns a target to its queue.
func (x *dispatcher) putBack(it claimItem, expires int64) {
	m := stateQueued
	if it.uncertain {
		m |= stateUncertain
		it.queue.uncertain = true
	}
	x.setState(it.entry.Target, m)
	x.queues.push(it.queue, entry{Due: it.entry.Due, expires: expires})
}

// startCall makes the call of an attempt that is on disk, on a goroutine of its own.
func (x *dispatcher) startCall(ctx context.Context, c *publisherCall) {
	x.jobs.Go(func() {
		end, unsettled := x.Deliverer.makeCall(ctx, c)
		x.mail.report(func(x *dispatcher) { x.callEnded(c, end, unsettled) })
	})
}

// callEnded takes what has come of a call, or of asking for one.
func (x *dispatcher) callEnded(c *publisherCall, end *attemptEnd, unsettled *unresolvedAttempt) {
	if end != nil {
		x.unrecorded = append(x.unrecorded, end)
		return
	}
	// The worker is free again.
	q := c.queue
	x.addUnresolved(unsettled)
	if unsettled.refused && q.changed {
		q.notBefore = time.Time{} // what was refused may be another login by now
	}
	x.markIdle(q)
}

// addUnresolved lets the account of a call wait until the network is asked what became of it.
func (x *dispatcher) addUnresolved(d *unresolvedAttempt) {
	q := d.call.queue
	q.unresolved = append(q.unresolved, d)
	q.notBefore = time.Now().Add(d.askIn)
}

// ulid returns the compact form of a target's id.
func ulid(targetID string) schedctl.ULID {
	u, _ := schedctl.ParseID(schedctl.TargetPrefix, targetID)
	return u
}
