package deliver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/failpoint"
)

// attemptEnd is the end of an attempt. It is kept until it is on disk.
type attemptEnd struct {
	call          *publisherCall
	receipt       *schedctl.Receipt // set when the network has published
	decision      policyDecision    // set otherwise
	uncertain     bool              // an earlier recording failed, but may have been committed
	misattributed bool              // the receipt is for a different post, and was not recorded
	claimsNext    bool              // the next part is claimed in the transaction that records this
}

func published(c *publisherCall, r schedctl.Receipt) *attemptEnd {
	r.Rest = r.Rest[:min(len(r.Rest), len(c.rest()))]
	return &attemptEnd{call: c, receipt: &r, decision: policyDecision{outcome: schedctl.OutcomePublished}}
}

// startRecording records the ends of calls, and claims what comes after them, on a
// goroutine of its own.
func (x *dispatcher) startRecording(ctx context.Context, now time.Time) {
	if len(x.unrecorded) == 0 || !x.records.mayStart(now) {
		return
	}
	n := min(len(x.unrecorded), x.records.size)
	batch := x.unrecorded[:n:n]
	if x.unrecorded = x.unrecorded[n:]; len(x.unrecorded) == 0 {
		x.unrecorded = nil
	}
	next := x.nextClaims(batch, now)
	x.records.start(now, x.d.coord.pace(x))
	x.jobs.Go(func() {
		done, decisions, err := x.d.recordAndClaim(ctx, batch, next)
		x.d.mail.report(func(x *dispatcher) {
			ended := x.recorded(batch, done, decisions != nil, err)
			x.nextClaimed(ctx, next, decisions)
			for _, q := range ended {
				if !q.calling {
					x.markIdle(q)
				}
			}
		})
	})
}

// recorded handles the ends that are on disk and returns their queues. The accounts of
// the other ends stay busy, so that nothing of theirs is published twice. claimed says
// whether it is known what became of the claims in the same transaction.
func (x *dispatcher) recorded(batch []*attemptEnd, done []bool, claimed bool, err error) (ended []*queue) {
	if err == nil {
		x.logStoreState(x.records.succeeded(), "recording attempts", nil)
	} else {
		x.logStoreState(x.records.failed(len(batch), err, time.Now()), "recording attempts", err)
	}
	for i, e := range batch {
		if i >= len(done) || !done[i] {
			e.uncertain = true
			x.unrecorded = append(x.unrecorded, e)
			continue
		}
		e.call.queue.calling = false
		ended = append(ended, e.call.queue)
		if e.misattributed {
			x.addUnresolved(&unresolvedAttempt{call: e.call, err: misattributedError(), askIn: ambiguousAskDelay})
			continue
		}
		x.d.coord.callRecorded(e.call.attempt.ID)
		x.requeueOrForget(e, claimed)
	}
	return ended
}

// requeueOrForget handles a target whose attempt has ended. A target that keeps its
// place goes back into its queue, before the later targets of its account. So does one
// with a next part, unless the claim of that part is decided.
func (x *dispatcher) requeueOrForget(e *attemptEnd, claimed bool) {
	target, result := ulid(e.call.attempt.TargetID), e.decision.result
	if result.RetryAt.IsZero() && e.call.prepares() {
		x.d.media.dropParts(e.call, e.nextPart())
	}
	switch {
	case e.nextPart() != nil && e.claimsNext && claimed:
	case e.nextPart() != nil:
		it := e.nextClaim()
		it.uncertain = e.uncertain || e.claimsNext // the next part may have been claimed
		x.putBack(it, 0)
	case result.RetryAt.IsZero():
		x.forget(target, time.Now())
	case result.RetryAt.After(e.call.queuedAt):
		x.forget(target, result.RetryAt)
	default:
		x.setState(target, stateQueued)
		x.queues.push(e.call.queue, entry{Due: schedctl.Due{At: schedctl.Millis(result.RetryAt).UnixMilli(), Target: target}})
	}
}

// recordIn records the ends of attempts in one transaction of store, which is Update
// or UpdateFromReserve. It reports for each end whether it was recorded. It also
// claims the targets in next and returns a decision for each.
//
// If done is nil, err is about the whole transaction, and no end is known to be
// recorded. Otherwise err is about the ends that are not done. If decisions is nil, it
// is unknown whether the claims were committed.
func (d *Deliverer) recordIn(ctx context.Context, store func(context.Context, func(storage.Tx) error) error, batch []*attemptEnd, next []claimItem) (done []bool, decisions []claimDecision, err error) {
	if err := failpoint.Hit(failpoint.DeliverFinishing); err != nil {
		return nil, nil, err
	}
	var r *recordTx
	err = store(ctx, func(tx storage.Tx) error {
		run := &recordTx{d: d, edits: newEdits(tx), done: make([]bool, len(batch)), now: time.Now().UTC().Round(0)}
		if err := prepareBy(prepareFor(batch, next), tx, batch, func(e **attemptEnd) string { return (*e).call.attempt.TargetID }); err != nil {
			return err
		}
		var err error
		if run.postTargets, err = platformPostTargets(tx, batch); err != nil {
			return err
		}
		for i, e := range batch {
			if err := run.end(e); err != nil {
				run.lastError = fmt.Errorf("record attempt %s: %w", e.call.attempt.ID, err)
				continue // the others can still be recorded
			}
			run.done[i] = true
		}
		run.decisions = run.claimAfter(batch, next)
		r = run
		return run.edits.write()
	})
	if err == nil {
		err = failpoint.Hit(failpoint.DeliverFinished)
	}
	if err == nil && len(next) > 0 {
		err = failpoint.Hit(failpoint.DeliverClaimed)
	}
	if err != nil {
		return nil, nil, err
	}
	r.logAndObserve(batch)
	return r.done, r.decisions, r.lastError
}

// logAndObserve logs and observes the ends that are on disk.
func (r *recordTx) logAndObserve(batch []*attemptEnd) {
	log := r.d.log
	for _, err := range r.refusals {
		log.Error("target does not accept the end of its attempt", "error", err)
	}
	for i, e := range batch {
		a := &e.call.attempt
		switch {
		case slices.Contains(r.misattributed, e):
			e.misattributed = true
			log.Warn("network returned the post of a different target", "attempt", a.ID, "target", a.TargetID, "account", a.AccountID)
		case slices.Contains(r.lost, e):
			log.Warn("attempt was adopted by another node, its result is dropped", "attempt", a.ID, "target", a.TargetID,
				"account", a.AccountID, "outcome", e.decision.outcome)
		case r.done[i]:
			r.d.logEnd(e)
			r.d.cfg.Observe(e.observation(r.now))
		}
	}
}

func (d *Deliverer) logEnd(e *attemptEnd) {
	a := e.call.attempt
	switch {
	case e.receipt != nil:
		d.log.Info("published", "post", a.PostID, "target", a.TargetID, "account", a.AccountID, "attempt", a.ID, "part", a.Part)
		if changed := e.receipt.Degraded; changed.Code != "" {
			d.log.Warn("network changed what it published", "target", a.TargetID, "account", a.AccountID, "attempt", a.ID, "code", changed.Code)
		}
	case e.decision.refused:
		d.log.Warn("network refused the account, its queue is held", "account", a.AccountID, "code", cmp.Or(e.decision.hold, e.decision.result.Error).Code)
	}
}
