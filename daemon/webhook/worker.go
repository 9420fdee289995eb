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

	mu       sync.Mutex // mu guards what follows
	position outboxPosition
	running  bool   // there are lanes
	owner    string // as which member of several daemons they work; empty for the only one

	mayHold bool // this daemon may hold the webhook, and there are no lanes
}

// outboxPosition is where a webhook is in the outbox.
type outboxPosition struct {
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
	w.running, w.owner = true, owner
	return stop
}

// run runs both lanes, or the one lane of a notification.
func (w *worker) run(stop, work context.Context) {
	if w.notifies {
		newMessages(w).run(stop, work)
	} else {
		var retries sync.WaitGroup
		retries.Go(func() { newRetries(w).run(stop, work) })
		newFirstAttempts(w).run(stop, work)
		retries.Wait()
	}
	if w.cfg.Member != nil {
		w.release(stop)
	}
}

// markStopped tells that the lanes have ended.
func (w *worker) markStopped() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = false
}

// setMayHold notes whether this daemon may hold the webhook without knowing it.
func (w *worker) setMayHold(is bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mayHold = is
}

// runningAs reports whether there are lanes, and as whose they work.
func (w *worker) runningAs() (owner string, works bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.owner, w.running
}

// holdsStill reports whether this daemon holds the webhook still.
func (w *worker) holdsStill() bool {
	if w.cfg.Member == nil {
		return true
	}
	owner, _ := w.runningAs()
	return w.cfg.Member.Holds(owner)
}

// differs reports whether another copy of the webhook says something else of what
// it wants.
func (w *worker) differs(hook *schedctl.Webhook) bool {
	return hook.Enabled != w.hook.Enabled || !hook.UpdatedAt.Equal(w.hook.UpdatedAt) || !slices.Equal(hook.EventTypes, w.hook.EventTypes)
}

// observe tells of an event, and of the one before it.
func (w *worker) observe(e *schedctl.Event, before string) {
	switch {
	case w.hook.Wants(e):
		w.markBehind(before)
	case w.cfg.Member != nil && e.Type == schedctl.EventWebhookTest && e.WebhookID == w.id:
		wakeUp(w.newPending) // another daemon may have stored it
	}
}

// wake lets both lanes look at the store.
func (w *worker) wake() {
	wakeUp(w.newEvents)
	wakeUp(w.newPending)
}

// rescan lets the lane of first tries look for events behind the cursor.
func (w *worker) rescan() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.position.behind = true
	w.position.wakes++
}

// markBehind tells of an event that is wanted, right after the one that is given.
// What is told of it already is before the cursor in the store.
func (w *worker) markBehind(before string) {
	w.mu.Lock()
	w.position.wakes++
	if !w.position.behind {
		w.position.behind, w.position.cursor = true, before
	}
	w.mu.Unlock()
	wakeUp(w.newEvents)
}

// idle reports whether all wanted events that were reported have been told, by
// this daemon.
func (w *worker) idle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.running && !w.position.behind
}

func (w *worker) currentPosition() outboxPosition {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.position
}

// advance moves the cursor on. Only the lane of first tries calls it, with what it
// has found behind the cursor.
func (w *worker) advance(event string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.position.cursor = event
}

// caughtUp tells that the outbox was read to its end, unless events were reported
// since the given count of them.
func (w *worker) caughtUp(wakes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.position.wakes == wakes {
		w.position.behind = false
	}
}
