// Package schedule holds the waiting targets in memory and passes each on when it
// is due.
//
// The [Source] is authoritative, and the loop is only a hint. The entry of a target
// that was canceled or moved stays in the loop until its old time. It is then passed
// on without effect, because the receiver claims the target in the store first. The
// loop never searches for or removes an entry.
//
// A loop of [New] holds all entries. It is the only writer's loop, so each new entry
// has to be added with [Loop.Add]. A loop of [NewWindow] has a source with other
// writers. It holds the entries of the next minutes and also finds entries that were
// not added. Time is the wall clock of this machine, whatever other clocks show.
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
	// maxSleep bounds how long a changed clock or a suspended machine goes unnoticed.
	// Timers notice neither.
	maxSleep = 30 * time.Second

	// maxInbox is how many entries may be in the inbox. For more it is cheaper to read
	// the source again.
	maxInbox = 1 << 16

	// maxBatch is how many entries are passed on in one call.
	maxBatch = 1024
)

// Source stores the waiting entries, such as the due index of a storage.Store.
type Source interface {
	// Due calls fn for every waiting entry that is not before from, in the order of
	// [schedctl.Due.Compare], until fn returns false.
	Due(ctx context.Context, from schedctl.Due, fn func(schedctl.Due) bool) error
}

// Loop is a min-heap of waiting entries with one timer for the earliest. Both belong
// to the goroutine of [Loop.Run].
type Loop struct {
	source Source
	fire   func([]schedctl.Due)
	log    *slog.Logger
	now    func() time.Time          // the wall clock
	tick   atomic.Pointer[time.Time] // the last turn
	wake   chan struct{}

	window *window               // for a source with several writers; otherwise nil
	pages  <-chan []schedctl.Due // of window

	mu          sync.Mutex // mu guards the fields below, up to the blank line
	inbox       []schedctl.Due
	earliest    int64 // the least time in inbox, Unix milliseconds
	overflow    bool
	asleepUntil int64 // while Run sleeps: until when, Unix milliseconds; else the least value

	// These fields belong to Run.
	heap  heap
	load  load
	spare []schedctl.Due // the inbox of the previous turn, to reuse its memory
	batch []schedctl.Due
}

// New returns a loop that calls fire with the entries that are due: in order of
// time, never early, on the goroutine of [Loop.Run]. fire must not block and must not
// keep the slice. It may receive an entry more than once, and entries that no longer
// wait.
func New(source Source, fire func([]schedctl.Due), log *slog.Logger) *Loop {
	return &Loop{
		source: source, fire: fire, log: log, now: time.Now, wake: make(chan struct{}, 1),
		earliest: math.MaxInt64, asleepUntil: math.MinInt64,
	}
}

// Add adds new entries, which must already be in the source. It never blocks and does
// not keep the slice. It may be called from any goroutine, before and during
// [Loop.Run]. If the inbox overflows, the loop reads the source again.
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
	default: // Run will wake anyway
	}
}

// mustWake reports whether the inbox cannot wait until the given Unix millisecond.
// Later entries are taken in with the next turn: to wake for each would cost more than
// the rest of its processing. The mutex must be held.
func (l *Loop) mustWake(until int64) bool {
	return until != math.MinInt64 && (l.overflow || l.earliest < until || len(l.inbox) > maxInbox/2)
}

// LastTick returns when the loop last checked its entries, or the zero time before it
// first did. While Run runs, that is at least every 30 seconds. The time has a
// monotonic reading.
func (l *Loop) LastTick() time.Time {
	if at := l.tick.Load(); at != nil {
		return *at
	}
	return time.Time{}
}

// Run reads the entries from the source, the earliest first, and passes on what is due
// until ctx ends. Then it returns nil. If the source fails, Run retries until it works.
// Run must be called once.
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

// prepareSleep stores when Run wakes up, and returns how long it sleeps. It returns 0 if
// an entry that is due earlier was added in the meantime.
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

// markAwake records that Run is awake and will read the inbox.
func (l *Loop) markAwake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asleepUntil = math.MinInt64
}

// turn does all work that is possible now and returns how long to sleep.
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
		// Round removes the monotonic clock reading, which does not advance in suspend.
		sleep = min(sleep, l.heap.head().Time().Sub(l.now().Round(0)))
	}
	return max(sleep, 0)
}

// drain moves added entries from the inbox to the heap.
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
		// Moved and canceled posts leave their old entries in the heap. Reading the
		// source again whenever the heap has doubled bounds their number, at a constant
		// cost for each entry. A window drops its old entries within minutes.
		l.reload()
	}
}

func (l *Loop) push(entries []schedctl.Due) {
	for _, d := range entries {
		l.heap.push(d)
	}
}

// fireSome passes on one batch and reports whether more may be due.
func (l *Loop) fireSome() bool {
	now := l.now().UnixMilli()
	l.batch = l.batch[:0]
	for l.heap.len() > 0 && l.heap.head().At <= now && len(l.batch) < maxBatch {
		l.batch = append(l.batch, l.heap.pop())
	}
	full := len(l.batch) == maxBatch
	if l.window != nil {
		l.batch = slices.Compact(l.batch) // entries that were read again
	}
	if len(l.batch) > 0 {
		l.fire(l.batch)
	}
	return full
}
