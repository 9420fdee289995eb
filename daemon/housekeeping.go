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
	answerRetention   = 24 * time.Hour
	eventRetention    = 30 * 24 * time.Hour
	deliveryRetention = 30 * 24 * time.Hour
	auditRetention    = 90 * 24 * time.Hour
)

const (
	housekeepingEvery = 10 * time.Minute
	pruneAtOnce       = 500 // small, so that requests never wait long behind it
)

// keepHouse removes what is past its retention, until ctx ends. A failure is
// logged and tried again at the next round.
func (d *daemon) keepHouse(ctx context.Context) error {
	tick := time.NewTicker(housekeepingEvery)
	defer tick.Stop()
	for {
		if err := prune(ctx, d.store, time.Now()); err != nil && ctx.Err() == nil {
			d.log.Error("housekeeping", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// prune removes old records in small transactions until none is left.
func prune(ctx context.Context, store storage.Store, now time.Time) error {
	before := storage.Retention{
		Answers: now.Add(-answerRetention), Events: now.Add(-eventRetention),
		Deliveries: now.Add(-deliveryRetention), Audit: now.Add(-auditRetention),
	}
	for {
		var removed int
		err := store.Update(ctx, func(tx storage.Tx) (err error) {
			removed, err = tx.Prune(before, pruneAtOnce)
			return err
		})
		if err != nil {
			return fmt.Errorf("prune: %w", err)
		}
		if removed < pruneAtOnce {
			return nil
		}
	}
}
