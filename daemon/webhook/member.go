package webhook

import (
	"context"
	"fmt"
	"time"
)

// Member is this node among those that share a database. One node holds each webhook
// and makes all its calls.
type Member interface {
	// ID returns the id of the node. It changes after the lease expired.
	ID() string

	// Holds reports whether the id is still that of the node and its lease is certainly
	// valid.
	Holds(id string) bool

	// Mine reports whether this node is preferred for a key among all living nodes.
	Mine(key string) bool

	// Hold tries to make the node the holder of a name and reports whether it is the
	// holder now. The hold ends with Release or with the lease.
	Hold(ctx context.Context, name string) (bool, error)
	Release(ctx context.Context, name string) error
}

const (
	// fleetTickInterval is tickInterval on a shared store, whose notifications about
	// other nodes' commits may be lost.
	fleetTickInterval = time.Second

	// reloadInterval is how often all webhooks are read again on a shared store. The
	// webhooks of workspaces with new events are also read with the events.
	reloadInterval = 15 * time.Second

	// rebalanceInterval is the shortest time between two runs of rebalance.
	rebalanceInterval = 200 * time.Millisecond

	// maxAcquisitions is how many webhooks one turn of the watcher acquires, so that new
	// events do not wait for all of them.
	maxAcquisitions = 50

	// releaseTimeout bounds the release of a webhook.
	releaseTimeout = 5 * time.Second
)

// holdName returns the name that [Member.Hold] uses for a webhook.
func holdName(id string) string { return "webhook:" + id }

// rebalance acquires the webhooks for which this node is preferred, and ends the lanes
// of webhooks for which another node is.
func (x *watcher) rebalance(ctx context.Context) error {
	if time.Since(x.rebalancedAt) < rebalanceInterval && !x.rebalancePending {
		return nil
	}
	x.rebalancedAt, x.rebalancePending = time.Now(), false
	asked := 0
	for id, w := range x.workers {
		owner, works := w.runningAs()
		mine := x.member.Mine(id)
		switch {
		case works && (!mine || !x.member.Holds(owner)):
			w.end()
		case works:
		case !mine:
			w.releaseUncertain(ctx)
		case asked == maxAcquisitions:
			x.rebalancePending = true
			wakeUp(x.mail.wake)
			return nil
		default:
			asked++
			if err := x.acquire(ctx, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// acquire starts the lanes of a webhook, unless another node holds it.
func (x *watcher) acquire(ctx context.Context, w *worker) error {
	owner := x.member.ID()
	w.setMayHold(true)
	held, err := x.member.Hold(ctx, holdName(w.id))
	if err != nil {
		return fmt.Errorf("hold webhook %s: %w", w.id, err)
	}
	w.setMayHold(false)
	if held {
		w.rescan()
		x.begin(w, owner)
	}
	return nil
}

// releaseUncertain releases a webhook that this node may hold without running lanes,
// because the response to Hold was lost. Until then, no other node can hold it.
func (w *worker) releaseUncertain(ctx context.Context) {
	w.mu.Lock()
	doubtful := w.mayHold
	w.mu.Unlock()
	if doubtful && w.member.Release(ctx, holdName(w.id)) == nil {
		w.setMayHold(false)
	}
}

// release stores the cursor of a webhook whose lanes have ended, and lets another node
// hold it.
func (w *worker) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	err := w.saveCursors(ctx, []*worker{w}, w.currentPosition().cursor)
	if err == nil {
		err = w.member.Release(ctx, holdName(w.id))
	}
	if err != nil {
		w.log.Warn("releasing a webhook failed, retrying", "webhook", w.id, "error", err)
		w.setMayHold(true)
	}
	w.markStopped()
	wakeUp(w.mail.wake)
}
