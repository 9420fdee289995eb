package schedule

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl"
)

const (
	// windowLen is how far a window looks ahead. It is moved on when less than
	// windowLeast of it are left, so that it can be read again for minutes.
	windowLen   = 10 * time.Minute
	windowLeast = 7 * time.Minute

	// rereadInterval is how often all of the window is read again, for what neither
	// news nor a poll has told of.
	rereadInterval = 5 * time.Minute

	// A poll reads what is due from pollBehind before the last one to pollAhead from
	// now on: what a lost notification was about is found before its time, or, when
	// that was at once, a pollInterval later.
	pollInterval = time.Second
	pollBehind   = 10 * time.Second
	pollAhead    = 1500 * time.Millisecond

	// windowPage is how many entries are read, and handed over, at a time.
	windowPage = 10_000
)

// window is the part of a source with many writers that a loop holds. It belongs
// to a goroutine of its own, so that a source that is slow, or away, keeps nothing
// from being handed over that is known already.
type window struct {
	source    Source
	now       func() time.Time
	log       *slog.Logger
	pages     chan []schedctl.Due // to the loop, which then owns them
	wake      chan struct{}
	rereadAll atomic.Bool // all has to be read again

	horizon    time.Time    // up to here the window was read
	read       time.Time    // when all of it was; monotonic
	polled     time.Time    // up to here it was polled
	resumeFrom schedctl.Due // where a poll goes on that found too much for one, or zero
	failing    bool
}

// NewWindow returns a loop like that of [New] for a source that others write too.
// It holds the entries of the next minutes, and finds those it was not told of: it
// polls what is due around now each second, and reads the whole window every few
// minutes and after [Loop.Reread].
func NewWindow(source Source, fire func([]schedctl.Due), log *slog.Logger) *Loop {
	l := New(source, fire, log)
	l.window = &window{
		source: source, now: func() time.Time { return l.now() }, log: log,
		pages: make(chan []schedctl.Due), wake: make(chan struct{}, 1),
	}
	l.pages = l.window.pages
	return l
}

// Reread makes a loop of [NewWindow] read all its entries again, because news of
// some may have been lost. It never blocks and may be called from any goroutine. A
// loop of [New] has a source in which nobody else writes, and does nothing.
func (l *Loop) Reread() {
	if l.window != nil {
		l.window.reread()
	}
}

func (w *window) reread() {
	w.rereadAll.Store(true)
	select {
	case w.wake <- struct{}{}:
	default: // it is going to look anyway
	}
}

// within returns the entries that belong in the window, which may be the slice
// itself: what is due later is read when the window has come that far.
func (w *window) within(entries []schedctl.Due) []schedctl.Due {
	end := w.now().Add(windowLen).UnixMilli()
	for i := range entries {
		if entries[i].At < end {
			continue
		}
		kept := append([]schedctl.Due(nil), entries[:i]...)
		for _, d := range entries[i+1:] {
			if d.At < end {
				kept = append(kept, d)
			}
		}
		return kept
	}
	return entries
}

// run reads until ctx ends.
func (w *window) run(ctx context.Context) {
	w.rereadAll.Store(true)
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		w.logSourceState(ctx, w.readNext(ctx))
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		case <-ticker.C:
		}
	}
}

// readNext reads what is to be read now.
func (w *window) readNext(ctx context.Context) error {
	now := w.now().Round(0)
	end := now.Add(windowLen)
	if w.rereadAll.Swap(false) {
		err := w.readAll(ctx, schedctl.Due{}, end)
		if err != nil {
			w.rereadAll.Store(true)
		}
		return err
	}
	switch {
	case time.Since(w.read) >= rereadInterval:
		return w.readAll(ctx, firstEntryAt(now.Add(-windowLen)), end)
	case w.horizon.Sub(now) < windowLeast:
		if _, err := w.readRange(ctx, firstEntryAt(w.horizon), end, 0); err != nil {
			return err
		}
		w.horizon = end
	}
	return w.poll(ctx, now)
}

// readAll reads the whole window.
func (w *window) readAll(ctx context.Context, begin schedctl.Due, end time.Time) error {
	if _, err := w.readRange(ctx, begin, end, 0); err != nil {
		return err
	}
	w.horizon, w.read = end, time.Now()
	w.polled, w.resumeFrom = end.Add(-windowLen), schedctl.Due{}
	return nil
}

// poll reads what is due around now, a page of it at most.
func (w *window) poll(ctx context.Context, now time.Time) error {
	begin := w.resumeFrom
	if begin == (schedctl.Due{}) {
		begin = firstEntryAt(earlierOf(w.polled, now).Add(-pollBehind))
	}
	next, err := w.readRange(ctx, begin, now.Add(pollAhead), 1)
	if err == nil {
		w.polled, w.resumeFrom = now, next
	}
	return err
}

// readRange hands over the entries from the given one on and before end, in at most so
// many pages, or all of them when that is 0. It returns where the next page begins,
// the zero value when there is none.
func (w *window) readRange(ctx context.Context, begin schedctl.Due, end time.Time, pages int) (next schedctl.Due, err error) {
	for n := 1; ; n++ {
		page, err := w.readPage(ctx, begin, end.UnixMilli())
		if err != nil {
			return schedctl.Due{}, err
		}
		if len(page) > 0 {
			select {
			case w.pages <- page:
			case <-ctx.Done():
				return schedctl.Due{}, ctx.Err()
			}
		}
		if len(page) < windowPage {
			return schedctl.Due{}, nil
		}
		if begin = nextEntry(page[windowPage-1]); n == pages {
			return begin, nil
		}
	}
}

// readPage reads one page.
func (w *window) readPage(ctx context.Context, begin schedctl.Due, end int64) (page []schedctl.Due, err error) {
	err = w.source.Due(ctx, begin, func(d schedctl.Due) bool {
		if d.At >= end {
			return false
		}
		page = append(page, d)
		return len(page) < windowPage
	})
	return page, err
}

// logSourceState logs that the source fails, or works again, once.
func (w *window) logSourceState(ctx context.Context, err error) {
	failing := err != nil
	switch {
	case failing == w.failing || ctx.Err() != nil:
		return
	case failing:
		w.log.Error("due index cannot be read, trying again", "error", err)
	default:
		w.log.Info("due index can be read again")
	}
	w.failing = failing
}

// firstEntryAt returns the least entry that is due at an instant.
func firstEntryAt(t time.Time) schedctl.Due { return schedctl.Due{At: t.UnixMilli()} }

func earlierOf(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
