package webhook

import (
	"context"
	"log/slog"
	"time"

	"github.com/schedctl/schedctl/storage"
)

// maxSleep bounds how long a clock that was set, or a machine that was suspended,
// goes unnoticed: timers do not see either.
const maxSleep = 30 * time.Second

// sleepUntil waits until a time, or for 30 seconds, or until it is woken or ctx ends.
// With the zero time it waits to be woken.
func sleepUntil(ctx context.Context, until time.Time, wake <-chan struct{}) {
	var over <-chan time.Time
	if !until.IsZero() {
		timer := time.NewTimer(min(time.Until(until), maxSleep))
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-ctx.Done():
	case <-wake:
	case <-over:
	}
}

const (
	minBackoff = 100 * time.Millisecond
	maxBackoff = 10 * time.Second

	// fleetMaxBackoff takes the place of maxPause where another daemon has found out
	// meanwhile that the store works again.
	fleetMaxBackoff = time.Second

	// diskFullBackoff is how soon a store is tried again that has no room: it refuses at
	// once, and finds out by itself when there is room again.
	diskFullBackoff = 500 * time.Millisecond
)

// backoff paces a goroutine while the store fails.
type backoff struct {
	log      *slog.Logger
	longest  time.Duration
	failures int  // in a row
	logged   bool // of the failures
}

func (d *Dispatcher) newBackoff() backoff {
	if d.cfg.Member != nil {
		return backoff{log: d.log, longest: fleetMaxBackoff}
	}
	return backoff{log: d.log, longest: maxBackoff}
}

// done notes how a step has ended and reports whether it has succeeded. When it
// has not, it returns after a pause, ever longer, or when ctx ends.
func (p *backoff) done(ctx context.Context, what string, err error) bool {
	if err == nil {
		if p.logged {
			p.log.Info("store works again", "while", what)
		}
		p.failures, p.logged = 0, false
		return true
	}
	longest := p.longest
	switch full := storage.IsFull(err); {
	case full:
		longest = diskFullBackoff // and the store tells of it itself
	case !p.logged && ctx.Err() == nil:
		p.logged = true
		p.log.Error("store fails, trying again", "while", what, "error", err)
	}
	sleepUntil(ctx, time.Now().Add(min(minBackoff<<min(p.failures, 10), longest)), nil)
	p.failures++
	return false
}
