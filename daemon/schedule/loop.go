// Package schedule holds every waiting target in memory and hands each over
// when its time has come.
//
// The [Source] is the truth and the loop only a hint of it: an entry whose
// target was canceled or moved stays in the loop until its old time and is
// handed over in vain, because whoever receives it claims the target in the
// store first. Nothing is ever searched for or removed.
//
// A loop of [New] holds all entries, and is told of each that is added. One of
// [NewWindow] has a source in which others write: it holds those of the next
// minutes, and does not depend on being told. Time is that of this machine's wall
// clock, whatever the clocks of other writers say.
package schedule

import (
	"context"
	"log/slog"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl"
)

const (
	// maxSleep bounds how long a clock that was set, or a machine that was
	// suspended, goes unnoticed: timers do not see either.
	maxSleep = 30 * time.Second

	// maxInbox is how many entries may wait to be taken in before it is cheaper
	// to read them again from the source.
	maxInbox = 1 << 16

	// maxBatch is how many entries are handed over at a time.
	maxBatch = 1024
)

// Source is where the waiting entries are kept. A storage.Store has them in its
// due index.
type Source interface {
	// Due calls fn for every waiting entry from the given one on (inclusive), in
	// the order of [schedctl.Due.Compare], until fn returns false.
	Due(ctx context.Context, from schedctl.Due, fn func(schedctl.Due) bool) error
}

// Loop is a min-heap of waiting entries and the one timer that runs for its
// head. Both belong to the goroutine that is in [Loop.Run].
type Loop struct {
	source Source
	fire   func([]schedctl.Due)
	log    *slog.Logger
	now    func() time.Time          // the wall clock
	tick   atomic.Pointer[time.Time] // the last turn
	wake   chan struct{}

	window *window               // with many writers; nil when all news comes by Add
	pages  <-chan []schedctl.Due // of window

	mu          sync.Mutex // mu guards what follows
	inbox       []schedctl.Due
	earliest    int64 // the least time in inbox, Unix milliseconds
	overflow    bool
	asleepUntil int64 // while Run sleeps: until when, Unix milliseconds; else the least value

	// What follows is Run's own.
	heap  heap
	load  load
	spare []schedctl.Due // the inbox of the turn before, for its memory
	batch []schedctl.Due
}

// New returns a loop that calls fire with entries whose time has come: in order
// of time, never early, from the goroutine of [Loop.Run]. fire must not block
// and must not keep the slice. It may be given an entry more than once, and one
// that is waiting no longer.
func New(source Source, fire func([]schedctl.Due), log *slog.Logger) *Loop {
	return &Loop{
		source: source, fire: fire, log: log, now: time.Now, wake: make(chan struct{}, 1),
		earliest: math.MaxInt64, asleepUntil: math.MinInt64,
	}
}

// Add takes in new entries, which must be in the source already. It never
// blocks, may be called from any goroutine, before and during [Loop.Run], and
// does not keep the slice. More than the loop can hold make it read everything
// from the source again.
func (l *Loop) Add(entries []schedctl.Due) {
	if l.window != nil {
		if entries = l.window.within(entries); len(entries) == 0 {
			return
		}
	}
	l.mu.Lock()
	if l.overflow = l.overflow || len(l.inbox)+len(entries) > maxInbox; l.overflow {
		l.inbox = nil
	} else {
		l.inbox = append(l.inbox, entries...)
		for _, d := range entries {
			l.earliest = min(l.earliest, d.At)
		}
	}
	wake := l.mustWake(l.asleepUntil)
	l.mu.Unlock()
	if !wake {
		return
	}
	select {
	case l.wake <- struct{}{}:
	default: // it is going to look anyway
	}
}

// mustWake reports whether the inbox cannot wait until the given instant. Entries
// for later are taken in with the next turn: waking for each would cost more
// than all else that is done with it. The mutex must be held.
func (l *Loop) mustWake(until int64) bool {
	return until != math.MinInt64 && (l.overflow || l.earliest < until || len(l.inbox) > maxInbox/2)
}

// LastTick returns when the loop last looked at its entries, or the zero time
// before it first did. A running loop looks at least every 30 seconds. It
// has a monotonic reading.
func (l *Loop) LastTick() time.Time {
	if at := l.tick.Load(); at != nil {
		return *at
	}
	return time.Time{}
}

// Run reads all entries from the source, the earliest first, and hands over
// what is due until ctx ends; then it returns nil. A source that cannot be read
// is tried again until it can. Run must be called once.
func (l *Loop) Run(ctx context.Context) error {
	l.reload()
	if l.window != nil {
		var reading sync.WaitGroup
		reading.Go(func() { l.window.run(ctx) })
		defer reading.Wait()
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		timer.Reset(l.prepareSleep(l.turn(ctx)))
		select {
		case <-ctx.Done():
		case <-l.wake:
		case page := <-l.pages:
			l.push(page)
		case <-timer.C:
		}
		l.markAwake()
	}
	return nil
}

// prepareSleep notes until when Run sleeps, and returns how long: not at all when
// something has come in meanwhile that is due before.
func (l *Loop) prepareSleep(sleep time.Duration) time.Duration {
	until := l.now().Add(sleep).UnixMilli()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mustWake(until) {
		return 0
	}
	l.asleepUntil = until
	return sleep
}

// markAwake notes that Run is awake and looks into the inbox by itself.
func (l *Loop) markAwake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asleepUntil = math.MinInt64
}

// turn does what there is to do now and returns how long there will be nothing.
func (l *Loop) turn(ctx context.Context) time.Duration {
	l.drain()
	l.loadSome(ctx)
	now := l.now()
	l.tick.Store(&now)
	if l.fireSome() {
		return 0
	}
	sleep := min(maxSleep, l.load.wait())
	if l.heap.len() > 0 {
		// Without Round the difference would be taken from the monotonic
		// clock, which stands still in suspend.
		sleep = min(sleep, l.heap.head().Time().Sub(l.now().Round(0)))
	}
	return max(sleep, 0)
}

// drain takes in what was added.
func (l *Loop) drain() {
	l.mu.Lock()
	added, overflow := l.inbox, l.overflow
	l.inbox, l.earliest, l.overflow = l.spare[:0], math.MaxInt64, false
	l.mu.Unlock()
	l.spare = added
	if cap(l.spare) > 4*maxBatch {
		l.spare = nil
	}
	l.push(added)
	switch {
	case overflow:
		l.log.Warn("schedule inbox overflowed, reading the due index again")
		l.reload()
	case l.window == nil && l.load.done && l.heap.len() > 2*l.load.live+maxInbox:
		// Moved and canceled posts leave their old entries behind. Reading
		// anew whenever the heap has doubled bounds them at a cost that is
		// constant for each entry. Those of a window are gone in minutes.
		l.reload()
	}
}

func (l *Loop) push(entries []schedctl.Due) {
	for _, d := range entries {
		l.heap.push(d)
	}
}

// fireSome hands over one batch and reports whether there may be more.
func (l *Loop) fireSome() bool {
	now := l.now().UnixMilli()
	l.batch = l.batch[:0]
	for l.heap.len() > 0 && l.heap.head().At <= now && len(l.batch) < maxBatch {
		l.batch = append(l.batch, l.heap.pop())
	}
	full := len(l.batch) == maxBatch
	if l.window != nil {
		l.batch = slices.Compact(l.batch) // what was read again
	}
	if len(l.batch) > 0 {
		l.fire(l.batch)
	}
	return full
}
