// Package deliver publishes the targets that are due. It works the same way for
// every storage engine and every network.
//
//	Enqueue ─▶ resolve: find the account ─▶ the account's queue, oldest first
//	  claim:  one transaction decides and commits the attempt as running
//	  call:   the publisher is called; only from here on may the network have the post
//	  record: one transaction ends the attempt and updates the target
//
// # Guarantees
//
// A publisher is called only after the attempt is on disk. A call is repeated only
// if the network certainly does not have the post, or recognizes repeats. If the
// outcome of a call is unknown, the deliverer asks the network where that is
// possible. Otherwise the target fails with the outcome unknown. A call that was
// refused because the session expired is made again with a new session, within the
// same attempt. The end of a call is kept in memory until it is on disk, however
// long the store fails.
//
// Each account has one call in flight, so a call that hangs delays no other account.
// Queues are hints: a claim reads the stored records again.
//
// # Blackouts
//
// While a blackout of mode hold lasts, no target of its accounts is claimed, and no part of
// a thread either. The hold lasts until its copy leaves the account, which wakes the queue.
// Until it ends, posts with a slot are never too late: they get a new slot then.
// After the hold, targets that were due during it are at least a second apart. Only this
// process knows that they were: after a restart, only those that are more than a minute
// late are spaced.
//
// # Media
//
// The files of a post are prepared before it is due: they are made to fit the network,
// uploaded, and the network has processed them. Any remaining step runs at the due
// time, before the call. Uploads are kept in memory only. An upload is not a publication: it
// can be repeated freely, and a failure before the due time only counts if it happens
// again at the due time. A post is never published with fewer files or other bytes than
// it was scheduled with; it fails with the kind media instead.
//
// # Staged posts
//
// Some networks publish in two steps; see [publish.Stager]. Their posts are staged like
// files are uploaded: before the due time, as often as needed, and again after an edit. The
// attempt gets the id of the staged post right before the request that publishes it. An
// attempt without the id has published nothing. Any other one is settled by asking the
// network about that staged post, and later attempts publish the same one. Only if the
// network can no longer publish it, and does not have the post, is there another one.
//
// # Threads
//
// A target with several parts has an attempt for each part, in order; its first comment is
// the last part. If the network takes a whole thread in one request, one attempt publishes
// all parts. The attempt that follows a part is claimed in the transaction that records the
// part, so the target is never waiting between two parts that succeed.
//
// Nothing else of the account is published between two parts of a thread. The target keeps
// its position in the queue, and a retry between two parts pauses the account. For cases in
// which queues are in a different order, the account stores the target whose thread it has
// started, and claims of other targets wait for the end of that thread. The first comment
// may come later.
//
// A part with an unknown outcome is settled before the next one starts. A thread that
// failed continues with the first part that the network does not have when a person
// retries it. A canceled one ends with the part that is in progress. A part is sent only
// with the receipt of its parent. If the network publishes a reply without its parent, the
// rest is not published.
//
// # Several nodes
//
// With a [Member] the guarantees hold for all deliverers on a shared store together.
// The preferred node of an account claims its targets. Other nodes stand by, even
// while the preferred node works through a backlog. Correctness does not depend on
// this preference: a claim is refused while an attempt of the account is running on
// another node. No byte of a request is sent unless the lease of the attempt's owner
// is still valid. The end of an attempt is recorded only while the attempt still has
// the owner that made the call. When an owner is dead by the clock of the store, one
// node adopts its attempts in a transaction and settles them like those of an
// earlier run. A node whose lease has lapsed returns under a new id. Attempts that
// others adopted in the meantime are no longer its own.
//
// The clocks of machines may differ by seconds. A target is due by the clock of the
// machine that claims it. A node whose clock is ahead publishes early by the
// difference. A node whose clock is behind leaves its targets to the other nodes,
// which first wait 700 ms. Leases do not depend on these clocks.
//
// # Goroutines
//
// All state belongs to the dispatcher, which is the goroutine of [Deliverer.Run].
// The dispatcher never waits for the network or for a commit: those run on their own
// goroutines and report back through the mailbox.
package deliver

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/clock"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/storage"
)

const (
	// callTimeout bounds one call of a publisher. Some networks have taken six seconds
	// before they accepted a post.
	callTimeout = 30 * time.Second

	// attemptLease is longer than an attempt can take: a call, a new session and the
	// second call. The rest allows for clocks that differ.
	attemptLease = 3*callTimeout + 30*time.Second

	// StopGrace is how long calls in flight may continue after Run is asked to end.
	StopGrace = 6500 * time.Millisecond

	// defaultWorkers lets all accounts of a large installation that are due at the same
	// time share commits. A target occupies a worker for two commits and a call.
	defaultWorkers = 1024

	// sweepInterval is how often held queues are checked.
	sweepInterval = 30 * time.Second
)

// Sessions keeps the credentials of accounts that change without a person.
type Sessions interface {
	// Refresh returns credentials with a new session. The network has reported the
	// session in used as expired. Refresh may be called from any goroutine; concurrent
	// callers share one request to the network. The error has the outcome
	// not_published, and the kind auth when the network refuses the account.
	Refresh(ctx context.Context, workspaceID, accountID string, used publish.Credentials) (publish.Credentials, *publish.Error)

	// Learn adds credentials that a publisher has found out to those of an account, and
	// reports whether that has changed it. It changes nothing if the account has others than
	// those in used by now. It reads and writes no store, so it may be called in a transaction.
	Learn(account *schedctl.Account, used, learned publish.Credentials) (changed bool, err error)
}

