package webhook

import (
	"context"
	"fmt"
	"time"
)

// Member is this daemon among those that use one database. Of all of them one
// holds a webhook, and calls it.
type Member interface {
	// ID names the daemon. It has another one after its lease has run out.
	ID() string

	// Holds reports whether the id is still the daemon's and its lease runs for
	// certain.
	Holds(id string) bool

	// Mine reports whether of all daemons that live this one should do what is
	// named by the key.
	Mine(key string) bool

	// Hold makes the daemon the holder of a name, unless another one is, and
	// reports whether it holds it now, until it releases it or its lease runs out.
	Hold(ctx context.Context, name string) (bool, error)
	Release(ctx context.Context, name string) error
}

const (
	// fleetTickInterval is how often the watcher looks without being woken where several
	// daemons use the store: what another one has done, it may not be told of.
	fleetTickInterval = time.Second

	// reloadInterval is how often all webhooks are read again there. Those of the
	// workspaces in which something happens are read with the events.
	reloadInterval = 15 * time.Second

	// rebalanceInterval is how often, at most, it is looked whose the webhooks are.
	rebalanceInterval = 200 * time.Millisecond

	// maxAcquisitions is how many webhooks one turn of the watcher takes, so that new
	// events do not wait for all of them.
	maxAcquisitions = 50

	// releaseTimeout is how long it may take to give a webhook up.
	releaseTimeout = 5 * time.Second
)

// holdName is the name under which a webhook is held.
func holdName(id string) string { return "webhook:" + id }

// rebalance takes the webhooks that this daemon should call and nobody holds, and ends
// the lanes of those that are another one's.
func (x *watcher) rebalance(ctx context.Context) error {
	if x.cfg.Member == nil || time.Since(x.rebalancedAt) < rebalanceInterval && !x.rebalancePending {
		return nil
	}
	x.rebalancedAt, x.rebalancePending = time.Now(), false
	asked := 0
	for id, w := range x.workers {
		owner, works := w.runningAs()
		mine := x.cfg.Member.Mine(id)
		switch {
		case works && (!mine || !x.cfg.Member.Holds(owner)):
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

// acquire begins to work for a webhook, unless another daemon holds it.
func (x *watcher) acquire(ctx context.Context, w *worker) error {
	owner := x.cfg.Member.ID()
	w.setMayHold(true)
	held, err := x.cfg.Member.Hold(ctx, holdName(w.id))
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

// releaseUncertain releases a webhook that this daemon may hold without working for it,
// because the database has not said so. While it holds it, nobody else can.
func (w *worker) releaseUncertain(ctx context.Context) {
	w.mu.Lock()
	doubtful := w.mayHold
	w.mu.Unlock()
	if doubtful && w.cfg.Member.Release(ctx, holdName(w.id)) == nil {
		w.setMayHold(false)
	}
}

// release lets another daemon work for a webhook, whose lanes have ended, and
// where they have.
func (w *worker) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	err := w.saveCursors(ctx, []*worker{w}, w.currentPosition().cursor)
	if err == nil {
		err = w.cfg.Member.Release(ctx, holdName(w.id))
	}
	if err != nil {
		w.log.Warn("a webhook cannot be given up, trying again", "webhook", w.id, "error", err)
		w.setMayHold(true)
	}
	w.markStopped()
	wakeUp(w.mail.wake)
}
