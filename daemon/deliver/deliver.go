// Package deliver takes targets that are due through claim, call and record,
// for every engine and every network alike.
//
//	Enqueue ─▶ resolve: which account? ─▶ the account's queue, oldest first
//	  claim:  one transaction decides and commits the attempt as running
//	  call:   the publisher is called; only now may the network have the post
//	  record: one transaction ends the attempt and moves the target
//
// # What is guaranteed
//
// No call is made before its attempt is on disk, and none is repeated unless
// the network cannot have the post, or recognises a repeat. A call whose outcome
// is unknown is settled by asking the network where it can be asked, and else
// the target fails and says so. A call that an expired session was refused for is
// made again with a new one, within its attempt. The end of a call is kept until it is on disk,
// however long the store refuses it.
//
// An account has one call in flight, so that one that hangs delays no other.
// Queues are hints: what is in them is read again when it is claimed.
//
// # Several deliverers
//
// With a [Member] the same holds for all deliverers on one store together. Who is
// preferred for an account claims its targets, and the others stand by, also while it
// is late because it works on a backlog; nothing rests on that, for a claim is refused while another's attempt of the account has
// no end. Of a call nothing leaves unless the lease of its attempt's owner runs. The
// end of an attempt is recorded as long as it has the owner that made the call. When
// the owner is dead by the clock of the store, one deliverer makes itself the owner,
// in a transaction, and settles the attempt as one of an earlier run. Who was away
// for longer than its lease comes back under another name, and loses what others
// have adopted meanwhile.
//
// Clocks of machines may differ by seconds. What is due is due by the clock of the
// machine that claims: one whose clock is ahead publishes as much too early, by a
// right clock, and one whose clock is behind leaves what is its own to the others,
// who wait for a moment first. Leases do not go by these clocks.
//
// # Goroutines
//
// All state belongs to the goroutine of [Deliverer.Run], the dispatcher's. It
// never waits for the network nor for a commit: those have goroutines of their
// own, which report back through the mailbox.
package deliver

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/clock"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/storage"
)

const (
	// callTimeout bounds one call of a publisher. Networks were seen to take six
	// seconds for what they then accept.
	callTimeout = 30 * time.Second

	// attemptLease is longer than an attempt may take, which is a call, a new session
	// and the call again, for the clocks of machines that share a database.
	attemptLease = 3*callTimeout + 30*time.Second

	// stopGrace is how long calls in flight may go on when Run is to end.
	stopGrace = 20 * time.Second

	// defaultWorkers lets all accounts of a large installation that are due at
	// once share commits: a target holds its worker for two of them and a call.
	defaultWorkers = 1024

	// sweepInterval is how often held targets are looked at.
	sweepInterval = 30 * time.Second
)

// Sessions gives accounts new sessions.
type Sessions interface {
	// Refresh returns credentials with another session than the one in used,
	// which the account's network has called expired. It may be called from any
	// goroutine; those who ask at the same time share one question to the
	// network. The error has the outcome not_published, and is of kind auth when
	// the network refuses the account.
	Refresh(ctx context.Context, workspaceID, accountID string, used publish.Credentials) (publish.Credentials, *publish.Error)
}

// Config is what a [Deliverer] works with. Store, Publishers, Sealer,
// Logger, and Owner or Member are required.
type Config struct {
	Store      storage.Store
	Publishers publish.Registry
	Sealer     *seal.Sealer

	// Sessions is asked when a session has expired; without it that is a refusal
	// of the account.
	Sessions Sessions

	// MaxLateness is how long after its time a target may still go out; zero
	// for 24 hours.
	MaxLateness time.Duration

	// Clock says how far the wall clock can be believed; nil to believe it.
	Clock *clock.Clock

	// Owner names this run of the daemon in its attempts. No other run may have
	// had the same name.
	Owner string

	// Member is this daemon among those that use the store, which is a
	// [storage.Shared] then; nil for a store of one process. Attempts have its id
	// instead of Owner.
	Member Member

	// Observe is told of every attempt that has ended, and of every target that
	// has failed without one, once that is on disk; nil for nobody. It must not
	// block, and is called from any goroutine.
	Observe func(Observation)

	// Workers is how many accounts may have a call in flight; zero for 1024.
	Workers int

	Logger *slog.Logger
}

