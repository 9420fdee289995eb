package deliver

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/failpoint"
)

// faultPause is how long an account waits if its own records cannot be read or
// written, while those of other accounts may be fine.
const faultPause = 10 * time.Second

// claimItem is a target to be claimed.
type claimItem struct {
	queue       *queue // belongs to the dispatcher; the claim only compares it
	entry       entry
	uncertain   bool          // an earlier claim may have been committed
	expireOnly  bool          // the account is blocked: fail the target if it is too late, or else do not start it
	overdueWait time.Duration // how long an overdue target has to wait, or 0
	heldUntil   int64         // see queue
	spacedHere  bool          // this node started the account's overdue target before this one
	nextAt      int64         // when the account's next entry is due, in Unix milliseconds, or 0
	nextPart    bool          // of a target whose part before is recorded in the same transaction
}

// claimResult is what a claim did with a target.
type claimResult int

const (
	claimDropped    claimResult = iota // the target needs no further work
	claimEarly                         // it is due later, or the clock is not trusted
	claimWaits                         // its account has to wait; back into the queue
	claimBehind                        // its account is busy with another target; back into the queue
	claimParked                        // a hold of a label stops its post; set aside until the account changes
	claimMoved                         // another target of its account is now due before it; back into the queue
	claimElsewhere                     // another node calls the network for its account; back into the queue
	claimUnreadable                    // its records cannot be read; back into the queue
	claimNotReady                      // its part before was not recorded; it is queued when that is done
	claimStarted                       // the attempt is on disk; call the publisher
)

// claimDecision is what a claim decided for one target. The comments name the results
// that a field is for.
type claimDecision struct {
	result   claimResult
	due      int64          // early and moved: the Unix millisecond
	held     bool           // waits: the network refused or paused the account, or a blackout holds it
	blackout bool           // waits, with held: a blackout holds the account
	wait     time.Duration  // waits: how long, or 0 until the account changes
	expires  int64          // waits, behind and elsewhere: see entry
	err      error          // unreadable
	call     *publisherCall // started

	// failure is why the target failed without an attempt, or nil.
	failure  *schedctl.TargetError
	platform string // with failure
}

// takeItems adds the next targets to claim from a queue to the batch.
func (x *dispatcher) takeItems(batch []claimItem, q *queue, now time.Time) []claimItem {
	expireOnly := q.blocked(now)
	entries := x.queues.take(q, now, x.d.cfg.MaxLateness, x.claims.size)
	next := int64(0)
	if q.waiting.len() > 0 {
		next = q.waiting.head().At
	}
	for _, e := range entries {
		uncertain := x.states[e.Target] & stateUncertain
		x.setState(e.Target, stateInFlight|uncertain)
		batch = append(batch, claimItem{
			queue: q, entry: e, uncertain: uncertain != 0, expireOnly: expireOnly, nextAt: next,
			overdueWait: max(0, q.nextOverdue.Sub(now)), heldUntil: q.heldUntil,
			spacedHere: !q.nextOverdue.IsZero() && now.Sub(q.nextOverdue) < spacingWindow,
		})
	}
	return batch
}

// claimAll claims the batch on a goroutine of its own.
func (x *dispatcher) claimAll(ctx context.Context, batch []claimItem) {
	x.claims.start(time.Now(), x.d.coord.pace(x))
	x.jobs.Go(func() {
		decisions, err := x.d.claim(ctx, batch)
		x.d.mail.report(func(x *dispatcher) { x.claimed(ctx, batch, decisions, err) })
	})
}

// claim decides on a batch of targets in one transaction. It returns a decision for
// each target. After an error it is unknown whether the decisions were committed.
func (d *Deliverer) claim(ctx context.Context, batch []claimItem) (decisions []claimDecision, err error) {
	owner := d.coord.currentOwner()
	err = d.cfg.Store.Update(ctx, func(tx storage.Tx) error {
		// Round removes the monotonic clock reading, which does not advance in suspend.
		c := newClaimTx(d, newEdits(tx), owner, time.Now().UTC().Round(0))
		if err := prepare(tx, batch, func(it *claimItem) string { return it.entry.TargetID() }); err != nil {
			return err
		}
		decided := make([]claimDecision, len(batch))
		for i := range batch {
			decided[i] = c.tryDecide(batch[i])
		}
		decisions = decided
		return c.edits.write()
	})
	if err == nil {
		err = failpoint.Hit(failpoint.DeliverClaimed)
	}
	return decisions, err
}

