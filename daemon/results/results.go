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

	// requestsPerHour is how many requests an account may cost in an hour.
	requestsPerHour = 60

	// firstPause and lastPause are the pauses after readings that a network did not respond
	// to, or for which it gave no time.
	firstPause, lastPause = 15 * time.Minute, 24 * time.Hour
)

// Member is this daemon as one of several nodes. The member of package node implements it.
type Member interface {
	Mine(key string) bool // reports whether this node is the preferred one for an account
}

// Sessions are the credentials of accounts. The connector of package connect implements it.
type Sessions interface {
	Open(schedctl.Account) (publish.Credentials, error)
	Refresh(ctx context.Context, workspaceID, accountID string, used publish.Credentials) (publish.Credentials, *publish.Error)
}

// Config holds the dependencies of a [Reader]. All but Member and Clock are required.
type Config struct {
	Store      storage.Store
	Publishers publish.Registry // with connections of their own
	Sessions   Sessions
	Member     Member       // nil when no other daemon can use the store
	Clock      *clock.Clock // nil trusts the wall clock
	Logger     *slog.Logger
}

// Reader reads the results of published posts.
type Reader struct {
	cfg      Config
	enrolled atomic.Bool // the posts from before the start are known

	mu    sync.Mutex // mu guards usage
	usage map[string]usage
}

// usage is what this node knows about the readings of an account.
type usage struct {
	hour     time.Time // when the current hour began
	requests int       // in this hour
	failures int       // since the last success
}

// New returns a reader. It starts no goroutine.
func New(c Config) *Reader { return &Reader{cfg: c, usage: map[string]usage{}} }

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

// look enrolls new publications and reads what is due. It does nothing while the clock is in
// doubt or the disk is full.
func (r *Reader) look(ctx context.Context) error {
	if !r.cfg.Clock.Steady() || r.cfg.Store.Full() != nil {
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

// rulesOf returns the rules for the readings of an account. ok is false if it has no results.
func (r *Reader) rulesOf(a *schedctl.Account) (reader publish.ResultsReader, rules publish.ResultsRules, ok bool) {
	reader, ok = r.cfg.Publishers[a.Platform].(publish.ResultsReader)
	if !ok || a.Status != schedctl.AccountConnected || r.cfg.Member != nil && !r.cfg.Member.Mine(a.ID) {
		return nil, rules, false
	}
	rules = reader.ResultsRules(*a)
	return reader, rules, rules.Refused == "" && !rules.Off
}

// allow counts requests of an account and reports whether it may have another. until is when
// it may if not.
func (r *Reader) allow(accountID string, requests int, now time.Time) (until time.Time, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	u := r.usage[accountID]
	if now.Sub(u.hour) >= time.Hour || now.Before(u.hour) {
		u.hour, u.requests = now, 0
	}
	u.requests += requests
	r.usage[accountID] = u
	return u.hour.Add(time.Hour), u.requests < requestsPerHour
}

// pause returns how long to wait after another failed reading of an account, or 0 after a
// success.
func (r *Reader) pause(accountID string, failed bool) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	u := r.usage[accountID]
	if u.failures++; !failed {
		u.failures = 0
	}
	r.usage[accountID] = u
	if !failed {
		return 0
	}
	return min(firstPause<<min(u.failures-1, 10), lastPause)
}
