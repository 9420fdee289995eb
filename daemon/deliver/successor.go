package deliver

import (
	"context"
	"slices"
	"time"

	"github.com/schedctl/schedctl/storage"
)

// An account that has several targets due has its next one claimed in the
// transaction that records the one before. That is one commit for each target in
// place of two, which write the same pages: those of the account's lists.

// nextClaims takes what the accounts of published targets have to be claimed next,
// to be claimed with their recording. It takes nothing while other accounts wait for
// a worker, nor with a recording that is tried again, which may have failed because
// of what it took. Members look first whether others have a call of the account.
func (x *dispatcher) nextClaims(ended []*attemptEnd, now time.Time) (next []claimItem) {
	crowded := x.inFlight >= x.cfg.Workers && x.queues.firstReady() != nil
	if x.stopping || crowded || x.cfg.Member != nil {
		return nil
	}
	for _, e := range ended {
		if len(next) >= x.claims.size {
			break
		}
		if q := e.call.queue; e.receipt != nil && !e.uncertain && len(q.unresolved) == 0 && q.hasWork(now) {
			q.changed = false
			next = x.takeItems(next, q, now)
		}
	}
	return next
}

// nextClaimed acts on what has come of claims that were made with a recording. Without
// verdicts it is not known whether they are on disk.
func (x *dispatcher) nextClaimed(ctx context.Context, next []claimItem, verdicts []claimDecision) {
	if verdicts != nil {
		x.applyDecisions(ctx, next, verdicts)
		return
	}
	for i := range next {
		next[i].uncertain = true
		x.putBack(next[i], next[i].entry.expires)
	}
}

// recordAndClaim is [Deliverer.record] that also claims what comes next. A full
// store has the recording alone, and no verdicts.
func (d *Deliverer) recordAndClaim(ctx context.Context, batch []*attemptEnd, next []claimItem) (done []bool, verdicts []claimDecision, err error) {
	if len(next) > 0 {
		done, verdicts, err = d.recordIn(ctx, d.cfg.Store.Update, batch, next)
		if !storage.IsFull(err) {
			return done, verdicts, err
		}
	}
	done, _, err = d.recordIn(ctx, d.cfg.Store.UpdateFromReserve, batch, nil)
	return done, nil, err
}

// claimAfter decides on what comes after the ends that were recorded, in the
// same transaction and with the same edits.
func (r *recordTx) claimAfter(batch []*attemptEnd, next []claimItem) []claimDecision {
	if len(next) == 0 {
		return nil
	}
	taken := map[*queue]bool{}
	for i, e := range batch {
		taken[e.call.queue] = !r.done[i] || slices.Contains(r.misattributed, e)
	}
	c := claimTx{Deliverer: r.Deliverer, edits: r.edits, owner: r.currentOwner(), started: map[*queue]bool{}, leap: r.cfg.Clock.Leap(), now: r.now}
	verdicts := make([]claimDecision, len(next))
	for i, it := range next {
		if taken[it.queue] {
			verdicts[i] = claimDecision{result: claimBehind, expires: it.entry.expires}
			continue
		}
		verdicts[i] = c.tryDecide(it)
	}
	return verdicts
}
