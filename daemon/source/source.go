// Package source makes posts of items that come from elsewhere: of feeds, which it reads, and
// of other programs, which send them.
//
// An item becomes a post at most once. Items are known by their keys, and the item, its keys
// and its post are stored in one transaction, which reads the source first. One node at a time
// works on a source: it claims the source for some minutes, and stores nothing if the claim has
// ended. When a feed behaves oddly, the source is held, and nothing is made.
//
// Posts are made by the use case that makes those of clients, with the API key of the source,
// so that a source never does more than its key may.
package source

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/clock"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/source/fetch"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

const (
	// interval is how often the runner looks for sources that are due.
	interval = 5 * time.Second

	// workers is how many hosts are asked at the same time.
	workers = 4

	// maxDue bounds how many sources a look works on, and perHost how many of one host: others
	// do not wait longer for a host that is slow.
	maxDue, perHost = 500, 10

	// claim is how long a node may work on a source.
	claim = 3 * time.Minute
)

// Member is this daemon as one of several nodes. The member of package node implements it.
type Member interface {
	Mine(key string) bool // reports whether this node is the preferred one for a host
}

// Credentials is how the URL of a source is read.
type Credentials struct {
	Username, Password      string
	HeaderName, HeaderValue string
}

// Config holds the dependencies of a [Runner]. All but Files, Member, Clock, Now, Fetched and Counted are required.
type Config struct {
	Store   storage.Store
	Cases   *usecase.Service
	Fetcher *fetch.Fetcher
	Files   *media.Service                              // stores pictures; nil for a daemon without media
	Open    func(*schedctl.Source) (Credentials, error) // opens the sealed credentials
	Member  Member                                      // nil when no other daemon can use the store
	Clock   *clock.Clock                                // nil trusts the wall clock
	Logger  *slog.Logger
	Now     func() time.Time // nil for the wall clock

	Fetched func(outcome string)     // is called after each fetch; may be nil
	Counted func(schedctl.ItemState) // is called for each item that got a state; may be nil
}

// Runner makes the posts of sources. Its methods may be called from any goroutine.
type Runner struct{ cfg Config }

// New returns a runner. It starts no goroutine.
func New(c Config) *Runner {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Fetched == nil {
		c.Fetched = func(string) {}
	}
	if c.Counted == nil {
		c.Counted = func(schedctl.ItemState) {}
	}
	return &Runner{cfg: c}
}

