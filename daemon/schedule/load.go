package schedule

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
)

const (
	// chunkSize is how many entries are read at a time: reading a chunk takes
	// milliseconds, so that no read transaction stays open for long.
	chunkSize = 50_000

	minBackoff = time.Second
	maxBackoff = maxSleep
)

// load is the reading of the whole source, a chunk in each turn of the loop.
// Entries come in order of time, so that what is due first is there first and
// is handed over while later chunks are still to be read.
type load struct {
	done      bool
	from      schedctl.Due // where the next chunk begins
	live      int          // entries in the heap after the last complete reading
	delay     time.Duration
	notBefore time.Time // do not try again before, after a failure
}

// wait returns how long the loop may sleep as far as reading goes.
func (l *load) wait() time.Duration {
	switch {
	case l.done:
		return maxSleep
	case l.notBefore.IsZero():
		return 0
	}
	return time.Until(l.notBefore)
}

// reload forgets the heap and begins to read the source. Whatever is added from
// now on either is still to be read or comes in beside. A window reads on its own;
// what it has read stays.
func (l *Loop) reload() {
	if l.window != nil {
		l.load.done = true
		l.window.reread()
		return
	}
	l.heap.reset()
	l.load = load{delay: l.load.delay, notBefore: l.load.notBefore}
}

// loadSome reads the next chunk when there is one to be read.
func (l *Loop) loadSome(ctx context.Context) {
	if l.load.done || time.Until(l.load.notBefore) > 0 {
		return
	}
	n := 0
	err := l.source.Due(ctx, l.load.from, func(d schedctl.Due) bool {
		l.heap.push(d)
		l.load.from = nextEntry(d)
		n++
		return n < chunkSize
	})
	if err != nil {
		l.loadFailed(ctx, err)
		return
	}
	if l.load.delay > 0 {
		l.log.Info("due index can be read again")
	}
	l.load.delay, l.load.notBefore = 0, time.Time{}
	if n < chunkSize {
		l.load.done, l.load.live = true, l.heap.len()
	}
}

// loadFailed plans the next try. What was read stays, and the cursor stands
// behind it.
func (l *Loop) loadFailed(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	if l.load.delay == 0 {
		l.log.Error("due index cannot be read, trying again", "error", err)
	}
	l.load.delay = min(max(2*l.load.delay, minBackoff), maxBackoff)
	l.load.notBefore = time.Now().Add(l.load.delay)
}

// nextEntry returns the least entry that is greater than d.
func nextEntry(d schedctl.Due) schedctl.Due {
	for i := len(d.Target) - 1; i >= 0; i-- {
		if d.Target[i]++; d.Target[i] != 0 {
			return d
		}
	}
	d.At++
	return d
}
