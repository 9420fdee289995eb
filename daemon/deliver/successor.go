package deliver

import (
	"context"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// If an account has several due targets, the next one is claimed in the transaction
// that records the one before. This needs one commit for each target instead of two,
// which would write the same pages of the account's indexes. The next part of a target is
// always claimed in this way, so that nothing else of the account comes between.

// nextClaims takes the next parts of targets, and the next targets of accounts whose
// targets were published, to be claimed with the recording. It takes no target while other
// accounts wait for a worker. It takes nothing for a recording that is retried, because
// claims may have made it fail.
func (x *dispatcher) nextClaims(ended []*attemptEnd, now time.Time) (next []claimItem) {
	if x.stopping {
		return nil
	}
	crowded := x.inFlight >= x.d.cfg.Workers && x.queues.firstReady() != nil
	targets := !crowded && x.d.coord.claimsNext()
	for _, e := range ended {
		if len(next) >= x.claims.size {
			break
		}
		q := e.call.queue
		switch {
		case e.receipt == nil || e.uncertain || len(q.unresolved) > 0:
		case e.nextPart() != nil:
			if e.claimsNext = x.d.coord.mayClaim(x, now); e.claimsNext {
				q.changed = false
				next = append(next, e.nextClaim())
			}
		case targets && q.hasWork(now):
			q.changed = false
			next = x.takeItems(next, q, now)
		}
	}
	return next
}

// nextClaimed applies the decisions of claims that were made with a recording. Without
// decisions, the claims may have been committed. Then the end of the part before queues
// the next part again.
func (x *dispatcher) nextClaimed(ctx context.Context, next []claimItem, decisions []claimDecision) {
	if decisions != nil {
		x.applyDecisions(ctx, next, decisions)
		return
	}
	for i := range next {
		if !next[i].nextPart {
			next[i].uncertain = true
			x.putBack(next[i], next[i].entry.expires)
		}
	}
}

// nextPart returns the part of the target that follows after the end of an attempt that
// has published, or nil.
func (e *attemptEnd) nextPart() *schedctl.TargetPart {
	if e.receipt == nil || len(e.receipt.Rest) >= len(e.call.later) {
		return nil
	}
	return &e.call.later[len(e.receipt.Rest)]
}

// nextClaim returns the item that claims the next part.
func (e *attemptEnd) nextClaim() claimItem {
	due := schedctl.Due{At: schedctl.Millis(e.call.queuedAt).UnixMilli(), Target: ulid(e.call.attempt.TargetID)}
	return claimItem{queue: e.call.queue, entry: entry{Due: due}, nextPart: true}
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
		switch {
		case busy[it.queue] && it.nextPart:
			decisions[i] = claimDecision{result: claimNotReady}
			continue
		case busy[it.queue]:
			decisions[i] = claimDecision{result: claimBehind, expires: it.entry.expires}
			continue
		}
		decisions[i] = c.tryDecide(it)
	}
	return decisions
}
