package webhook

import (
	"context"
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// MaxBacklog is the largest result of [Dispatcher.Backlog].
const MaxBacklog = 10_000

// Backlog returns how many events and pending deliveries still have to be sent to
// enabled webhooks, counting an event once for each webhook. It stops counting at
// [MaxBacklog], and returns 0 before [Dispatcher.Run]. It may be called from any
// goroutine.
func (d *Dispatcher) Backlog(ctx context.Context) (events int, err error) {
	for _, w := range d.list() {
		if _, works := w.runningAs(); !works {
			continue // another node counts it
		}
		n, err := w.backlog(ctx, MaxBacklog-events)
		if err != nil {
			return 0, fmt.Errorf("count the backlog of webhook %s: %w", w.id, err)
		}
		if events += n; events >= MaxBacklog {
			break
		}
	}
	return events, nil
}

// list returns the workers in no order.
func (d *Dispatcher) list() []*worker {
	d.mu.Lock()
	defer d.mu.Unlock()
	workers := make([]*worker, 0, len(d.workers))
	for _, w := range d.workers {
		workers = append(workers, w)
	}
	return workers
}

// backlog counts up to limit.
func (w *worker) backlog(ctx context.Context, limit int) (n int, err error) {
	at := w.currentPosition()
	var hook schedctl.Webhook
	var cursor string
	err = w.cfg.Store.View(ctx, func(r storage.Reader) error {
		if hook, err = r.Webhook(w.workspace, w.id); err != nil || !hook.Enabled {
			return err
		}
		pending, err := r.PendingDeliveries(w.id, limit)
		n = len(pending)
		if err == nil {
			cursor, err = laterCursor(r, at.cursor, hook.Cursor)
		}
		return err
	})
	if isNotFound(err) || (err == nil && !hook.Enabled) {
		return 0, nil
	}
	for at.behind && err == nil && n < limit {
		var events []schedctl.Event
		events, err = storage.Read(ctx, w.cfg.Store.View, func(r storage.Reader) ([]schedctl.Event, error) { return r.Events(cursor, batchSize) })
		if len(events) == 0 {
			break
		}
		for i := range events {
			if hook.Wants(&events[i]) {
				n++
			}
		}
		cursor = events[len(events)-1].ID
	}
	return min(n, limit), err
}
