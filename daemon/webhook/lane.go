package webhook

import (
	"context"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// job is a delivery that is due, as read from the store.
type job struct {
	hook     schedctl.Webhook
	event    schedctl.Event
	delivery schedctl.Delivery

	first     bool // the delivery is not in the store yet
	eventGone bool // the event was already pruned
}

// A group has at most groupSize calls, and all start within groupTime. A change of the
// webhook takes effect with the next group.
const (
	groupSize = 32
	groupTime = 50 * time.Millisecond
)

// lane makes calls of one kind for one webhook, one at a time. After failed calls it
// pauses.
type lane struct {
	*worker
	kind    string
	wake    chan struct{}
	slowest time.Duration // the longest pause after a failed call

	// next returns the next job from a snapshot that is newer than the position. Without
	// a job it returns when to read again without being woken, or the zero time for
	// never.
	next func(storage.Reader, outboxPosition) (*job, time.Time, error)

	// following, if not nil, returns the next job of the batch that was read with the
	// last job, or nil if the store has to be read. Such jobs form a group, which is
	// recorded in one transaction.
	following func() *job

	failures int // consecutive
	pause    backoff
}

// run makes calls until stop ends. Calls in progress and their recording continue until
// work ends. While the store is full, no calls are made, because they could not be
// recorded.
func (l *lane) run(stop, work context.Context) {
	for stop.Err() == nil {
		next, until, err := l.readNext(stop)
		if next != nil {
			err = l.cfg.Store.Full()
		}
		if !l.pause.done(stop, "reading "+l.kind, err) {
			continue
		}
		if next == nil {
			sleepUntil(stop, until, l.wake)
			continue
		}
		if !l.holdsStill() || !l.runJob(stop, work, next) {
			return
		}
		if l.failures > 0 {
			sleepUntil(stop, time.Now().Add(spacing(l.failures, l.slowest)), nil)
		}
	}
}

func (l *lane) readNext(ctx context.Context) (next *job, until time.Time, err error) {
	at := l.currentPosition()
	err = l.cfg.Store.View(ctx, func(r storage.Reader) (err error) {
		next, until, err = l.next(r, at)
		return err
	})
	if err != nil {
		return nil, until, fmt.Errorf("read webhook %s: %w", l.id, err)
	}
	return next, until, nil
}

// runJob runs a job and the following jobs of its group, and records them. It reports
// false when work ended first.
func (l *lane) runJob(stop, work context.Context, j *job) bool {
	if l.following == nil {
		end, ended := l.attempt(work, j)
		return ended && l.recordUntilStored(work, finishedJob{j, end})
	}
	var group []finishedJob
	for began := time.Now(); j != nil; j = l.nextOfGroup(stop, len(group), began) {
		end, ended := l.attempt(work, j)
		if !ended {
			return false
		}
		group = append(group, finishedJob{j, end})
		if !end.delivered() {
			break
		}
	}
	return l.recordUntilStored(work, group...)
}

// nextOfGroup returns the next job of a group, or nil when the group has to be recorded
// first.
func (l *lane) nextOfGroup(stop context.Context, size int, began time.Time) *job {
	if stop.Err() != nil || size == groupSize || time.Since(began) >= groupTime || l.cfg.Store.Full() != nil || !l.holdsStill() {
		return nil
	}
	return l.following()
}

// attempt makes the call of a job. It reports false when ctx ended first.
func (l *lane) attempt(ctx context.Context, j *job) (attemptResult, bool) {
	if j.eventGone {
		return attemptResult{err: "the event is no longer stored"}, true
	}
	end := l.call(ctx, j)
	if ctx.Err() != nil {
		return end, false
	}
	l.report(end)
	return end, true
}

// recordUntilStored records finished jobs and retries until that succeeds. It reports
// false when ctx ended first.
func (l *lane) recordUntilStored(ctx context.Context, group ...finishedJob) bool {
	for !l.pause.done(ctx, "recording a delivery", l.record(ctx, group)) {
		if ctx.Err() != nil {
			return false
		}
	}
	if last := group[len(group)-1].job; last.first {
		l.advance(last.event.ID)
	}
	return true
}

// report counts a completed attempt.
func (l *lane) report(end attemptResult) {
	outcome := Failed
	l.failures++
	if end.delivered() {
		outcome, l.failures = Delivered, 0
	}
	if l.cfg.Observe != nil {
		l.cfg.Observe(Attempt{Outcome: outcome, Took: end.duration})
	}
}

func isNotFound(err error) bool { return schedctl.CodeOf(err) == schedctl.NotFound }
