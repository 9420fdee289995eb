package webhook

import (
	"context"
	"log/slog"
	"time"

	"github.com/schedctl/schedctl/storage"
)

// maxRest bounds how long a clock that was set, or a machine that was suspended,
// goes unnoticed: timers do not see either.
const maxRest = 30 * time.Second

// rest waits until a time, or for 30 seconds, or until it is woken or ctx ends.
// With the zero time it waits to be woken.
func rest(ctx context.Context, until time.Time, wake <-chan struct{}) {
	var over <-chan time.Time
	if !until.IsZero() {
		timer := time.NewTimer(min(time.Until(until), maxRest))
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
	minPause = 100 * time.Millisecond
	maxPause = 10 * time.Second

	// sharedPause takes the place of maxPause where another daemon has found out
	// meanwhile that the store works again.
	sharedPause = time.Second

	// fullPause is how soon a store is tried again that has no room: it refuses at
	// once, and finds out by itself when there is room again.
	fullPause = 500 * time.Millisecond
)

// pause paces a goroutine while the store fails.
type pause struct {
	log      *slog.Logger
	longest  time.Duration
	failures int  // in a row
	told     bool // of the failures
}

func (d *Dispatcher) newPause() pause {
	if d.cfg.Member != nil {
		return pause{log: d.log, longest: sharedPause}
	}
	return pause{log: d.log, longest: maxPause}
}

// after notes how a step has ended and reports whether it has succeeded. When it
// has not, it returns after a pause, ever longer, or when ctx ends.
func (p *pause) after(ctx context.Context, what string, err error) bool {
	if err == nil {
		if p.told {
			p.log.Info("store works again", "while", what)
		}
		p.failures, p.told = 0, false
		return true
	}
	longest := p.longest
	switch full := storage.IsFull(err); {
	case full:
		longest = fullPause // and the store tells of it itself
	case !p.told && ctx.Err() == nil:
		p.told = true
		p.log.Error("store fails, trying again", "while", what, "error", err)
	}
	rest(ctx, time.Now().Add(min(minPause<<min(p.failures, 10), longest)), nil)
	p.failures++
	return false
}
