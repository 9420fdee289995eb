package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/schedctl/schedctl/storage"
)

// maxTickAge is how old the last tick of a part of a ready daemon may be. Each part
// ticks at least every 30 seconds.
const maxTickAge = 90 * time.Second

// ready returns why the daemon cannot publish, or nil.
func (d *daemon) ready(ctx context.Context) error {
	now := time.Now()
	err := errors.Join(
		checkTick("planner", d.planner.LastTick(), now),
		checkTick("timer loop", d.loop.LastTick(), now),
		checkTick("publishing loop", d.deliverer.LastTick(), now),
		checkTick("webhook dispatcher", d.dispatcher.LastTick(), now),
	)
	if err != nil {
		return err
	}
	if err := d.store.Full(); err != nil {
		return fullDisk{err}
	}
	if d.member != nil {
		return d.reachable(ctx)
	}
	if err := d.store.View(ctx, func(storage.Reader) error { return nil }); err != nil {
		return err
	}
	return d.probe.check(ctx)
}

// reachable returns nil when the shared database responds and the lease of this node is
// valid. A separate write test is not needed, because each heartbeat is a write.
func (d *daemon) reachable(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	if err := d.store.View(ctx, func(storage.Reader) error { return nil }); err != nil {
		return unreachableDatabase{err}
	}
	if d.member.Alive() {
		return nil
	}
	if err := d.member.LastError(); storage.Explain(err) != "" {
		return unreachableDatabase{err}
	}
	return errNoHeartbeat
}

// reachTimeout is how long a readiness check waits for a shared database. Load
// balancers check every second.
const reachTimeout = 900 * time.Millisecond

// errNoHeartbeat means that the lease of this node is not valid, for an unknown reason.
var errNoHeartbeat = errors.New("the heartbeat of this daemon failed; see its log for the cause")

// unreachableDatabase means that the database does not respond.
type unreachableDatabase struct{ cause error }

// Error returns the cause without the address of the database.
func (e unreachableDatabase) Error() string {
	if trouble := storage.Explain(e.cause); trouble != "" {
		return trouble
	}
	return storage.Explain(storage.ErrUnreachable)
}

// Unwrap marks the error as [storage.ErrUnreachable].
func (e unreachableDatabase) Unwrap() []error { return []error{storage.ErrUnreachable, e.cause} }

// checkTick returns an error when the last tick of a part is too old.
func checkTick(part string, last, now time.Time) error {
	if last.IsZero() {
		return fmt.Errorf("the %s has not started yet", part)
	}
	if age := now.Sub(last); age > maxTickAge {
		return fmt.Errorf("the %s has not ticked for %s", part, age.Round(time.Second))
	}
	return nil
}

const (
	// probeInterval is the shortest time between two test writes, so that readiness
	// checks cannot keep the disk busy.
	probeInterval = 10 * time.Second

	// probeTimeout is how long a readiness check waits for a test write. On a failing
	// disk, a write can hang in the kernel for minutes.
	probeTimeout = 3 * time.Second
)

// Readiness checks need no API key, so these errors hold no details. The log does.
var (
	errRefusesWrites = errors.New("the disk refuses writes; see the log of the daemon for the cause")
	errSlowWrite     = fmt.Errorf("the disk has not finished a write for %s", probeTimeout)
)

// fullDisk means that the store is full.
type fullDisk struct{ cause error }

// Error does not show where the store is.
func (fullDisk) Error() string {
	return "the disk of the daemon is full; free some space, and the daemon continues automatically"
}

// Unwrap returns the error of the store.
func (e fullDisk) Unwrap() error { return e.cause }

// probe tests on request whether the disk accepts writes. It writes in a goroutine of
// its own, so that callers do not wait for a write that hangs.
type probe struct {
	store storage.Store
	log   *slog.Logger
	wake  chan struct{} // holds one request

	mu      sync.Mutex    // mu guards what follows
	pending chan struct{} // closed when the current write ends; nil without one
	at      time.Time     // when the last write ended
	result  error
}

func newProbe(store storage.Store, log *slog.Logger) *probe {
	return &probe{store: store, log: log, wake: make(chan struct{}, 1)}
}

// check returns the result of a recent test write, or makes a new one. It waits for
// [probeTimeout] at most.
func (p *probe) check(ctx context.Context) error {
	ended := p.request(time.Now())
	if ended == nil {
		return p.last()
	}
	patience := time.NewTimer(probeTimeout)
	defer patience.Stop()
	select {
	case <-ended:
		return p.last()
	case <-patience.C:
		return errSlowWrite
	case <-ctx.Done():
		return ctx.Err()
	}
}

// request requests a write unless the last one is recent. It returns a channel that is
// closed when the write ends, or nil.
func (p *probe) request(now time.Time) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pending == nil && !p.at.IsZero() && now.Sub(p.at) < probeInterval {
		return nil
	}
	if p.pending == nil {
		p.pending = make(chan struct{})
		p.wake <- struct{}{} // never blocks: the previous request was received
	}
	return p.pending
}

func (p *probe) last() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.result
}

// run makes the requested writes until ctx ends.
func (p *probe) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-p.wake:
			err := p.write(ctx)
			if ctx.Err() != nil {
				return nil
			}
			p.finish(err, time.Now())
		}
	}
}

// finish stores the result of a write, and logs when it changed.
func (p *probe) finish(err error, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err != nil && p.result == nil:
		p.log.Error("disk refuses writes", "error", err)
	case err == nil && p.result != nil:
		p.log.Info("disk accepts writes again")
	}
	p.at, p.result = now, nil
	if err != nil {
		p.result = errRefusesWrites
	}
	close(p.pending)
	p.pending = nil
}

// write stores a workspace unchanged. The store itself reports whether it is full.
func (p *probe) write(ctx context.Context) error {
	return p.store.Update(ctx, func(tx storage.Tx) error {
		workspaces, err := tx.Workspaces()
		if err != nil || len(workspaces) == 0 {
			return err
		}
		return tx.PutWorkspace(workspaces[0])
	})
}
