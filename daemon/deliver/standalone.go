package deliver

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// standalone is the [coordinator] of a daemon that uses its store alone. Every
// attempt without an end that it finds at its start is of an earlier run.
type standalone struct{ owner string }

func (s *standalone) currentOwner() string { return s.owner }

func (s *standalone) startedHere(a schedctl.Attempt) bool { return a.Owner == s.owner }

func (s *standalone) mayCall(string) bool { return true }

func (s *standalone) withLeaseGuard(ctx context.Context, _ string) context.Context { return ctx }

func (s *standalone) waitsForNode(*claimTx, claimItem, *schedctl.Target, *schedctl.Account) (claimDecision, bool, error) {
	return claimDecision{}, false, nil
}

func (s *standalone) renew(*claimTx, *schedctl.Attempt) {}

// isOpen reads the attempt only when an earlier recording may have succeeded.
func (s *standalone) isOpen(r *recordTx, e *attemptEnd) (bool, error) {
	if !e.uncertain {
		return true, nil
	}
	done, err := r.hasEnd(e.call.attempt)
	return !done, err
}

func (s *standalone) mayRebase(*schedctl.Post, time.Time) bool { return true }

// ready recovers the attempts of earlier runs before anything is delivered, because
// until then it is not known which accounts have such attempts.
func (s *standalone) ready(ctx context.Context, x *dispatcher, now time.Time) bool {
	if x.recovered {
		return true
	}
	if x.stopping || !x.recovers.mayStart(now) {
		return false
	}
	running, err := storage.Read(ctx, x.d.cfg.Store.View, storage.Reader.RunningAttempts)
	if err != nil {
		x.logStoreState(x.recovers.failed(1, err, now), "reading unfinished attempts", err)
		return false
	}
	x.logStoreState(x.recovers.succeeded(), "reading unfinished attempts", nil)
	x.recovered = true
	for _, a := range running {
		if a.Owner == s.owner {
			continue
		}
		x.d.log.Warn("found an unfinished attempt of an earlier run", "post", a.PostID, "target", a.TargetID, "account", a.AccountID, "attempt", a.ID)
		x.queues.reschedule(x.addInterrupted(a, now), now)
	}
	return true
}

func (s *standalone) adopt(context.Context, *dispatcher, time.Time) {}

// resolve reads the store on the dispatcher's goroutine: the store is local.
func (s *standalone) resolve(ctx context.Context, x *dispatcher, n int, fresh []schedctl.Due, now time.Time) {
	routes, err := x.d.routes(ctx, fresh)
	if err != nil {
		x.logStoreState(x.resolves.failed(n, err, now), "resolving targets", err)
		return
	}
	x.logStoreState(x.resolves.succeeded(), "resolving targets", nil)
	x.removeDue(n)
	for i, route := range routes {
		if route.AccountID == "" || x.states[fresh[i].Target] != 0 {
			continue // deleted, or twice in this batch
		}
		x.enqueue(fresh[i], route, now)
	}
}

func (s *standalone) gathering(*dispatcher) bool { return false }

func (s *standalone) mayClaim(*dispatcher, time.Time) bool { return true }

func (s *standalone) claimsNext() bool { return true }

func (s *standalone) standsBy(*dispatcher, *queue, time.Time) bool { return false }

func (s *standalone) checkStandby(context.Context, *dispatcher, time.Time) {}

// checkHeld reads the store on the dispatcher's goroutine.
func (s *standalone) checkHeld(ctx context.Context, x *dispatcher, held []*queue, now time.Time) {
	if err := x.d.cfg.Store.View(ctx, func(r storage.Reader) error { return x.refreshHeld(held, r, now) }); err != nil {
		x.d.log.Error("reading held accounts failed, will retry", "error", err)
	}
	for _, q := range held {
		x.queues.reschedule(q, now)
	}
}

func (s *standalone) callStarted(string) {}

func (s *standalone) callRecorded(string) {}

func (s *standalone) pace(*dispatcher) time.Duration { return 0 }

func (s *standalone) wakeTimes(*dispatcher, func(time.Time)) {}