// Config configures a [Deliverer]. Store, Publishers, Sealer, Logger, and either
// Owner or Member are required.
type Config struct {
	Store      storage.Store
	Publishers publish.Registry
	Sealer     *seal.Sealer

	// Sessions renews expired sessions. If it is nil, an expired session counts as a
	// refusal of the account.
	Sessions Sessions

	// MaxLateness is how long after its time a target may still be published. Zero
	// means 24 hours.
	MaxLateness time.Duration

	// Clock reports how far the wall clock can be trusted. If it is nil, the wall clock
	// is always trusted.
	Clock *clock.Clock

	// Owner identifies this run of the daemon in its attempts. No other run may have
	// used the same value.
	Owner string

	// Member is this daemon as a node of a store that several daemons use. The store is
	// then a [storage.Shared], and attempts have the id of the node instead of Owner.
	// Nil for a store of one process.
	Member Member

	// Observe is called for every attempt that has ended and every target that has
	// failed without an attempt, after the commit. It must not block, and is called
	// from any goroutine. It may be nil.
	Observe func(Observation)

	// Media gives access to the files of posts. If it is nil, posts with media fail.
	Media MediaSource

	// Workers is how many accounts may have a call in flight. Zero means 1024.
	Workers int

	Logger *slog.Logger
}

// Deliverer publishes targets that are due.
type Deliverer struct {
	cfg   Config
	coord coordinator
	log   *slog.Logger
	mail  mailbox
	tick  atomic.Pointer[time.Time] // the last turn
	stats struct{ inFlight, queued, held atomic.Int64 }
	lag   lag
	media mediaJobs

	accountsVersion atomic.Int64  // increases when accounts are stored
	soon            chan struct{} // has an element after a target got a time that is soon

	// preparing ends when Run is asked to end: uploads can be repeated at the next start.
	preparing context.Context
}

// New returns a deliverer. It does nothing before [Deliverer.Run].
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
	return &Deliverer{cfg: cfg, coord: newCoordinator(cfg), log: cfg.Logger, mail: newMailbox(), soon: make(chan struct{}, 1)}
}

// Enqueue adds targets that are due. Targets that no longer wait, or are queued
// already, are dropped. Enqueue never blocks and does not keep the slice. It may be
// called from any goroutine, also before Run.
func (d *Deliverer) Enqueue(due []schedctl.Due) { d.mail.enqueue(due) }

// Scheduled reports entries that were added to the due index, so that the files of posts that
// are due soon are prepared without a delay. It never blocks and may be called from any
// goroutine.
func (d *Deliverer) Scheduled(due []schedctl.Due) {
	until := time.Now().Add(videoLead).UnixMilli()
	if slices.ContainsFunc(due, func(e schedctl.Due) bool { return e.At <= until }) {
		select {
		case d.soon <- struct{}{}:
		default:
		}
	}
}

// AccountsChanged reports that accounts were stored, so that their held queues are
// tried again at once and not only at the next sweep. It never blocks and may be
// called from any goroutine.
func (d *Deliverer) AccountsChanged(ids []string) {
	d.accountsVersion.Add(1)
	d.mail.accountsChanged(ids)
}

// LastTick returns when the dispatcher last checked its queues, or the zero time
// before it first did. While Run runs, that is at least every 30 seconds. The time
// has a monotonic reading.
func (d *Deliverer) LastTick() time.Time {
	if at := d.tick.Load(); at != nil {
		return *at
	}
	return time.Time{}
}

// Stats counts the work of a deliverer.
type Stats struct {
	InFlight int // accounts with a running claim, call or recording
	Queued   int // targets that are due and not claimed, including held ones
	Held     int // targets whose account was refused or paused by its network, or that a blackout holds
}

// Stats returns the counts as of the dispatcher's last turn.
func (d *Deliverer) Stats() Stats {
	return Stats{
		InFlight: int(d.stats.inFlight.Load()),
		Queued:   int(d.stats.queued.Load()),
		Held:     int(d.stats.held.Load()),
	}
}

// Run delivers what is enqueued until ctx ends. It first settles the attempts that
// an earlier run left unfinished, and publishes nothing else for their accounts
// before that. With a [Member] it keeps looking for the attempts of dead owners.
//
// When ctx ends, Run starts nothing new. It gives calls in flight [StopGrace] to end
// and be recorded, and returns nil. Calls that have not ended by then stay running
// in the store, and the next run settles them. If ctx ends because of
// [storage.ErrBroken], Run does not wait for calls in flight.
//
// Run retries a failing store until it works. Run must be called once.
func (d *Deliverer) Run(ctx context.Context) error {
	// Calls and recordings outlive ctx by the grace period.
	work, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	endPreparing, waitPrepared := d.startPreparing(work)
	defer waitPrepared()
	defer endPreparing()
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
			endPreparing()
			grace := StopGrace
			if errors.Is(context.Cause(ctx), storage.ErrBroken) {
				grace = 0
			}
			graceOver = time.After(grace)
		case <-graceOver:
			d.log.Warn("calls in flight abandoned; the next run settles them", "calls", x.inFlight)
			return nil
		}
	}
}
