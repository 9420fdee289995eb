// Package planner does the work that is due without a request: it makes the posts of
// recurring series ahead of their time, settles blackouts that are over, and moves future
// posts when the rules of their time zone have changed.
//
// Of several nodes, one plans at a time. If two do, they do the same: every step is a
// transaction that can be repeated.
package planner

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/clock"
	"github.com/schedctl/schedctl/daemon/series"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/storage"
)

const (
	// interval is how often the planner looks for due work. A look reads two indexes.
	interval = 30 * time.Second

	// batch is how many series or blackouts are read at once.
	batch = 256

	// workers is how many transactions run at the same time. The engine of one process
	// commits them together, so that 1,000 series take less than a second. On a shared
	// database, each needs a connection, which requests and claims need, too.
	workers       = 64
	sharedWorkers = 8

	// maxBatches limits a run, so that a series that is always due cannot keep it from
	// other work. The next run continues.
	maxBatches = 50

	// overdueAfter is how long a sweep may be due before [Planner.Warning] reports it.
	overdueAfter = time.Hour

	// warningTimeout is how long [Planner.Warning] waits for the store.
	warningTimeout = time.Second

	// postpone is when a series that cannot be swept is tried again.
	postpone = time.Hour
)

// hold is the name whose holder plans.
const hold = "planner"

// Holder makes one of several nodes the holder of a name. The member of package node implements it.
type Holder interface {
	Hold(ctx context.Context, name string) (bool, error)
}

// Config holds the dependencies of a [Planner].
type Config struct {
	Store       storage.Store
	Member      Holder        // nil when no other daemon can use the store
	Clock       *clock.Clock  // nil trusts the wall clock
	MaxLateness time.Duration // how late an occurrence may still be published
	Logger      *slog.Logger

	// Observe is called after each sweep of a series, from several goroutines; nil to do
	// nothing. It must not block.
	Observe func(Observation)
}

// Observation describes a sweep of a series.
type Observation struct {
	Took   time.Duration
	Failed bool
}

// Planner does due work.
type Planner struct {
	cfg      Config
	lastTick atomic.Int64 // Unix milliseconds
	setBacks int          // of the clock, as of the last run
	started  bool         // the work of the first run is done
}

// New returns a planner. It starts no goroutine.
func New(c Config) *Planner { return &Planner{cfg: c} }

// LastTick returns when the planner last looked for work, or the zero time.
func (p *Planner) LastTick() time.Time {
	if ms := p.lastTick.Load(); ms != 0 {
		return time.UnixMilli(ms)
	}
	return time.Time{}
}

// Warning returns a sentence about series whose sweep has been due for more than an hour,
// or an empty text. It returns an empty text while the clock is not steady, and when the
// store does not respond.
func (p *Planner) Warning(ctx context.Context) string {
	if !p.cfg.Clock.Steady() {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, warningTimeout)
	defer cancel()
	due, err := storage.Read(ctx, p.cfg.Store.View, func(r storage.Reader) ([]schedctl.Series, error) {
		return r.SeriesDue(time.Now().Add(-overdueAfter), 1)
	})
	if err != nil || len(due) == 0 {
		return ""
	}
	return "posts of series should have been made since " + due[0].SweepAt.UTC().Format(time.RFC3339) + "; look at the log of the daemon for the cause"
}

