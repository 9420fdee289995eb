package webhook

import (
	"context"
	"log/slog"
	"time"
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
)

// pause paces a goroutine while the store fails.
type pause struct {
	log      *slog.Logger
	failures int // in a row
}

// after notes how a step has ended and reports whether it has succeeded. When it
// has not, it returns after a pause, ever longer, or when ctx ends.
func (p *pause) after(ctx context.Context, what string, err error) bool {
	if err == nil {
		if p.failures > 0 {
			p.log.Info("store works again", "while", what)
		}
		p.failures = 0
		return true
	}
	if p.failures == 0 && ctx.Err() == nil {
		p.log.Error("store fails, trying again", "while", what, "error", err)
	}
	rest(ctx, time.Now().Add(min(minPause<<min(p.failures, 10), maxPause)), nil)
	p.failures++
	return false
}
