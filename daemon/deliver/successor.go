package deliver

import (
	"context"
	"slices"
	"time"

	"github.com/schedctl/schedctl/storage"
)

// If an account has several due targets, the next one is claimed in the transaction
// that records the one before. This needs one commit for each target instead of two,
// which would write the same pages of the account's indexes.

// nextClaims takes the next targets of accounts whose targets were published, to be
// claimed with the recording. It takes none while other accounts wait for a worker,
// and none for a recording that is retried, because claims may have made it fail.
func (x *dispatcher) nextClaims(ended []*attemptEnd, now time.Time) (next []claimItem) {
	crowded := x.inFlight >= x.d.cfg.Workers && x.queues.firstReady() != nil
	if x.stopping || crowded || !x.d.coord.claimsNext() {
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

// nextClaimed applies the decisions of claims that were made with a recording. Without
// decisions, the claims may have been committed.
func (x *dispatcher) nextClaimed(ctx context.Context, next []claimItem, decisions []claimDecision) {
	if decisions != nil {
		x.applyDecisions(ctx, next, decisions)
		return
	}
	for i := range next {
		next[i].uncertain = true
		x.putBack(next[i], next[i].entry.expires)
	}
}

// recordAndClaim records the ends of attempts and claims what comes next. If the store
// is full, it only records, and returns no decisions. See recordIn for the results.
func (d *Deliverer) recordAndClaim(ctx context.Context, batch []*attemptEnd, next []claimItem) (done []bool, decisions []claimDecision, err error) {
	if len(next) > 0 {
		done, decisions, err = d.recordIn(ctx, d.cfg.Store.Update, batch, next)
		if !storage.IsFull(err) {
			return done, decisions, err
		}
	}
	done, _, err = d.recordIn(ctx, d.cfg.Store.UpdateFromReserve, batch, nil)
	return done, nil, err
}

// claimAfter decides on the next targets after the ends were recorded, in the same
// transaction.
func (r *recordTx) claimAfter(batch []*attemptEnd, next []claimItem) []claimDecision {
	if len(next) == 0 {
		return nil
	}
	busy := map[*queue]bool{}
	for i, e := range batch {
		busy[e.call.queue] = !r.done[i] || slices.Contains(r.misattributed, e)
	}
	c := newClaimTx(r.d, r.edits, r.d.coord.currentOwner(), r.now)
	decisions := make([]claimDecision, len(next))
	for i, it := range next {
		if busy[it.queue] {
			decisions[i] = claimDecision{result: claimBehind, expires: it.entry.expires}
			continue
		}
		decisions[i] = c.tryDecide(it)
	}
	return decisions
}
