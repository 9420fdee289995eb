package schedule

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl"
)

const (
	// windowLen is how far ahead a window reads. It is extended when less than
	// windowLeast of it is left, which leaves minutes to retry.
	windowLen   = 10 * time.Minute
	windowLeast = 7 * time.Minute

	// rereadInterval is how often the whole window is read again, for entries that were
	// neither added nor found by a poll.
	rereadInterval = 5 * time.Minute

	// A poll reads the entries from pollBehind before the last poll to pollAhead from
	// now. It finds entries whose notification was lost before they are due, or within
	// a pollInterval if they were due at once.
	pollInterval = time.Second
	pollBehind   = 10 * time.Second
	pollAhead    = 1500 * time.Millisecond

	// windowPage is how many entries one read returns.
	windowPage = 10_000
)

// window is the part of a source with several writers that a loop holds. It belongs
// to a goroutine of its own, so that a slow or unreachable source does not delay entries
// that are already in the loop.
type window struct {
	source    Source
	now       func() time.Time
	log       *slog.Logger
	pages     chan []schedctl.Due // to the loop, which then owns them
	wake      chan struct{}
	rereadAll atomic.Bool // the whole window has to be read again

	horizon    time.Time    // the window was read up to this time
	read       time.Time    // when the whole window was read; monotonic
	polled     time.Time    // when it was last polled
	resumeFrom schedctl.Due // where the next poll continues if the last one found too many entries, or zero
	failing    bool
}

// NewWindow returns a loop like that of [New] for a source with other writers. It
// holds the entries of the next minutes. To find entries that were not added, it polls
// for entries that are due about now each second, and reads the whole window every few
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

// Reread makes a loop of [NewWindow] read its whole window again, because notifications
// may have been lost. It never blocks and may be called from any goroutine. It does
// nothing for a loop of [New], whose source has no other writers.
func (l *Loop) Reread() {
	if l.window != nil {
		l.window.reread()
	}
}

func (w *window) reread() {
	w.rereadAll.Store(true)
	select {
	case w.wake <- struct{}{}:
	default: // run will wake anyway
	}
}

// within returns the entries that belong to the window, which may be the slice itself.
// Later entries are read when the window includes them.
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

// readNext makes the next read: of the whole window, of its extension, or a poll.
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

// readAll reads the whole window from start to end.
func (w *window) readAll(ctx context.Context, start schedctl.Due, end time.Time) error {
	if _, err := w.readRange(ctx, start, end, 0); err != nil {
		return err
	}
	w.horizon, w.read = end, time.Now()
	w.polled, w.resumeFrom = end.Add(-windowLen), schedctl.Due{}
	return nil
}

// poll reads at most one page of the entries that are due about now.
func (w *window) poll(ctx context.Context, now time.Time) error {
	start := w.resumeFrom
	if start == (schedctl.Due{}) {
		start = firstEntryAt(earlierOf(w.polled, now).Add(-pollBehind))
	}
	next, err := w.readRange(ctx, start, now.Add(pollAhead), 1)
	if err == nil {
		w.polled, w.resumeFrom = now, next
	}
	return err
}

// readRange passes on the entries from start to end (exclusive), in at most the given
// number of pages, or all of them if that is 0. It returns where the next page starts,
// or the zero value if all were read.
func (w *window) readRange(ctx context.Context, start schedctl.Due, end time.Time, pages int) (next schedctl.Due, err error) {
	for n := 1; ; n++ {
		page, err := w.readPage(ctx, start, end.UnixMilli())
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
		if start = nextEntry(page[windowPage-1]); n == pages {
			return start, nil
		}
	}
}

// readPage reads one page.
func (w *window) readPage(ctx context.Context, start schedctl.Due, end int64) (page []schedctl.Due, err error) {
	err = w.source.Due(ctx, start, func(d schedctl.Due) bool {
		if d.At >= end {
			return false
		}
		page = append(page, d)
		return len(page) < windowPage
	})
	return page, err
}

// logSourceState logs once when the source starts to fail, and once when it works again.
func (w *window) logSourceState(ctx context.Context, err error) {
	failing := err != nil
	switch {
	case failing == w.failing || ctx.Err() != nil:
		return
	case failing:
		w.log.Error("reading due index failed, will retry", "error", err)
	default:
		w.log.Info("due index is readable again")
	}
	w.failing = failing
}

// firstEntryAt returns the smallest possible entry that is due at t.
func firstEntryAt(t time.Time) schedctl.Due { return schedctl.Due{At: t.UnixMilli()} }

func earlierOf(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
