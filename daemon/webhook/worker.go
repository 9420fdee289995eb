package webhook

import (
	"context"
	"sync"

	"github.com/schedctl/schedctl"
)

// worker is what the dispatcher knows of one webhook. The watcher and the two
// lanes share it.
type worker struct {
	*Dispatcher
	workspace, id string
	hook          schedctl.Webhook   // the watcher's copy, and no one else's
	end           context.CancelFunc // ends the lanes

	newEvents, newPending chan struct{} // wake the lanes

	mu    sync.Mutex // mu guards place
	place place
}

// place is where a webhook is in the outbox.
type place struct {
	// cursor is the last event that was told or is not wanted. While the worker
	// is idle it may be older than that.
	cursor string
	behind bool // there may be wanted events after the cursor
	wakes  int  // how often such events were reported
}

func newWorker(d *Dispatcher, hook schedctl.Webhook) *worker {
	return &worker{
		Dispatcher: d, workspace: hook.WorkspaceID, id: hook.ID, hook: hook,
		newEvents: make(chan struct{}, 1), newPending: make(chan struct{}, 1),
	}
}

// wake lets both lanes look at the store.
func (w *worker) wake() {
	ring(w.newEvents)
	ring(w.newPending)
}

// lookFrom lets the lane of first tries look for events after the given one, and
// for none that it has passed already.
func (w *worker) lookFrom(cursor string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.place = place{cursor: max(w.place.cursor, cursor), behind: true, wakes: w.place.wakes + 1}
}

// expect tells of an event that is wanted, right after the one that is given.
func (w *worker) expect(before string) {
	w.mu.Lock()
	w.place.wakes++
	if !w.place.behind {
		w.place.behind, w.place.cursor = true, max(w.place.cursor, before)
	}
	w.mu.Unlock()
	ring(w.newEvents)
}

// idle reports whether all wanted events that were reported have been told.
func (w *worker) idle() bool { return !w.at().behind }

func (w *worker) at() place {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.place
}

// passed moves the cursor on.
func (w *worker) passed(event string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.place.cursor = max(w.place.cursor, event)
}

// caughtUp tells that the outbox was read to its end, unless events were reported
// since the given count of them.
func (w *worker) caughtUp(wakes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.place.wakes == wakes {
		w.place.behind = false
	}
}
