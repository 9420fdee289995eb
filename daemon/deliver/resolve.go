package deliver

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// maxResolve is how many targets are resolved in a turn. That takes one or two
// milliseconds, in which nothing else is dispatched.
const maxResolve = 1024

// resolve puts enqueued targets into the queues of their accounts.
func (x *dispatcher) resolve(ctx context.Context, now time.Time) {
	if len(x.due) == 0 || x.stopping || !x.resolves.mayStart(now) || x.d.coord.gathering(x) {
		return
	}
	batch := x.due[:min(len(x.due), maxResolve)]
	x.d.coord.resolve(ctx, x, len(batch), x.newTargets(batch), now)
}

// removeDue removes the first n entries of x.due.
func (x *dispatcher) removeDue(n int) {
	if x.due = x.due[n:]; len(x.due) == 0 {
		x.due = nil
	}
}

// enqueue puts a target into the queue of its account.
func (x *dispatcher) enqueue(due schedctl.Due, route storage.Route, now time.Time) {
	q := x.queues.queueFor(route.AccountID, route.WorkspaceID)
	x.queues.push(q, entry{Due: due})
	x.setState(due.Target, stateQueued)
	x.queues.reschedule(q, now)
}

// newTargets returns the targets that have no state yet. It marks those in flight to be
// resolved again.
func (x *dispatcher) newTargets(batch []schedctl.Due) []schedctl.Due {
	fresh := make([]schedctl.Due, 0, len(batch))
	for _, due := range batch {
		switch m := x.states[due.Target]; {
		case m == 0:
			fresh = append(fresh, due)
		case m&stateInFlight != 0:
			x.states[due.Target] = m | stateEnqueuedAgain
		}
	}
	return fresh
}

// routes reads the routes of targets. The route of a deleted target is empty.
func (d *Deliverer) routes(ctx context.Context, due []schedctl.Due) ([]storage.Route, error) {
	if len(due) == 0 {
		return nil, nil
	}
	routes := make([]storage.Route, len(due))
	err := d.cfg.Store.View(ctx, func(r storage.Reader) error {
		if err := prepare(r, due, func(d *schedctl.Due) string { return d.TargetID() }); err != nil {
			return err
		}
		for i := range due {
			route, err := r.Route(due[i].TargetID())
			if err != nil && !notFound(err) {
				return err
			}
			routes[i] = route
		}
		return nil
	})
	return routes, err
}

func notFound(err error) bool { return schedctl.CodeOf(err) == schedctl.NotFound }
