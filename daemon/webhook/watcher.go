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

	// saveEvery is how many events may pass until the cursors of webhooks that
	// want none of them are saved. It bounds what a start reads again.
	saveEvery = 1000
)

// watcher reads the outbox once for all webhooks, and wakes those that want what
// is new. It keeps a copy of every webhook, which is as old as the last commit
// that it was told of. All of it belongs to the goroutine of [Dispatcher.Run].
type watcher struct {
	*Dispatcher
	begin func(*worker) // starts the lanes of a worker

	changed map[string]struct{} // webhooks to be read again
	loaded  bool                // all webhooks have been read
	seen    string              // the youngest event that was read
	unsaved int                 // events read since cursors were saved
	pause   pause
}

func newWatcher(d *Dispatcher, begin func(*worker)) *watcher {
	return &watcher{Dispatcher: d, begin: begin, changed: make(map[string]struct{}), pause: pause{log: d.log}}
}

// run watches until ctx ends.
func (x *watcher) run(ctx context.Context) {
	for ctx.Err() == nil {
		err := x.turn(ctx)
		if ctx.Err() != nil {
			return
		}
		if x.pause.after(ctx, "watching the outbox", err) {
			rest(ctx, time.Now().Add(tickInterval), x.mail.wake)
		}
	}
}

// turn reads what has changed. What it has not done when it fails, the next turn
// does.
func (x *watcher) turn(ctx context.Context) error {
	x.tick.Store(time.Now().UnixNano())
	if err := x.refresh(ctx); err != nil {
		return err
	}
	if err := x.scan(ctx); err != nil {
		return err
	}
	if x.unsaved < saveEvery {
		return nil
	}
	if err := x.saveCursors(ctx, x.idle(), x.seen); err != nil {
		return fmt.Errorf("save cursors: %w", err)
	}
	x.unsaved = 0
	return nil
}

// refresh reads the webhooks that commits have named, or all of them when there may be
// some that it does not know.
func (x *watcher) refresh(ctx context.Context) error {
	x.mail.take(x.changed)
	if x.loaded && len(x.changed) == 0 {
		return nil
	}
	var found []schedctl.Webhook
	var gone []string
	var last string
	err := x.cfg.Store.View(ctx, func(r storage.Reader) (err error) {
		if last, err = r.LastEvent(); err != nil {
			return err
		}
		var more bool
		if found, gone, more, err = x.readChanged(r); err != nil || !more {
			return err
		}
		unknown, err := x.readUnknown(r)
		found = append(found, unknown...)
		return err
	})
	if err != nil {
		return fmt.Errorf("read webhooks: %w", err)
	}
	if !x.loaded {
		x.loaded, x.seen = true, last
	}
	for _, id := range gone {
		x.remove(id)
	}
	for _, hook := range found {
		x.apply(hook)
	}
	clear(x.changed)
	return nil
}

// readChanged reads the webhooks that have changed and says which are gone, and
// whether there may be more than those that have workers.
func (x *watcher) readChanged(r storage.Reader) (found []schedctl.Webhook, gone []string, more bool, err error) {
	more = !x.loaded
	for id := range x.changed {
		w := x.workers[id]
		if w == nil {
			more = true
			continue
		}
		hook, err := r.Webhook(w.workspace, id)
		switch {
		case isNotFound(err):
			gone = append(gone, id)
		case err != nil:
			return nil, nil, false, err
		default:
			found = append(found, hook)
		}
	}
	return found, gone, more, nil
}

// readUnknown returns the webhooks that have no worker.
func (x *watcher) readUnknown(r storage.Reader) (unknown []schedctl.Webhook, err error) {
	workspaces, err := r.Workspaces()
	if err != nil {
		return nil, err
	}
	for _, workspace := range workspaces {
		hooks, err := r.Webhooks(workspace.ID)
		if err != nil {
			return nil, err
		}
		for _, hook := range hooks {
			if x.workers[hook.ID] == nil {
				unknown = append(unknown, hook)
			}
		}
	}
	return unknown, nil
}

// apply takes over a new copy of a webhook.
func (x *watcher) apply(hook schedctl.Webhook) {
	w := x.workers[hook.ID]
	if w == nil {
		x.add(hook)
		return
	}
	old := w.hook
	w.hook = hook
	if hook.Enabled && !old.Enabled {
		w.lookFrom(hook.Cursor)
	}
	if !slices.Equal(hook.EventTypes, old.EventTypes) {
		// What has passed unwanted must not be wanted by the next start.
		x.unsaved = saveEvery
	}
	w.wake()
}

func (x *watcher) add(hook schedctl.Webhook) {
	w := newWorker(x.Dispatcher, hook)
	w.lookFrom(hook.Cursor)
	x.mu.Lock()
	x.workers[w.id] = w
	x.mu.Unlock()
	x.begin(w)
}

func (x *watcher) remove(id string) {
	x.workers[id].end()
	x.mu.Lock()
	delete(x.workers, id)
	x.mu.Unlock()
}

// scan reads the events that are new and wakes the webhooks that want them. They
// are held against webhooks that were read after them: an event that was caused
// after a webhook was told to want it is wanted.
func (x *watcher) scan(ctx context.Context) error {
	for {
		var events []schedctl.Event
		err := x.cfg.Store.View(ctx, func(r storage.Reader) (err error) {
			events, err = r.Events(x.seen, batchSize)
			return err
		})
		if err != nil {
			return fmt.Errorf("read events: %w", err)
		}
		if err := x.refresh(ctx); err != nil {
			return err
		}
		for i := range events {
			for _, w := range x.workers {
				if w.hook.Wants(&events[i]) {
					w.expect(x.seen)
				}
			}
			x.seen = events[i].ID
		}
		x.unsaved += len(events)
		x.tick.Store(time.Now().UnixNano())
		if len(events) < batchSize {
			return nil
		}
	}
}

// idle returns the workers that have told all they want of what was seen.
func (x *watcher) idle() (idle []*worker) {
	for _, w := range x.workers {
		if w.hook.Enabled && w.idle() {
			idle = append(idle, w)
		}
	}
	return idle
}