// Deliverer publishes targets that are due.
type Deliverer struct {
	cfg    Config
	shared storage.Shared // with cfg.Member

	// With cfg.Member: by what names the deliverer goes, or has gone, and which
	// attempts it has adopted, or perhaps has.
	ownIDs, adoptedIDs idSet
	log                *slog.Logger
	mail               mailbox
	tick               atomic.Pointer[time.Time] // the last turn
	stats              struct{ inFlight, queued, held atomic.Int64 }
	lag                lag
}

// New returns a deliverer that does nothing before [Deliverer.Run].
func New(cfg Config) *Deliverer {
	if cfg.MaxLateness == 0 {
		cfg.MaxLateness = 24 * time.Hour
	}
	if cfg.Workers == 0 {
		cfg.Workers = defaultWorkers
	}
	if cfg.Observe == nil {
		cfg.Observe = func(Observation) {}
	}
	d := &Deliverer{cfg: cfg, log: cfg.Logger, mail: newMailbox()}
	if cfg.Member != nil {
		d.shared = cfg.Store.(storage.Shared)
	}
	return d
}

// Enqueue hands over targets whose time has come. Those that wait for nothing,
// or are queued already, are dropped. It never blocks, does not keep the slice,
// and may be called from any goroutine, also before Run.
func (d *Deliverer) Enqueue(due []schedctl.Due) { d.mail.enqueue(due) }

// AccountsChanged tells that accounts were stored, so that held queues are
// tried again at once and not with the next sweep. It never blocks and may be
// called from any goroutine.
func (d *Deliverer) AccountsChanged(ids []string) { d.mail.accountsChanged(ids) }

// LastTick returns when the dispatcher last looked at its queues, or the zero
// time before it first did. A running one looks at least every 30 seconds. It
// has a monotonic reading.
func (d *Deliverer) LastTick() time.Time {
	if at := d.tick.Load(); at != nil {
		return *at
	}
	return time.Time{}
}

// Stats counts what a deliverer has in hand.
type Stats struct {
	InFlight int // accounts with a claim, a call or a recording under way
	Queued   int // targets that are due and not claimed, held ones included
	Held     int // targets whose account is refused or paused by its network
}

// Stats returns the counts of the last turn.
func (d *Deliverer) Stats() Stats {
	return Stats{
		InFlight: int(d.stats.inFlight.Load()),
		Queued:   int(d.stats.queued.Load()),
		Held:     int(d.stats.held.Load()),
	}
}

// Run first settles the attempts that an earlier run has left without an end,
// and publishes nothing else for their accounts until they are; with a [Member] it
// goes on looking for those of dead owners. It delivers what
// is enqueued until ctx ends. Then it begins nothing more, gives the calls in
// flight 20 seconds to end and be recorded, and returns nil. What has not ended
// by then is left running in the store, to be settled by the next run; so is all
// that is in flight, at once, when ctx ends because of [storage.ErrBroken].
//
// A store that fails is tried again until it works. Run must be called once.
func (d *Deliverer) Run(ctx context.Context) error {
	// Calls and recordings outlive ctx by the grace period.
	work, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	x := newDispatcher(d)
	timer := time.NewTimer(0)
	defer timer.Stop()
	stop := ctx.Done()
	var graceOver <-chan time.Time
	for {
		x.turn(work)
		if x.stopping && x.inFlight == 0 {
			x.jobs.Wait()
			return nil
		}
		timer.Reset(x.sleep())
		select {
		case <-d.mail.wake:
		case <-timer.C:
		case <-stop:
			x.stopping, stop = true, nil
			grace := stopGrace
			if errors.Is(context.Cause(ctx), storage.ErrBroken) {
				grace = 0
			}
			graceOver = time.After(grace)
		case <-graceOver:
			d.log.Warn("calls in flight abandoned, the next start settles them", "calls", x.inFlight)
			return nil
		}
	}
}
