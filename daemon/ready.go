package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/schedctl/schedctl/storage"
)

// staleTick is how old the last tick of a part may be before the daemon is not
// ready; each ticks at least every 30 s.
const staleTick = 90 * time.Second

// ready returns why the daemon is not able to publish, or nil.
func (d *daemon) ready(ctx context.Context) error {
	now := time.Now()
	err := errors.Join(
		ticking("timer loop", d.loop.LastTick(), now),
		ticking("publishing loop", d.deliverer.LastTick(), now),
		ticking("webhook dispatcher", d.dispatcher.LastTick(), now),
	)
	if err != nil {
		return err
	}
	if err := d.store.View(ctx, func(storage.Reader) error { return nil }); err != nil {
		return err
	}
	return d.probe.ask(ctx)
}

// ticking returns an error when a part has not ticked lately.
func ticking(part string, last, now time.Time) error {
	if last.IsZero() {
		return fmt.Errorf("the %s has not started yet", part)
	}
	if age := now.Sub(last); age > staleTick {
		return fmt.Errorf("the %s has not ticked for %s", part, age.Round(time.Second))
	}
	return nil
}

const (
	// probeEvery is how often, at most, a write is tried: whoever asks whether the
	// daemon is ready must not be able to keep its disk busy.
	probeEvery = 10 * time.Second

	// probePatience is how long an asker waits for a write. The kernel can hold
	// one up for minutes on a disk that is going.
	probePatience = 3 * time.Second
)

// What an asker is told. Why is for the log: anybody may ask.
var (
	errRefusesWrites = errors.New("the disk refuses writes; the log of the daemon says why")
	errSlowWrite     = fmt.Errorf("the disk has not finished a write for %s", probePatience)
)

// probe finds out whether the disk takes writes, when somebody asks. The
// writes are made by its own goroutine, so that an asker need not wait for one
// that hangs.
type probe struct {
	store storage.Store
	dir   string // of the data
	log   *slog.Logger
	wake  chan struct{} // holds one question

	mu     sync.Mutex    // mu guards what follows
	begun  chan struct{} // closed when the write under way ends; nil when none is
	at     time.Time     // of the last end
	result error
}

func newProbe(store storage.Store, dir string, log *slog.Logger) *probe {
	return &probe{store: store, dir: dir, log: log, wake: make(chan struct{}, 1)}
}

// ask returns nil when the last write, not long ago or now, was possible.
func (p *probe) ask(ctx context.Context) error {
	ended := p.begin(time.Now())
	if ended == nil {
		return p.last()
	}
	patience := time.NewTimer(probePatience)
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

// begin asks for a write unless the last one is recent, and returns what is
// closed at its end.
func (p *probe) begin(now time.Time) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun == nil && !p.at.IsZero() && now.Sub(p.at) < probeEvery {
		return nil
	}
	if p.begun == nil {
		p.begun = make(chan struct{})
		p.wake <- struct{}{} // there is room: the last question was answered
	}
	return p.begun
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
			p.ended(err, time.Now())
		}
	}
}

// ended notes how a write has ended, and logs when that is news.
func (p *probe) ended(err error, now time.Time) {
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
	close(p.begun)
	p.begun = nil
}

// write stores a workspace as it is, and then tries whether a file can grow: a
// small commit finds room inside the database when the disk has none left, and
// the next larger one does not.
func (p *probe) write(ctx context.Context) error {
	err := p.store.Update(ctx, func(tx storage.Tx) error {
		workspaces, err := tx.Workspaces()
		if err != nil || len(workspaces) == 0 {
			return err
		}
		return tx.PutWorkspace(workspaces[0])
	})
	if err != nil {
		return err
	}
	return tryRoom(filepath.Join(p.dir, ".probe"))
}

// probeSize is what a commit of a long post and its indexes comes to.
const probeSize = 64 << 10

// tryRoom writes a file and removes it again.
func tryRoom(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(path)
	_, err = f.Write(make([]byte, probeSize))
	return errors.Join(err, f.Sync(), f.Close())
}
