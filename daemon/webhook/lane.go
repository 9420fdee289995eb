package webhook

import (
	"context"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// job is one delivery whose time has come, as the store had it.
type job struct {
	hook     schedctl.Webhook
	event    schedctl.Event
	delivery schedctl.Delivery

	first bool // the delivery is not in the store
	lost  bool // the event is not in the store any more
}

// lane makes the calls of one webhook of one kind, one at a time. While they fail
// they are spaced.
type lane struct {
	*worker
	kind    string
	wake    chan struct{}
	slowest time.Duration // between two calls that fail

	// next returns the next job, in a snapshot that is younger than the place. When
	// there is none now, it returns when to look again without being woken, or the
	// zero time for never.
	next func(storage.Reader, place) (*job, time.Time, error)

	failures int // in a row
	pause    pause
}

// run makes calls until stop ends. Calls and their recording go on until work
// ends. No call is made that the store may have no room to record.
func (l *lane) run(stop, work context.Context) {
	for stop.Err() == nil {
		next, until, err := l.look(stop)
		if next != nil {
			err = l.cfg.Store.Full()
		}
		if !l.pause.after(stop, "reading "+l.kind, err) {
			continue
		}
		if next == nil {
			rest(stop, until, l.wake)
			continue
		}
		if !l.mayCall() || !l.do(work, next) {
			return
		}
		if l.failures > 0 {
			rest(stop, time.Now().Add(spacing(l.failures, l.slowest)), nil)
		}
	}
}

func (l *lane) look(ctx context.Context) (next *job, until time.Time, err error) {
	at := l.at()
	err = l.cfg.Store.View(ctx, func(r storage.Reader) (err error) {
		next, until, err = l.next(r, at)
		return err
	})
	if err != nil {
		return nil, until, fmt.Errorf("read webhook %s: %w", l.id, err)
	}
	return next, until, nil
}

// do does a job and reports whether it is recorded: it is not when ctx ends
// before.
func (l *lane) do(ctx context.Context, j *job) bool {
	end := ending{err: "the event is not kept any more"}
	if !j.lost {
		end = l.call(ctx, j)
		if ctx.Err() != nil {
			return false
		}
		l.count(end)
	}
	for !l.pause.after(ctx, "recording a delivery", l.record(ctx, j, end)) {
		if ctx.Err() != nil {
			return false
		}
	}
	if j.first {
		l.passed(j.event.ID)
	}
	return true
}

// count tells of an attempt that has ended.
func (l *lane) count(end ending) {
	outcome := Failed
	l.failures++
	if end.delivered() {
		outcome, l.failures = Delivered, 0
	}
	if l.cfg.Observe != nil {
		l.cfg.Observe(Attempt{Outcome: outcome, Took: end.took})
	}
}

func isNotFound(err error) bool { return schedctl.CodeOf(err) == schedctl.NotFound }
