package deliver

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// gatherLimit is how many targets are resolved at once while a claim is running.
const gatherLimit = 64

// gathering reports whether a few new targets wait, so that more can be resolved in
// the same request. That delays none of them: they are not claimed before the running
// claim ends.
func (f *fleet) gathering(x *dispatcher) bool { return x.claims.running && len(x.due) < gatherLimit }

// resolve reads the routes on a goroutine of its own, because the store may be slow
// or unreachable.
func (f *fleet) resolve(ctx context.Context, x *dispatcher, n int, fresh []schedctl.Due, now time.Time) {
	x.removeDue(n)
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
	x.resolves.start(now, f.pace(x))
	x.jobs.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, readLimit)
		defer cancel()
		routes, err := x.d.routes(ctx, once)
		x.d.mail.report(func(x *dispatcher) { x.resolved(once, routes, err) })
	})
}

// resolved puts the targets into the queues of their accounts, or back into x.due
// after an error.
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
