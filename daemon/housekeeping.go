package daemon

import (
	"context"
	"fmt"
	"time"

	"github.com/schedctl/schedctl/storage"
)

// How long answers to repeatable requests, events, deliveries to webhooks and
// the audit log are kept.
const (
	idempotencyRetention = 24 * time.Hour
	eventRetention       = 30 * 24 * time.Hour
	deliveryRetention    = 30 * 24 * time.Hour
	auditRetention       = 90 * 24 * time.Hour
)

const (
	housekeepingInterval = 10 * time.Minute
	pruneBatch           = 500 // small, so that requests never wait long behind it

	// maxPruneStepsWhenFull is how many such steps a round makes when the disk is full.
	// They make room in the end, and take some of what is kept for the outcomes
	// of calls on their way.
	maxPruneStepsWhenFull = 20
)

// runHousekeeping removes what is past its retention, until ctx ends. A failure is
// logged and tried again at the next round. Nothing is removed by a clock that has
// jumped far.
func (d *daemon) runHousekeeping(ctx context.Context) error {
	tick := time.NewTicker(housekeepingInterval)
	defer tick.Stop()
	for {
		if err := d.pruneOnce(ctx); err != nil && ctx.Err() == nil {
			d.log.Error("housekeeping", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// housekeepingHold is the name that the one of several daemons holds that keeps house.
const housekeepingHold = "housekeeping"

// pruneOnce is one round.
func (d *daemon) pruneOnce(ctx context.Context) error {
	if !d.clock.Steady() {
		return nil
	}
	if d.member != nil {
		if held, err := d.member.Hold(ctx, housekeepingHold); err != nil || !held {
			return err
		}
	}
	return prune(ctx, d.store, time.Now())
}

// prune removes old records in small transactions until none is left. The youngest
// event stays whatever its age: the ids of the next start go on after it.
func prune(ctx context.Context, store storage.Store, now time.Time) error {
	before := storage.Retention{
		Answers: now.Add(-idempotencyRetention), Events: now.Add(-eventRetention),
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

// keepNewestEvent changes what is removed so that the youngest event is not.
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
