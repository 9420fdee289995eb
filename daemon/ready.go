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

// maxTickAge is how old the last tick of a part may be before the daemon is not
// ready; each ticks at least every 30 s.
const maxTickAge = 90 * time.Second

// ready returns why the daemon is not able to publish, or nil.
func (d *daemon) ready(ctx context.Context) error {
	now := time.Now()
	err := errors.Join(
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

// reachable returns nil when the database that daemons share answers, and has
// heard of this one: each of its beats is a write.
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

// reachTimeout is how long an asker waits for a database that daemons share: load
// balancers ask every second.
const reachTimeout = 900 * time.Millisecond

// errNoHeartbeat is why a daemon is not ready that is none of the nodes of its
// database.
var errNoHeartbeat = errors.New("the database takes no sign of life from this daemon; the log of the daemon says why")

// unreachableDatabase is why a daemon is not ready whose database does not answer.
type unreachableDatabase struct{ cause error }

// Error says why, and not where the database is.
func (e unreachableDatabase) Error() string {
	if trouble := storage.Explain(e.cause); trouble != "" {
		return trouble
	}
	return storage.Explain(storage.ErrUnreachable)
}

// Unwrap returns what is to be known of the cause: that it is not the daemon's.
func (e unreachableDatabase) Unwrap() []error { return []error{storage.ErrUnreachable, e.cause} }

// checkTick returns an error when a part has not ticked lately.
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
	// probeInterval is how often, at most, a write is tried: whoever asks whether the
	// daemon is ready must not be able to keep its disk busy.
	probeInterval = 10 * time.Second

	// probeTimeout is how long an asker waits for a write. The kernel can hold
	// one up for minutes on a disk that is going.
	probeTimeout = 3 * time.Second
)

// What an asker is told. Why is for the log: anybody may ask.
var (
	errRefusesWrites = errors.New("the disk refuses writes; the log of the daemon says why")
	errSlowWrite     = fmt.Errorf("the disk has not finished a write for %s", probeTimeout)
)

// fullDisk is why a daemon is not ready whose store is full.
type fullDisk struct{ cause error }

// Error says so, and not where.
func (fullDisk) Error() string {
	return "the disk of the daemon is full; make room there, and it goes on by itself"
}

// Unwrap returns the store's error.
func (e fullDisk) Unwrap() error { return e.cause }

// probe finds out whether the disk takes writes, when somebody asks. The
// writes are made by its own goroutine, so that an asker need not wait for one
// that hangs.
type probe struct {
	store storage.Store
	log   *slog.Logger
	wake  chan struct{} // holds one question

	mu      sync.Mutex    // mu guards what follows
	pending chan struct{} // closed when the write under way ends; nil when none is
	at      time.Time     // of the last end
	result  error
}

func newProbe(store storage.Store, log *slog.Logger) *probe {
	return &probe{store: store, log: log, wake: make(chan struct{}, 1)}
}

// check returns nil when the last write, not long ago or now, was possible.
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

// request asks for a write unless the last one is recent, and returns what is
// closed at its end.
func (p *probe) request(now time.Time) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pending == nil && !p.at.IsZero() && now.Sub(p.at) < probeInterval {
		return nil
	}
	if p.pending == nil {
		p.pending = make(chan struct{})
		p.wake <- struct{}{} // there is room: the last question was answered
	}
	return p.pending
}

func (p *probe) last() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.result
}

// run makes the writes that are asked for, until ctx ends.
func (p *probe) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-p.wake:
			err := p.write(ctx)
			if ctx.Err() != nil {
				return nil // nobody asks any more
			}
			p.finish(err, time.Now())
		}
	}
}

// finish notes how a write has ended, and logs when that is news.
func (p *probe) finish(err error, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err != nil && p.result == nil:
		p.log.Error("disk refuses writes", "error", err)
	case err == nil && p.result != nil:
		p.log.Info("disk takes writes again")
	}
	p.at, p.result = now, nil
	if err != nil {
		p.result = errRefusesWrites
	}
	close(p.pending)
	p.pending = nil
}

// write stores a workspace as it is. Whether there is room for more is known to
// the store.
func (p *probe) write(ctx context.Context) error {
	return p.store.Update(ctx, func(tx storage.Tx) error {
		workspaces, err := tx.Workspaces()
		if err != nil || len(workspaces) == 0 {
			return err
		}
		return tx.PutWorkspace(workspaces[0])
	})
}
