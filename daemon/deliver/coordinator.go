package deliver

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// coordinator is what differs between a daemon that uses its store alone
// ([standalone]) and one of several nodes on a shared store ([fleet]).
type coordinator interface {
	ownership
	dispatching
}

// ownership decides which attempts belong to this deliverer. Its methods may be
// called from any goroutine.
type ownership interface {
	// currentOwner returns the owner to store in attempts that start now.
	currentOwner() string

	// startedHere reports whether this run of the deliverer started the attempt.
	// It is false for attempts that were adopted from a dead node.
	startedHere(a schedctl.Attempt) bool

	// mayCall reports whether requests may still be sent for attempts of an owner.
	mayCall(owner string) bool

	// withLeaseGuard returns a context whose requests are refused once mayCall is false.
	withLeaseGuard(ctx context.Context, owner string) context.Context

	// waitsForNode returns a decision to wait when another node calls the network for
	// the account, or has just published an overdue target of it.
	waitsForNode(c *claimTx, it claimItem, t *schedctl.Target, a *schedctl.Account) (d claimDecision, waits bool, err error)

	// renew gives an attempt that this deliverer starts late its current owner, start
	// and lease.
	renew(c *claimTx, a *schedctl.Attempt)

	// isOpen reports whether the end of an attempt still has to be recorded.
	isOpen(r *recordTx, e *attemptEnd) (bool, error)

	// mayRebase reports whether the times of a post can come from a clock that was set
	// back, and not from a node whose clock is ahead.
	mayRebase(p *schedctl.Post, now time.Time) bool
}

// dispatching is the part of a dispatcher's turn that depends on other nodes. Its
// methods are called by the dispatcher's goroutine.
type dispatching interface {
	// ready reports whether targets may be delivered. It may first have to recover the
	// attempts of earlier runs.
	ready(ctx context.Context, x *dispatcher, now time.Time) bool

	// adopt takes over the attempts of dead nodes.
	adopt(ctx context.Context, x *dispatcher, now time.Time)

	// resolve puts the first n targets of x.due into their queues. Those in fresh are
	// not known to the dispatcher yet.
	resolve(ctx context.Context, x *dispatcher, n int, fresh []schedctl.Due, now time.Time)

	// gathering reports whether resolving waits for more targets.
	gathering(x *dispatcher) bool

	// mayClaim reports whether attempts may start.
	mayClaim(x *dispatcher, now time.Time) bool

	// claimsNext reports whether the next target of an account may be claimed in the
	// transaction that records the one before.
	claimsNext() bool

	// standsBy removes the first ready queue when its account is left to another node
	// for now, and reports whether it did.
	standsBy(x *dispatcher, q *queue, now time.Time) bool

	// checkStandby checks whether the queues that stand by still have targets waiting.
	checkStandby(ctx context.Context, x *dispatcher, now time.Time)

	// checkHeld updates the queues of held accounts from the store.
	checkHeld(ctx context.Context, x *dispatcher, held []*queue, now time.Time)

	// callStarted and callRecorded frame the time in which an attempt is in hand.
	callStarted(attemptID string)
	callRecorded(attemptID string)

	// pace returns how long a transaction may be delayed to gather more work.
	pace(x *dispatcher) time.Duration

	// wakeTimes calls until with the times at which the dispatcher has to wake.
	wakeTimes(x *dispatcher, until func(time.Time))
}

// newCoordinator returns the coordinator for a configuration.
func newCoordinator(cfg Config) coordinator {
	if cfg.Member == nil {
		return &standalone{owner: cfg.Owner}
	}
	return newFleet(cfg.Member, cfg.Store.(storage.Shared))
}

// prepare reads in one request what a transaction needs about the targets of a
// batch, if the store can do that.
func prepare[T any](r storage.Reader, batch []T, targetID func(*T) string) error {
	return prepareBy(storage.Prepare, r, batch, targetID)
}

func prepareBy[T any](by func(storage.Reader, []string) error, r storage.Reader, batch []T, targetID func(*T) string) error {
	if _, ok := r.(storage.Preparer); !ok {
		return nil
	}
	ids := make([]string, len(batch))
	for i := range batch {
		ids[i] = targetID(&batch[i])
	}
	return by(r, ids)
}