// Run works on the sources that are due until ctx ends. Failures are logged and retried.
func (r *Runner) Run(ctx context.Context) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		if err := r.Look(ctx); err != nil && ctx.Err() == nil {
			r.cfg.Logger.Error("looking for due sources failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Look works on the sources that are due now. Those of one host follow each other. It does
// nothing while the clock is in doubt or the disk is full.
func (r *Runner) Look(ctx context.Context) error {
	if !r.cfg.Clock.Steady() || r.cfg.Store.Full() != nil {
		return nil
	}
	var due []schedctl.Source
	err := r.cfg.Store.View(ctx, func(s storage.Reader) (err error) {
		due, err = s.SourcesDue(r.cfg.Now().Add(time.Millisecond), maxDue)
		return err
	})
	if err != nil {
		return err
	}
	var hosts []string
	byHost := map[string][]schedctl.Source{}
	for i := range due {
		host := hostOf(due[i].URL)
		if r.cfg.Member != nil && !r.cfg.Member.Mine("source "+host) {
			continue
		}
		switch len(byHost[host]) {
		case perHost:
			continue // with the next look
		case 0:
			hosts = append(hosts, host)
		}
		byHost[host] = append(byHost[host], due[i])
	}
	next := make(chan []schedctl.Source)
	var wg sync.WaitGroup
	for range min(workers, len(hosts)) {
		wg.Go(func() {
			for list := range next {
				for i := range list {
					r.workOn(ctx, &list[i])
				}
			}
		})
	}
	for _, host := range hosts {
		next <- byHost[host]
	}
	close(next)
	wg.Wait()
	return ctx.Err()
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// workOn works on a source of a look, and logs a failure.
func (r *Runner) workOn(ctx context.Context, s *schedctl.Source) {
	if ctx.Err() != nil {
		return
	}
	if s.State == schedctl.SourceRemoved {
		if err := r.forget(ctx, s); err != nil && ctx.Err() == nil {
			r.cfg.Logger.Warn("forgetting a source failed", "source", s.ID, "error", err)
		}
		return
	}
	if _, err := r.work(ctx, s.WorkspaceID, s.ID, false); err != nil && ctx.Err() == nil {
		r.cfg.Logger.Warn("working on a source failed", "source", s.ID, "error", err)
	}
}

// job is the work on a source that this node has claimed.
type job struct {
	*Runner
	source  schedctl.Source
	key     schedctl.APIKey // the source acts for it
	claimed time.Time       // the end of the claim, which identifies it
	asked   bool            // a person asked for the post
	result  Result
	counted []schedctl.ItemState // of the items of the document
}

// Result is what came of the work on a source.
type Result struct {
	Outcome string // of a fetch: new, unchanged, held or failed; empty without one
	Items   int    // in the feed
	New     int    // that were not known
	Posts   int    // that were made
}

// work claims a source, reads its feed if it is due or now is set, and makes posts of items.
func (r *Runner) work(ctx context.Context, workspaceID, id string, now bool) (Result, error) {
	j, err := r.claim(ctx, workspaceID, id, now)
	if err != nil || j == nil {
		return Result{}, err
	}
	fetched := now || j.fetches()
	if fetched {
		err = j.fetch(ctx)
	}
	if err == nil && makes(&j.source) {
		err = j.makeDue(ctx)
	}
	if err == nil {
		err = j.prune(ctx)
	}
	if err = errorsJoin(err, j.release(context.WithoutCancel(ctx))); errors.Is(err, errTaken) {
		err = nil // a person or another node decided otherwise
	}
	return j.result, err
}

// makes reports whether a source makes posts now. With a delay, the feed has to be read first.
func makes(s *schedctl.Source) bool {
	return s.State == schedctl.SourceActive && (s.Delay == 0 || s.Failures == 0 || s.Kind == schedctl.SourceWebhook)
}

// claim takes a source for this node, or returns nil if it is not due, or another node works on
// it. A source whose key may do less than it needs is held.
func (r *Runner) claim(ctx context.Context, workspaceID, id string, always bool) (j *job, err error) {
	now := schedctl.Millis(r.cfg.Now())
	err = r.cfg.Store.Update(ctx, func(tx storage.Tx) error {
		j = nil
		s, err := tx.Source(workspaceID, id)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		working := s.State == schedctl.SourceActive || s.State == schedctl.SourceError
		if !working || now.Before(s.ClaimedUntil) || !always && (s.WakeAt.IsZero() || now.Before(s.WakeAt)) {
			return nil
		}
		key, err := tx.Key(workspaceID, s.KeyID)
		if err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
			return err
		}
		if err == nil {
			err = usecase.SourceMay(&key, &s, now)
		}
		if err != nil {
			return hold(tx, &s, schedctl.SourceOwnerGone, "the API key of the source is gone, or may do less: "+messageOf(err), now)
		}
		s.ClaimedUntil = now.Add(claim)
		s.WakeAt = s.ClaimedUntil
		j = &job{Runner: r, source: s, key: key, claimed: s.ClaimedUntil}
		return tx.PutSource(s)
	})
	return j, err
}

// fetches reports whether the feed is read now: it is due, or an item is, and its delay is
// over, so that a slip that was taken back is not announced.
func (j *job) fetches() bool {
	s := &j.source
	return s.Kind == schedctl.SourceFeed && !s.NextFetchAt.IsZero() && (!j.cfg.Now().Before(s.NextFetchAt) || s.Delay > 0 && makes(s))
}

// mine reads the source of a job in a transaction. It returns errTaken if the claim has ended,
// or a person has stopped the source since.
func (j *job) mine(tx storage.Tx) (schedctl.Source, error) {
	s, err := tx.Source(j.source.WorkspaceID, j.source.ID)
	if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && (!s.ClaimedUntil.Equal(j.claimed) || s.State != j.source.State || s.URL != j.source.URL) {
		err = errTaken
	}
	return s, err
}

// release ends the claim, and sets the next time at which the daemon works on the source.
func (j *job) release(ctx context.Context) error {
	return j.cfg.Store.Update(ctx, func(tx storage.Tx) error {
		s, err := tx.Source(j.source.WorkspaceID, j.source.ID)
		if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && !s.ClaimedUntil.Equal(j.claimed) {
			return nil
		}
		if err != nil {
			return err
		}
		s.ClaimedUntil = time.Time{}
		if s.WakeAt.Equal(j.claimed) { // a person may have set another time
			s.WakeAt = s.NextFetchAt
		}
		if makes(&s) {
			due, err := nextDue(tx, &s)
			if err != nil {
				return err
			}
			if !due.IsZero() && (s.WakeAt.IsZero() || due.Before(s.WakeAt)) {
				s.WakeAt = due
			}
		}
		return tx.PutSource(s)
	})
}

// hold stops a source until a person decides, and emits an event.
func hold(tx storage.Tx, s *schedctl.Source, code, message string, now time.Time) error {
	s.Hold(code, message, now)
	s.Sleeps()
	return errorsJoin(tx.PutSource(*s), tx.AddEvents(schedctl.SourceEvent(schedctl.EventSourceHeld, s, now)))
}

// spread returns a duration that differs by up to a tenth.
func spread(d time.Duration) time.Duration {
	return d - d/10 + time.Duration(rand.Int64N(int64(d/5)+1))
}
