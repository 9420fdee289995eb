// Package results reads what became of published posts: the numbers that their networks
// report, and whether the networks still have them.
//
// Reading is never in the way of publishing. An account is read only while it publishes
// nothing and has nothing due within a minute, by few workers, with an HTTP client of their
// own. A failed reading changes no number, and no account.
//
// Of several nodes, the one that an account prefers reads its posts. The time of the next
// reading is stored with each target, and a reading is stored only if that time has not
// changed, so that two nodes that read the same do no harm.
package results

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/clock"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

const (
	// interval is how often the reader looks for posts to read.
	interval = time.Minute

	// workers is how many accounts are read at the same time.
	workers = 2

	// readingTimeout bounds one reading.
	readingTimeout = 30 * time.Second

	// lookAhead is how early a target may be read together with one that is due.
	lookAhead = 15 * time.Minute

	// maxDue bounds how many targets a look reads.
	maxDue = 5_000

	// quiet is how long nothing of an account may be due before it is read.
	quiet = time.Minute
)

// Member is this daemon as one of several nodes. The member of package node implements it.
type Member interface {
	Mine(key string) bool // reports whether this node is the preferred one for an account
	Alive() bool          // reports whether the lease of this node is valid
}

// Sessions are the credentials of accounts. The connector of package connect implements it.
type Sessions interface {
	Open(schedctl.Account) (publish.Credentials, error)
	Refresh(ctx context.Context, workspaceID, accountID string, used publish.Credentials) (publish.Credentials, *publish.Error)
}

// Config holds the dependencies of a [Reader]. All but Member, Clock, Verify and Observe are
// required.
type Config struct {
	Store      storage.Store
	Publishers publish.Registry // with connections of their own
	Sessions   Sessions
	Member     Member       // nil when no other daemon can use the store
	Clock      *clock.Clock // nil trusts the wall clock
	Logger     *slog.Logger

	// Verify reports whether the network refuses the credentials of an account. It changes
	// no account. Nil leaves that to the checks of the day.
	Verify func(context.Context, schedctl.Account) (refused bool)

	// Observe, if not nil, is told of each reading.
	Observe func(Observation)
}

// Observation is a reading, for metrics.
type Observation struct {
	Platform string
	Outcome  string // "ok", or why there are no numbers; empty for a removal
	Cost     int64  // in millionths of a US dollar
	Removed  int    // posts that the network no longer has, for certain
}

// Reader reads the results of published posts.
type Reader struct {
	cfg      Config
	enrolled atomic.Bool // the posts from before the start are known

	mu       sync.Mutex // mu guards accounts
	accounts map[string]waiting
}

// New returns a reader. It starts no goroutine.
func New(c Config) *Reader { return &Reader{cfg: c, accounts: map[string]waiting{}} }

// Run reads every minute until ctx ends. Failures are logged and retried.
func (r *Reader) Run(ctx context.Context) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		if err := r.look(ctx); err != nil && ctx.Err() == nil {
			r.cfg.Logger.Error("reading results failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// idle reports whether nothing may be read: the clock is in doubt, the disk is full, or the
// node must not act.
func (r *Reader) idle() bool {
	return !r.cfg.Clock.Steady() || r.cfg.Store.Full() != nil || r.cfg.Member != nil && !r.cfg.Member.Alive()
}

// look enrolls new publications and reads what is due, unless it must be idle.
func (r *Reader) look(ctx context.Context) error {
	if r.idle() {
		return nil
	}
	if err := r.enroll(ctx); err != nil {
		return err
	}
	batches, err := r.due(ctx, time.Now())
	if err != nil {
		return err
	}
	next := make(chan batch)
	var wg sync.WaitGroup
	for range min(workers, len(batches)) {
		wg.Go(func() {
			for b := range next {
				r.readAccount(ctx, b)
			}
		})
	}
	for _, b := range batches {
		next <- b
	}
	close(next)
	wg.Wait()
	return ctx.Err()
}
