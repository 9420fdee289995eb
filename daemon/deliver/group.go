package deliver

import "time"

const (
	// maxGroup is how many targets share one transaction of the dispatcher's. It
	// bounds how long others wait for the store: some ten milliseconds.
	maxGroup = 512

	minGroupBackoff = 50 * time.Millisecond
	maxGroupBackoff = 5 * time.Second
)

// group paces transactions of one kind, of which one is under way at a time.
// While the store fails it waits ever longer and quarters their size, so that a
// record that cannot be stored is soon alone with its fault.
type group struct {
	size     int
	running  bool
	failures int // in a row
	resume   time.Time
}

// open reports whether a transaction may begin.
func (g *group) open(now time.Time) bool { return !g.running && !now.Before(g.resume) }

// succeeded notes the end of a transaction and reports whether it is the first
// to succeed after failures.
func (g *group) succeeded() (first bool) {
	first = g.failures > 0
	g.running, g.failures, g.resume = false, 0, time.Time{}
	g.size = min(maxGroup, 2*g.size)
	return first
}

// failed notes the end of a transaction over n targets and reports whether it
// is the first to fail after successes.
func (g *group) failed(n int, now time.Time) (first bool) {
	backoff := min(minGroupBackoff<<min(g.failures, 10), maxGroupBackoff)
	g.running, g.resume = false, now.Add(backoff)
	g.failures++
	g.size = max(1, n/4)
	return g.failures == 1
}