// claimed applies the decisions of a claim.
func (x *dispatcher) claimed(ctx context.Context, batch []claimItem, decisions []claimDecision, err error) {
	if err != nil {
		x.claimFailed(batch, err, time.Now())
	} else {
		x.logStoreState(x.claims.succeeded(), "claiming targets", nil)
		x.applyDecisions(ctx, batch, decisions)
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
		q.notBefore = now.Add(faultPause) // let other accounts proceed
	}
}

func (x *dispatcher) applyDecisions(ctx context.Context, batch []claimItem, decisions []claimDecision) {
	now := time.Now()
	for i := range batch {
		x.applyDecision(ctx, batch[i], decisions[i], now)
	}
}

func (x *dispatcher) applyDecision(ctx context.Context, it claimItem, d claimDecision, now time.Time) {
	q, e := it.queue, it.entry
	switch d.result {
	case claimDropped:
		if f := d.failure; f != nil {
			x.d.log.Warn("target not published", "target", e.TargetID(), "account", q.account, "kind", f.Kind, "code", f.Code)
			x.d.cfg.Observe(Observation{Platform: d.platform, Outcome: f.Outcome, Kind: f.Kind})
		}
		x.forget(e.Target, now)
	case claimUnreadable:
		x.d.log.Error("claiming target failed, will retry", "target", e.TargetID(), "account", q.account, "error", d.err)
		x.putBack(it, 0)
		if !q.held {
			q.notBefore = now.Add(faultPause)
		}
	case claimEarly:
		// The schedule has an entry for a target that was moved. It has none for a
		// target that was enqueued before the clock was set back.
		x.forget(e.Target, now)
		x.deferred.push(dueEntry{At: d.due, Target: e.Target})
	case claimParked:
		if q.changed { // the claim may have read an older version of the account
			x.putBack(it, 0)
		} else {
			x.park(it)
		}
	case claimMoved:
		it.entry.At = d.due
		x.putBack(it, it.entry.expires)
	case claimWaits, claimBehind:
		x.putBack(it, d.expires)
		switch {
		case d.result == claimBehind:
		case !d.held:
			q.notBefore = now.Add(d.wait)
		case !q.changed: // otherwise the claim read an older version of the account
			x.queues.hold(q, now, d.wait)
			q.inBlackout = d.blackout
		case d.blackout: // it may have ended since
			q.heldUntil = now.UnixMilli()
		}
	case claimElsewhere:
		x.putBack(it, d.expires)
		if !q.held {
			q.notBefore = now.Add(q.nextElsewherePause())
		}
	case claimNotReady:
	case claimStarted:
		q.calling, q.busyElsewhere = true, 0
		x.d.coord.callStarted(d.call.attempt.ID)
		if d.call.spacing > 0 {
			q.nextOverdue = now.Add(d.call.spacing)
		}
		x.startCall(ctx, d.call)
	}
}

// putBack returns a target to its queue.
func (x *dispatcher) putBack(it claimItem, expires int64) {
	state := stateQueued
	if it.uncertain {
		state |= stateUncertain
		it.queue.uncertain = true
	}
	x.setState(it.entry.Target, state)
	x.queues.push(it.queue, entry{Due: it.entry.Due, expires: expires})
}

// startCall makes the call of an attempt that is on disk, on a goroutine of its own.
func (x *dispatcher) startCall(ctx context.Context, c *publisherCall) {
	x.jobs.Go(func() {
		end, unresolved := x.d.makeCall(ctx, c)
		x.d.mail.report(func(x *dispatcher) { x.callEnded(c, end, unresolved) })
	})
}

// callEnded handles the end of a call, or of a question about one.
func (x *dispatcher) callEnded(c *publisherCall, end *attemptEnd, unresolved *unresolvedAttempt) {
	if end != nil {
		x.unrecorded = append(x.unrecorded, end)
		return
	}
	// The worker is free again.
	q := c.queue
	x.addUnresolved(unresolved)
	if unresolved.refused && q.changed {
		q.notBefore = time.Time{} // the account may have new credentials since it was refused
	}
	x.markIdle(q)
}

// addUnresolved makes the account of an attempt wait until the network is asked about it.
func (x *dispatcher) addUnresolved(u *unresolvedAttempt) {
	q := u.call.queue
	q.unresolved = append(q.unresolved, u)
	q.notBefore = time.Now().Add(u.askIn)
}

// ulid returns the compact form of a target id.
func ulid(targetID string) schedctl.ULID {
	u, _ := schedctl.ParseID(schedctl.TargetPrefix, targetID)
	return u
}
