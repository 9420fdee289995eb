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
	if len(x.due) == 0 || x.stopping || !x.resolves.mayStart(now) || x.gathering() {
		return
	}
	batch := x.due[:min(len(x.due), maxResolve)]
	fresh := x.newTargets(batch)
	if x.cfg.Member != nil {
		x.resolveAsync(ctx, len(batch), fresh, now)
		return
	}
	routes, err := x.routes(ctx, fresh)
	if err != nil {
		x.logStoreState(x.resolves.failed(len(batch), err, now), "resolving targets", err)
		return
	}
	x.logStoreState(x.resolves.succeeded(), "resolving targets", nil)
	if x.due = x.due[len(batch):]; len(x.due) == 0 {
		x.due = nil
	}
	for i, route := range routes {
		if route.AccountID == "" || x.states[fresh[i].Target] != 0 {
			continue // gone, or twice in this batch
		}
		x.enqueue(fresh[i], route, now)
	}
}

// enqueue puts a target into the queue of its account.
func (x *dispatcher) enqueue(due schedctl.Due, route storage.Route, now time.Time) {
	q := x.queues.queueFor(route.AccountID, route.WorkspaceID)
	x.queues.push(q, entry{Due: due})
	x.setState(due.Target, stateQueued)
	x.queues.reschedule(q, now)
}

// gatherLimit is how many targets are looked up at once though a claim is under way.
const gatherLimit = 64

// gathering reports whether the few targets that were handed over can wait for others to
// be looked up with: none is claimed before the claim that is under way has ended. With a
// store that is a way to a server and back, looking up costs the same for one and for many.
func (x *dispatcher) gathering() bool {
	return x.cfg.Member != nil && x.claims.running && len(x.due) < gatherLimit
}

// resolveAsync looks the first targets that were handed over up on a goroutine of
// its own, for a store that is a way to a server and back, or away.
func (x *dispatcher) resolveAsync(ctx context.Context, n int, fresh []schedctl.Due, now time.Time) {
	if x.due = x.due[n:]; len(x.due) == 0 {
		x.due = nil
	}
	once := fresh[:0]
	for _, due := range fresh {
		if x.states[due.Target] == 0 {
			x.setState(due.Target, stateInFlight)
			once = append(once, due)
		}
	}
	if len(once) == 0 {
		return
	}
	x.resolves.start(now, x.pace())
	x.jobs.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, readLimit)
		defer cancel()
		routes, err := x.Deliverer.routes(ctx, once)
		x.mail.report(func(x *dispatcher) { x.resolved(once, routes, err) })
	})
}

// resolved puts targets that were looked up into the queues of their accounts, or
// back where they came from.
func (x *dispatcher) resolved(due []schedctl.Due, routes []storage.Route, err error) {
	now := time.Now()
	if err != nil {
		x.logStoreState(x.resolves.failed(len(due), err, now), "resolving targets", err)
		for _, d := range due {
			delete(x.states, d.Target)
		}
		x.due = append(x.due, due...)
		return
	}
	x.logStoreState(x.resolves.succeeded(), "resolving targets", nil)
	for i, route := range routes {
		if route.AccountID == "" {
			x.forget(due[i].Target, now)
			continue
		}
		x.enqueue(due[i], route, now)
	}
}

// newTargets returns the targets that are nowhere yet. Those in flight are marked
// to be looked at again.
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

// routes looks the targets up. The route of one that is gone is empty.
func (d *Deliverer) routes(ctx context.Context, due []schedctl.Due) ([]storage.Route, error) {
	if len(due) == 0 {
		return nil, nil
	}
	routes := make([]storage.Route, len(due))
	err := d.cfg.Store.View(ctx, func(r storage.Reader) error {
		if err := prepare(d, r, due, func(d *schedctl.Due) string { return d.TargetID() }); err != nil {
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
