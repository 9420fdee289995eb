package webhook

import (
	"context"
	"log/slog"
	"time"

	"github.com/schedctl/schedctl/storage"
)

// maxSleep bounds how long a clock change or a suspend goes unnoticed, because timers
// measure neither.
const maxSleep = 30 * time.Second

// sleepUntil waits until a time, but 30 seconds at most. It returns earlier when wake
// receives or ctx ends. With the zero time it waits only for those two.
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

	// fleetMaxBackoff is maxBackoff on a shared store, which other nodes may already use
	// again.
	fleetMaxBackoff = time.Second

	// diskFullBackoff is the pause while the store is full. A full store refuses writes
	// at once and detects free space itself.
	diskFullBackoff = 500 * time.Millisecond
)

// backoff spaces the retries of a goroutine while the store fails.
type backoff struct {
	log      *slog.Logger
	longest  time.Duration
	failures int  // consecutive
	logged   bool // the current failures are logged
}

func (d *Dispatcher) newBackoff() backoff {
	return backoff{log: d.log, longest: d.mode.maxBackoff}
}

// done reports whether a step succeeded. After a failure, it logs the first of a series
// and returns after a growing pause, or when ctx ends.
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
		longest = diskFullBackoff // the store logs it
	case !p.logged && ctx.Err() == nil:
		p.logged = true
		p.log.Error("store failed, retrying", "while", what, "error", err)
	}
	sleepUntil(ctx, time.Now().Add(min(minBackoff<<min(p.failures, 10), longest)), nil)
	p.failures++
	return false
}
