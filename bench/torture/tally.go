package main

import (
	"sync"
	"time"
)

// tally adds up the results of several worlds. It may be used from any goroutine.
type tally struct {
	judged *verdictCollector // of all worlds

	mu     sync.Mutex // mu guards counts
	counts map[string]int64
}

func newTally() *tally { return &tally{judged: new(verdictCollector), counts: map[string]int64{}} }

// count adds to a count and returns it.
func (t *tally) count(name string, n int) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[name] += int64(n)
	return t.counts[name]
}

// most keeps the maximum of a duration, in milliseconds.
func (t *tally) most(name string, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[name] = max(t.counts[name], took.Milliseconds())
}

// add adds the counts of a world.
func (t *tally) add(w *world) {
	for name, n := range w.counts() {
		t.count(name, int(n))
	}
}

// result returns the verdict with all counts.
func (t *tally) result() result {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.judged.result(t.counts)
}
