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

	first     bool // the delivery is not in the store
	eventGone bool // the event is not in the store any more
}

// A group is so many calls at most, and no call of it begins later after the first
// one: what is changed about a webhook takes effect with the next group.
const (
	groupSize = 32
	groupTime = 50 * time.Millisecond
)

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
	next func(storage.Reader, outboxPosition) (*job, time.Time, error)

	// following, if not nil, returns the job that comes right after the last one, of
	// what was read with it, or nil when the store is to be read. Jobs that follow
	// each other are recorded in one transaction.
	following func() *job

	failures int // in a row
	pause    backoff
}

// run makes calls until stop ends. Calls and their recording go on until work
// ends. No call is made that the store may have no room to record.
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

// runJob does a job, and those that may follow it before it is recorded. It reports
// whether all are recorded: they are not when work ends before.
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

// nextOfGroup returns the next job of a group, or nil when the group is to be recorded
// first.
func (l *lane) nextOfGroup(stop context.Context, size int, began time.Time) *job {
	if stop.Err() != nil || size == groupSize || time.Since(began) >= groupTime || l.cfg.Store.Full() != nil || !l.holdsStill() {
		return nil
	}
	return l.following()
}

// attempt makes the call of a job. It reports false when ctx ends before the call does.
func (l *lane) attempt(ctx context.Context, j *job) (attemptResult, bool) {
	if j.eventGone {
		return attemptResult{err: "the event is not kept any more"}, true
	}
	end := l.call(ctx, j)
	if ctx.Err() != nil {
		return end, false
	}
	l.report(end)
	return end, true
}

// recordUntilStored records the ends of jobs, and tries again until they are. It reports false
// when ctx ends before.
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

// report tells of an attempt that has ended.
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
