package webhook

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

const (
	// batchSize is how many events are read at a time.
	batchSize = 100

	// maxUnsaved is how many events are read before the cursors of webhooks that want
	// none of them are stored. It bounds how many events a start reads again.
	maxUnsaved = 1000
)

// watcher reads the outbox once for all webhooks, and wakes the webhooks that want a new
// event. It keeps a copy of every webhook, as of the last commit that it knows. Only the
// goroutine of [Dispatcher.Run] uses it.
type watcher struct {
	*Dispatcher
	begin func(w *worker, owner string) // starts the lanes of a worker

	changed          map[string]struct{} // ids of webhooks to read again
	reloadAll        bool                // read all webhooks again
	reloaded         time.Time           // when all webhooks were last read
	rebalancedAt     time.Time           // when rebalance last ran
	rebalancePending bool                // rebalance has to run again at once
	started          bool                // seen is set
	seen             string              // the last event that was read
	unsaved          int                 // events read since cursors were stored
	pause            backoff
}

func newWatcher(d *Dispatcher, begin func(*worker, string)) *watcher {
	return &watcher{Dispatcher: d, begin: begin, changed: make(map[string]struct{}), reloadAll: true, pause: d.newBackoff()}
}

// run watches until ctx ends.
func (x *watcher) run(ctx context.Context) {
	for ctx.Err() == nil {
		err := x.turn(ctx)
		if ctx.Err() != nil {
			return
		}
		if x.pause.done(ctx, "watching the outbox", err) {
			sleepUntil(ctx, time.Now().Add(x.mode.tick), x.mail.wake)
		}
	}
}

// turn processes all changes. After an error, the next turn continues.
func (x *watcher) turn(ctx context.Context) error {
	x.recordTick()
	if err := x.refresh(ctx); err != nil {
		return err
	}
	if err := x.rebalance(ctx); err != nil {
		return err
	}
	if err := x.scan(ctx); err != nil {
		return err
	}
	if x.unsaved < maxUnsaved {
		return nil
	}
	if err := x.saveCursors(ctx, x.idle(), x.seen); err != nil {
		return fmt.Errorf("save cursors: %w", err)
	}
	x.unsaved = 0
	return nil
}

func (x *watcher) recordTick() {
	now := time.Now()
	x.tick.Store(&now)
}

// refresh reads the webhooks that commits have changed, or all webhooks when there may
// be unknown ones.
func (x *watcher) refresh(ctx context.Context) error {
	missed := x.mail.take(x.changed)
	x.reloadAll = x.reloadAll || missed || x.mode.shared && time.Since(x.reloaded) >= reloadInterval
	if !x.reloadAll && len(x.changed) == 0 {
		return nil
	}
	var found []schedctl.Webhook
	var gone []string
	var last string
	err := x.cfg.Store.View(ctx, func(r storage.Reader) (err error) {
		if !x.started {
			if last, err = r.LastEvent(); err != nil {
				return err
			}
		}
		found, gone, err = x.readChanged(r)
		return err
	})
	if err != nil {
		return fmt.Errorf("read webhooks: %w", err)
	}
	if !x.started {
		x.started, x.seen = true, last
	}
	for _, id := range gone {
		x.remove(id)
	}
	for _, hook := range found {
		if _, named := x.changed[hook.ID]; named || x.reloadAll || x.differs(&hook) {
			x.apply(hook)
		}
	}
	if x.reloadAll {
		x.reloadAll, x.reloaded = false, time.Now()
	}
	clear(x.changed)
	return nil
}

// differs reports whether a webhook is unknown or wants different events than before.
func (x *watcher) differs(hook *schedctl.Webhook) bool {
	w := x.workers[hook.ID]
	return w == nil || w.differs(hook)
}

// apply stores a new copy of a webhook.
func (x *watcher) apply(hook schedctl.Webhook) {
	w := x.workers[hook.ID]
	if w == nil {
		x.add(hook)
		return
	}
	old := w.hook
	w.hook = hook
	if hook.Enabled && !old.Enabled {
		w.rescan()
	}
	if !slices.Equal(hook.EventTypes, old.EventTypes) {
		// Events that were skipped must stay skipped after the next start.
		x.unsaved = maxUnsaved
	}
	w.wake()
}

func (x *watcher) add(hook schedctl.Webhook) {
	w := newWorker(x.Dispatcher, hook)
	w.rescan()
	x.mu.Lock()
	x.workers[w.id] = w
	x.mu.Unlock()
	if !x.mode.shared {
		x.begin(w, "")
		return
	}
	x.rebalancePending = true
	wakeUp(x.mail.wake)
}

func (x *watcher) remove(id string) {
	x.workers[id].end()
	x.mu.Lock()
	delete(x.workers, id)
	x.mu.Unlock()
}

// scan reads the new events and wakes the webhooks that want them. It compares each
// event with webhooks that were read at the same time or later, so a changed webhook
// misses no event that happened after the change.
func (x *watcher) scan(ctx context.Context) error {
	if skipped, err := x.skip(ctx); err != nil || skipped {
		return err
	}
	for {
		events, err := x.readNew(ctx)
		if err != nil {
			return fmt.Errorf("read events: %w", err)
		}
		if err := x.refresh(ctx); err != nil {
			return err
		}
		for i := range events {
			for _, w := range x.workers {
				w.observe(&events[i], x.seen)
			}
			x.seen = events[i].ID
		}
		x.unsaved += len(events)
		x.recordTick()
		if len(events) < batchSize {
			return nil
		}
	}
}

// skip skips all events while there are no webhooks, and reports whether it did.
func (x *watcher) skip(ctx context.Context) (skipped bool, err error) {
	if len(x.workers) > 0 || x.mode.shared {
		return false, nil
	}
	last, err := storage.Read(ctx, x.cfg.Store.View, storage.Reader.LastEvent)
	if err != nil {
		return false, fmt.Errorf("read the last event: %w", err)
	}
	if err := x.refresh(ctx); err != nil || len(x.workers) > 0 {
		return false, err // a webhook was created with these events
	}
	x.seen = last
	x.recordTick()
	return true, nil
}

// idle returns the workers that have sent all wanted events that were read.
func (x *watcher) idle() (idle []*worker) {
	for _, w := range x.workers {
		if w.hook.Enabled && w.idle() && w.holdsStill() {
			idle = append(idle, w)
		}
	}
	return idle
}
