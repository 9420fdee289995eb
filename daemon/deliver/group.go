package deliver

import (
	"time"

	"github.com/schedctl/schedctl/storage"
)

const (
	// maxGroup is how many targets share one transaction of the dispatcher's. It
	// bounds how long others wait for the store: some ten milliseconds.
	maxGroup = 512

	minGroupBackoff = 50 * time.Millisecond
	maxGroupBackoff = 5 * time.Second

	// fullBackoff is how soon a store is tried again that has no room: it refuses
	// at once, and finds out by itself when there is room again.
	fullBackoff = 500 * time.Millisecond

	// sharedPace is how soon, at most, a transaction of a kind follows the one before when
	// a crowd of accounts is under way in a store that members share: four times as long
	// as that one took. What comes meanwhile goes with it. A transaction costs the server
	// and both ways to it a millisecond of processor time before its first target.
	sharedPace      = 10 * time.Millisecond
	sharedFactor    = 4
	crowdedAccounts = 8
)

// pacer paces transactions of one kind, of which one is under way at a time.
// While the store fails it waits ever longer and quarters their size, so that a
// record that cannot be stored is soon alone with its fault.
type pacer struct {
	size      int
	startedAt time.Time
	pace      time.Duration // the longest from there to the next
	running   bool
	failures  int  // in a row
	logged    bool // of the failures
	notBefore time.Time
}

// mayStart reports whether a transaction may begin.
func (g *pacer) mayStart(now time.Time) bool { return !g.running && !now.Before(g.notBefore) }

// start notes the beginning of a transaction, which the next one need not follow before a
// pace.
func (g *pacer) start(now time.Time, pace time.Duration) {
	g.running, g.startedAt, g.pace = true, now, pace
}

// succeeded notes the end of a transaction and reports whether it is the first
// to succeed after failures that were told of.
func (g *pacer) succeeded() (first bool) {
	first = g.logged
	g.running, g.failures, g.logged, g.notBefore = false, 0, false, g.startedAt.Add(min(g.pace, sharedFactor*time.Since(g.startedAt)))
	g.size = min(maxGroup, 2*g.size)
	return first
}

// failed notes the end of a transaction over n targets and reports whether that
// is to be told: when it is the first to fail after successes, and not for the
// reason that the store has no room, which it tells itself.
func (g *pacer) failed(n int, err error, now time.Time) (first bool) {
	backoff := min(minGroupBackoff<<min(g.failures, 10), maxGroupBackoff)
	full := storage.IsFull(err)
	if full {
		backoff = min(backoff, fullBackoff)
	}
	g.running, g.notBefore = false, now.Add(backoff)
	g.failures++
	g.size = max(1, n/4)
	first = !full && !g.logged
	g.logged = g.logged || first
	return first
}
