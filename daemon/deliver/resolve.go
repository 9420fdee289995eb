package deliver

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// maxResolve is how many targets are resolved in a turn: a millisecond or two,
// in which nothing else is dispatched.
const maxResolve = 1024

// resolve puts targets that were handed over into the queues of their accounts.
func (x *dispatcher) resolve(ctx context.Context, now time.Time) {
	if len(x.due) == 0 || x.stopping || !x.resolves.open(now) {
		return
	}
	batch := x.due[:min(len(x.due), maxResolve)]
	fresh := x.unknown(batch)
	routes, err := x.routes(ctx, fresh)
	if err != nil {
		x.logGroup(x.resolves.failed(len(batch), now), "resolving targets", err)
		return
	}
	x.logGroup(x.resolves.succeeded(), "resolving targets", nil)
	if x.due = x.due[len(batch):]; len(x.due) == 0 {
		x.due = nil
	}
	for i, route := range routes {
		if route.AccountID == "" || x.marks[fresh[i].Target] != 0 {
			continue // gone, or twice in this batch
		}
		q := x.queues.of(route.AccountID, route.WorkspaceID)
		x.queues.push(q, entry{Due: fresh[i]})
		x.setMark(fresh[i].Target, queued)
		x.queues.arrange(q, now)
	}
}

// unknown returns the targets that are nowhere yet. Those in flight are marked
// to be looked at again.
func (x *dispatcher) unknown(batch []schedctl.Due) []schedctl.Due {
	fresh := make([]schedctl.Due, 0, len(batch))
	for _, due := range batch {
		switch m := x.marks[due.Target]; {
		case m == 0:
			fresh = append(fresh, due)
		case m&inFlight != 0:
			x.marks[due.Target] = m | again
		}
	}
	return fresh
}

// routes looks the targets up. The route of one that is gone is empty.
func (d *Deliverer) routes(ctx context.Context, due []schedctl.Due) ([]storage.Route, error) {
	if len(due) == 0 {
		return nil, nil
	}
	routes := make([]storage.Route, len(due))
	err := d.cfg.Store.View(ctx, func(r storage.Reader) error {
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
