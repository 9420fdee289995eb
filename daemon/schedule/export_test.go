package schedule

import (
	"context"
	"time"
)

// SetNow replaces the wall clock. Call it before Run.
func (l *Loop) SetNow(now func() time.Time) { l.now = now }

// Len returns how many entries the loop holds. Call it while nothing runs.
func (l *Loop) Len() int { return l.heap.len() }

// LoadAll reads the whole source. Call it instead of Run.
func (l *Loop) LoadAll() {
	for !l.load.done {
		l.loadSome(context.Background())
	}
}

// Drain reads the inbox. Call it instead of Run.
func (l *Loop) Drain() { l.drain() }

// MaxInbox is how many entries the inbox holds.
const MaxInbox = maxInbox

// Chunk is how many entries are read at a time.
const Chunk = chunkSize

// WindowPage is how many entries of a window are read at a time.
const WindowPage = windowPage
