package webhook

import (
	"context"
	"slices"
	"sync"

	"github.com/schedctl/schedctl"
)

// worker is what the dispatcher knows of one webhook. The watcher and the two
// lanes share it.
type worker struct {
	*Dispatcher
	workspace, id string
	notifies      bool               // it is a notification
	hook          schedctl.Webhook   // the watcher's copy, and no one else's
	end           context.CancelFunc // ends the lanes; the watcher's too

	newEvents, newPending chan struct{} // wake the lanes

	mu    sync.Mutex // mu guards what follows
	place place
	works bool   // there are lanes
	owner string // as which member of several daemons they work; empty for the only one

	doubtful bool // this daemon may hold the webhook, and there are no lanes
}

// place is where a webhook is in the outbox.
type place struct {
	// cursor is the last event that was told or is not wanted. It may be older than
	// that, and older than the cursor in the store.
	cursor string
	behind bool // there may be wanted events after the cursor
	wakes  int  // how often such events were reported
}

func newWorker(d *Dispatcher, hook schedctl.Webhook) *worker {
	return &worker{
		Dispatcher: d, workspace: hook.WorkspaceID, id: hook.ID, notifies: hook.Notify != nil, hook: hook, end: func() {},
		newEvents: make(chan struct{}, 1), newPending: make(chan struct{}, 1),
	}
}

// begin prepares lanes, which are to run until the context ends that it returns.
func (w *worker) begin(ctx context.Context, owner string) (stop context.Context) {
	stop, w.end = context.WithCancel(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.works, w.owner = true, owner
	return stop
}

// run runs both lanes, or the one lane of a notification.
func (w *worker) run(stop, work context.Context) {
	if w.notifies {
		newMessages(w).run(stop, work)
	} else {
		var retries sync.WaitGroup
		retries.Go(func() { newRetries(w).run(stop, work) })
		newFirstTries(w).run(stop, work)
		retries.Wait()
	}
	if w.cfg.Member != nil {
		w.release(stop)
	}
}

// leave tells that the lanes have ended.
func (w *worker) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.works = false
}

// doubt notes whether this daemon may hold the webhook without knowing it.
func (w *worker) doubt(is bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.doubtful = is
}

// tenure reports whether there are lanes, and as whose they work.
func (w *worker) tenure() (owner string, works bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.owner, w.works
}

// mayCall reports whether this daemon holds the webhook still.
func (w *worker) mayCall() bool {
	if w.cfg.Member == nil {
		return true
	}
	owner, _ := w.tenure()
	return w.cfg.Member.Holds(owner)
}

// differs reports whether another copy of the webhook says something else of what
// it wants.
func (w *worker) differs(hook *schedctl.Webhook) bool {
	return hook.Enabled != w.hook.Enabled || !hook.UpdatedAt.Equal(w.hook.UpdatedAt) || !slices.Equal(hook.EventTypes, w.hook.EventTypes)
}

// meet tells of an event, and of the one before it.
func (w *worker) meet(e *schedctl.Event, before string) {
	switch {
	case w.hook.Wants(e):
		w.expect(before)
	case w.cfg.Member != nil && e.Type == schedctl.EventWebhookTest && e.WebhookID == w.id:
		ring(w.newPending) // another daemon may have stored it
	}
}

// wake lets both lanes look at the store.
func (w *worker) wake() {
	ring(w.newEvents)
	ring(w.newPending)
}

// lookAgain lets the lane of first tries look for events behind the cursor.
func (w *worker) lookAgain() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.place.behind = true
	w.place.wakes++
}

// expect tells of an event that is wanted, right after the one that is given.
// What is told of it already is before the cursor in the store.
func (w *worker) expect(before string) {
	w.mu.Lock()
	w.place.wakes++
	if !w.place.behind {
		w.place.behind, w.place.cursor = true, before
	}
	w.mu.Unlock()
	ring(w.newEvents)
}

// idle reports whether all wanted events that were reported have been told, by
// this daemon.
func (w *worker) idle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.works && !w.place.behind
}

func (w *worker) at() place {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.place
}

// passed moves the cursor on. Only the lane of first tries calls it, with what it
// has found behind the cursor.
func (w *worker) passed(event string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.place.cursor = event
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
