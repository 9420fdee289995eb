package deliver

import (
	"time"

	"github.com/schedctl/schedctl/storage"
)

const (
	// maxGroup is how many targets share a transaction of the dispatcher. It bounds how
	// long others wait for the store, to some ten milliseconds.
	maxGroup = 512

	minGroupBackoff = 50 * time.Millisecond
	maxGroupBackoff = 5 * time.Second

	// fullBackoff is how soon a full store is tried again. It refuses at once, and
	// detects free space itself.
	fullBackoff = 500 * time.Millisecond
)

// pacer paces the transactions of one kind. At most one of them runs at a time. While
// the store fails, the pacer waits longer each time and divides their size by four, so
// that a record that cannot be stored soon fails alone.
type pacer struct {
	size      int
	startedAt time.Time
	pace      time.Duration // the longest time from there to the next start
	running   bool
	failures  int  // in a row
	logged    bool // the failures were logged
	notBefore time.Time
}

// mayStart reports whether a transaction may start.
func (p *pacer) mayStart(now time.Time) bool { return !p.running && !now.Before(p.notBefore) }

// start records the start of a transaction. The next one may be delayed by up to pace.
func (p *pacer) start(now time.Time, pace time.Duration) {
	p.running, p.startedAt, p.pace = true, now, pace
}

// succeeded records the success of a transaction and reports whether to log it, which
// is after failures that were logged.
func (p *pacer) succeeded() (first bool) {
	first = p.logged
	p.running, p.failures, p.logged = false, 0, false
	p.notBefore = p.startedAt.Add(min(p.pace, sharedFactor*time.Since(p.startedAt)))
	p.size = min(maxGroup, 2*p.size)
	return first
}

// failed records the failure of a transaction over n targets and reports whether to
// log it, which is for the first failure in a row. A full store is not logged here: the
// store logs that itself.
func (p *pacer) failed(n int, err error, now time.Time) (first bool) {
	backoff := min(minGroupBackoff<<min(p.failures, 10), maxGroupBackoff)
	full := storage.IsFull(err)
	if full {
		backoff = min(backoff, fullBackoff)
	}
	p.running, p.notBefore = false, now.Add(backoff)
	p.failures++
	p.size = max(1, n/4)
	first = !full && !p.logged
	p.logged = p.logged || first
	return first
}
