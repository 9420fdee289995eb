package webhook

import (
	"context"
	"slices"
	"sync"

	"github.com/schedctl/schedctl"
)

// worker is the state of one webhook. The watcher and the lanes share it.
type worker struct {
	*Dispatcher
	workspace, id string
	notifies      bool               // the webhook is a notification
	hook          schedctl.Webhook   // only for the watcher
	end           context.CancelFunc // ends the lanes; only for the watcher

	newEvents, newPending chan struct{} // wake the lanes

	mu       sync.Mutex // mu guards what follows
	position outboxPosition
	running  bool   // lanes are running
	owner    string // the node id under which the lanes run; empty without a Member

	mayHold bool // this node may hold the webhook although no lanes run
}

// outboxPosition is the position of a webhook in the outbox.
type outboxPosition struct {
	// cursor is the last event that was sent or skipped, or an earlier one. It may be
	// older than the cursor in the store.
	cursor string
	behind bool // there may be wanted events after the cursor
	wakes  int  // how often such events were found
}

func newWorker(d *Dispatcher, hook schedctl.Webhook) *worker {
	return &worker{
		Dispatcher: d, workspace: hook.WorkspaceID, id: hook.ID, notifies: hook.Notify != nil, hook: hook, end: func() {},
		newEvents: make(chan struct{}, 1), newPending: make(chan struct{}, 1),
	}
}

// begin marks the lanes as running. They have to run until the returned context ends.
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
	if w.mode.shared {
		w.release(stop)
	}
}

// markStopped records that the lanes have ended.
func (w *worker) markStopped() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = false
}

// setMayHold records whether this node may hold the webhook although the store has not
// confirmed it.
func (w *worker) setMayHold(is bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mayHold = is
}

// runningAs reports whether lanes are running, and under which node id.
func (w *worker) runningAs() (owner string, works bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.owner, w.running
}

// holdsStill reports whether this node still holds the webhook.
func (w *worker) holdsStill() bool {
	owner, _ := w.runningAs()
	return w.member.Holds(owner)
}

// differs reports whether hook wants different events than the copy of the watcher.
func (w *worker) differs(hook *schedctl.Webhook) bool {
	return hook.Enabled != w.hook.Enabled || !hook.UpdatedAt.Equal(w.hook.UpdatedAt) || !slices.Equal(hook.EventTypes, w.hook.EventTypes)
}

// observe wakes the lanes if the webhook wants an event. before is the previous event.
func (w *worker) observe(e *schedctl.Event, before string) {
	switch {
	case w.hook.Wants(e):
		w.markBehind(before)
	case w.mode.shared && e.Type == schedctl.EventWebhookTest && e.WebhookID == w.id:
		wakeUp(w.newPending) // another node may have stored it
	}
}

// wake makes both lanes read the store.
func (w *worker) wake() {
	wakeUp(w.newEvents)
	wakeUp(w.newPending)
}

// rescan makes the lane of first attempts read the events after the cursor.
func (w *worker) rescan() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.position.behind = true
	w.position.wakes++
}

// markBehind records that the event right after before is wanted. The lane compares the
// position with the stored cursor, so events that were already sent are not repeated.
func (w *worker) markBehind(before string) {
	w.mu.Lock()
	w.position.wakes++
	if !w.position.behind {
		w.position.behind, w.position.cursor = true, before
	}
	w.mu.Unlock()
	wakeUp(w.newEvents)
}

// idle reports whether this node has sent all wanted events that the watcher has seen.
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

// advance moves the cursor. Only the lane of first attempts and the lane of a
// notification call it.
func (w *worker) advance(event string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.position.cursor = event
}

// caughtUp records that the outbox was read to its end, unless wanted events were found
// since. wakes is the value of position.wakes when the read started.
func (w *worker) caughtUp(wakes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.position.wakes == wakes {
		w.position.behind = false
	}
}