// Run plans at once and then every 30 seconds, until ctx ends. Failures are logged and
// retried. It waits while the clock is not steady.
func (p *Planner) Run(ctx context.Context) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		p.lastTick.Store(time.Now().UnixMilli())
		if err := p.plan(ctx); err != nil && ctx.Err() == nil {
			p.cfg.Logger.Error("planning failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// plan does all due work, if this node is the one to do it.
func (p *Planner) plan(ctx context.Context) error {
	if !p.cfg.Clock.Steady() {
		return nil
	}
	setBacks := p.cfg.Clock.SetBacks()
	due, err := p.isDue(ctx)
	if err != nil || !due && p.started && setBacks == p.setBacks {
		return err
	}
	if held, err := p.held(ctx); err != nil || !held {
		return err
	}
	if err := p.afterSetBack(ctx, setBacks); err != nil {
		return err
	}
	if !p.started {
		if err := p.checkZones(ctx); err != nil {
			return err
		}
	}
	p.started, p.setBacks = true, setBacks
	return errors.Join(p.settle(ctx), p.sweep(ctx))
}

func (p *Planner) held(ctx context.Context) (bool, error) {
	if p.cfg.Member == nil {
		return true, nil
	}
	return p.cfg.Member.Hold(ctx, hold)
}

// isDue reports whether a sweep is due or a blackout is over.
func (p *Planner) isDue(ctx context.Context) (due bool, err error) {
	err = p.cfg.Store.View(ctx, func(r storage.Reader) error {
		now := time.Now()
		sweeps, err := r.SeriesDue(now.Add(time.Millisecond), 1)
		if err != nil {
			return err
		}
		over, err := r.BlackoutsByEnd(now.Add(time.Millisecond), 1)
		due = len(sweeps)+len(over) > 0
		return err
	})
	return due, err
}

// afterSetBack lets all series decide their occurrences again after the clock was set
// back. A clock that was ahead may have planned the next sweeps years ahead.
func (p *Planner) afterSetBack(ctx context.Context, setBacks int) error {
	if p.started && setBacks == p.setBacks {
		return nil
	}
	workspaces, newest, err := p.readStart(ctx)
	if err != nil || !p.started && !newest.After(time.Now()) {
		return err
	}
	for _, w := range workspaces {
		err := p.cfg.Store.Update(ctx, func(tx storage.Tx) error { return series.Reconsider(tx, w.ID, nil, time.Now()) })
		if err != nil {
			return err
		}
	}
	return nil
}

// readStart returns the workspaces and the time of the newest event, which is in the
// future if the clock was set back while the daemon was stopped.
func (p *Planner) readStart(ctx context.Context) (workspaces []schedctl.Workspace, newest time.Time, err error) {
	err = p.cfg.Store.View(ctx, func(r storage.Reader) (err error) {
		if workspaces, err = r.Workspaces(); err != nil {
			return err
		}
		last, err := r.LastEvent()
		if err != nil || last == "" {
			return err
		}
		e, err := r.Event(last)
		newest = e.CreatedAt
		return err
	})
	return workspaces, newest, err
}

// settle settles the blackouts that are over.
func (p *Planner) settle(ctx context.Context) error {
	over, err := storage.Read(ctx, p.cfg.Store.View, func(r storage.Reader) ([]schedctl.Blackout, error) {
		return r.BlackoutsByEnd(time.Now().Add(time.Millisecond), batch)
	})
	for i := range over {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		err = errors.Join(err, slots.Settle(ctx, p.cfg.Store, over[i].WorkspaceID, over[i].ID, time.Now))
		p.lastTick.Store(time.Now().UnixMilli())
	}
	return err
}

// sweep sweeps the series that are due.
func (p *Planner) sweep(ctx context.Context) error {
	for range maxBatches {
		due, err := storage.Read(ctx, p.cfg.Store.View, func(r storage.Reader) ([]schedctl.Series, error) {
			return r.SeriesDue(time.Now().Add(time.Millisecond), batch)
		})
		if err != nil || len(due) == 0 {
			return err
		}
		if held, err := p.held(ctx); err != nil || !held {
			return err
		}
		if err := p.sweepAll(ctx, due); err != nil {
			return err
		}
		p.lastTick.Store(time.Now().UnixMilli())
	}
	return nil
}

// sweepAll sweeps some series, several at a time.
func (p *Planner) sweepAll(ctx context.Context, due []schedctl.Series) error {
	limit := workers
	if p.cfg.Member != nil {
		limit = sharedWorkers
	}
	next, failed := make(chan schedctl.Series), make(chan error, limit)
	var wg sync.WaitGroup
	for range min(limit, len(due)) {
		wg.Go(func() {
			var errs error
			for s := range next {
				errs = errors.Join(errs, p.sweepOne(ctx, s.WorkspaceID, s.ID))
			}
			failed <- errs
		})
	}
	for _, s := range due {
		next <- s
	}
	close(next)
	wg.Wait()
	close(failed)
	var errs error
	for err := range failed {
		errs = errors.Join(errs, err)
	}
	return errs
}

// sweepOne sweeps a series, unless another node has. A series that cannot be swept, because
// this daemon does not know its zone, waits for an hour.
func (p *Planner) sweepOne(ctx context.Context, workspaceID, id string) error {
	started := time.Now()
	err := p.change(ctx, workspaceID, id, func(tx storage.Tx, s *schedctl.Series, now time.Time) error {
		return series.Make(tx, s, series.Sweep{Now: now, MaxLateness: p.cfg.MaxLateness})
	})
	if p.cfg.Observe != nil {
		p.cfg.Observe(Observation{Took: time.Since(started), Failed: err != nil})
	}
	if schedctl.CodeOf(err) != schedctl.ValidationFailed {
		return err
	}
	p.cfg.Logger.Error("cannot sweep a series", "series", id, "error", err)
	return p.change(ctx, workspaceID, id, func(tx storage.Tx, s *schedctl.Series, now time.Time) error {
		s.SweepAt = schedctl.Millis(now.Add(postpone))
		return tx.PutSeries(*s)
	})
}

// change changes a series whose sweep is due, in a transaction.
func (p *Planner) change(ctx context.Context, workspaceID, id string, fn func(storage.Tx, *schedctl.Series, time.Time) error) error {
	return p.cfg.Store.Update(ctx, func(tx storage.Tx) error {
		now := time.Now()
		s, err := tx.Series(workspaceID, id)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			return nil
		}
		if err != nil || s.SweepAt.IsZero() || s.SweepAt.After(now) {
			return err
		}
		return fn(tx, &s, now)
	})
}
