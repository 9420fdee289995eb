package schedule

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
)

const (
	// chunkSize is how many entries one read transaction reads. A chunk takes
	// milliseconds, so no read transaction stays open for long.
	chunkSize = 50_000

	minBackoff = time.Second
	maxBackoff = maxSleep
)

// load is the progress of reading the whole source, one chunk in each turn of the
// loop. The earliest entries are read first, and can be passed on while later chunks
// are not read yet.
type load struct {
	done      bool
	from      schedctl.Due // the start of the next chunk
	live      int          // entries in the heap after the last complete reading
	delay     time.Duration
	notBefore time.Time // the earliest time of the next try after a failure
}

// wait returns how long the loop may sleep before the next chunk is read.
func (l *load) wait() time.Duration {
	switch {
	case l.done:
		return maxSleep
	case l.notBefore.IsZero():
		return 0
	}
	return time.Until(l.notBefore)
}

// reload clears the heap and starts to read the source again. Entries that are added
// from now on are read or come through the inbox. A window reads on its own goroutine,
// and keeps its entries.
func (l *Loop) reload() {
	if l.window != nil {
		l.load.done = true
		l.window.reread()
		return
	}
	l.heap.reset()
	l.load = load{delay: l.load.delay, notBefore: l.load.notBefore}
}

// loadSome reads the next chunk, if any.
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
		l.log.Info("due index is readable again")
	}
	l.load.delay, l.load.notBefore = 0, time.Time{}
	if n < chunkSize {
		l.load.done, l.load.live = true, l.heap.len()
	}
}

// loadFailed schedules the next try, which continues after the last entry that was
// read.
func (l *Loop) loadFailed(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	if l.load.delay == 0 {
		l.log.Error("reading due index failed, will retry", "error", err)
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
