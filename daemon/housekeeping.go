package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/schedctl/schedctl/storage"
)

// How long idempotency records, events, webhook deliveries and audit entries are kept.
const (
	idempotencyRetention = 24 * time.Hour
	eventRetention       = 30 * 24 * time.Hour
	deliveryRetention    = 30 * 24 * time.Hour
	auditRetention       = 90 * 24 * time.Hour
)

const (
	housekeepingInterval = 10 * time.Minute
	pruneBatch           = 500 // small, so that requests do not wait long for the transaction

	// maxPruneStepsWhenFull limits the batches of a run while the disk is full. Pruning
	// frees space in the end, but it first uses some of the disk reserve, which
	// attempts in progress need to store their outcomes.
	maxPruneStepsWhenFull = 20
)

// runHousekeeping removes records past their retention, until ctx ends. Failures are
// logged and retried at the next interval. It pauses while the clock is not steady.
func (d *daemon) runHousekeeping(ctx context.Context) error {
	tick := time.NewTicker(housekeepingInterval)
	defer tick.Stop()
	for {
		if err := d.pruneOnce(ctx); err != nil && ctx.Err() == nil {
			d.log.Error("housekeeping failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// housekeepingHold is the name whose holder prunes, so that one node does.
const housekeepingHold = "housekeeping"

// pruneOnce removes all records past their retention, if this node is the one to do it.
func (d *daemon) pruneOnce(ctx context.Context) error {
	if !d.clock.Steady() {
		return nil
	}
	if d.member != nil {
		if held, err := d.member.Hold(ctx, housekeepingHold); err != nil || !held {
			return err
		}
	}
	now := time.Now()
	return errors.Join(prune(ctx, d.store, now), d.collector.run(ctx, now))
}

// prune removes old records in small transactions. It always keeps the newest event,
// because the ids of the next start continue after it.
func prune(ctx context.Context, store storage.Store, now time.Time) error {
	before := storage.Retention{
		IdempotencyRecords: now.Add(-idempotencyRetention), Events: now.Add(-eventRetention),
		Deliveries: now.Add(-deliveryRetention), Audit: now.Add(-auditRetention), Now: now,
	}
	for step := 0; ; step++ {
		if step >= maxPruneStepsWhenFull && store.Full() != nil {
			return nil
		}
		var removed int
		err := store.UpdateFromReserve(ctx, func(tx storage.Tx) (err error) {
			if err := keepNewestEvent(tx, &before); err != nil {
				return err
			}
			removed, err = tx.Prune(before, pruneBatch)
			return err
		})
		if err != nil {
			return fmt.Errorf("prune: %w", err)
		}
		if removed < pruneBatch {
			return nil
		}
	}
}

// keepNewestEvent changes the retention so that the newest event is kept.
func keepNewestEvent(r storage.Reader, before *storage.Retention) error {
	last, err := r.LastEvent()
	if err != nil || last == "" {
		return err
	}
	e, err := r.Event(last)
	if err == nil && e.CreatedAt.Before(before.Events) {
		before.Events = e.CreatedAt
	}
	return err
}
