package deliver

import (
	"context"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
)

// mark says where a target is, so that it is in one place at a time.
type mark uint8

const (
	queued   mark = 1 << iota
	inFlight      // being claimed, called, settled or recorded
	again         // handed over once more meanwhile; to be looked at afterwards
	shaken        // its claim failed, and may be on disk all the same
)

// moment is an entry of the due index in a heap.
type moment schedctl.Due

func (m moment) Before(o moment) bool { return schedctl.Due(m).Compare(schedctl.Due(o)) < 0 }

// dispatcher is the state of a run. It belongs to the goroutine of
// [Deliverer.Run]; the work it starts is done by methods of [Deliverer], which
// know nothing of it.
type dispatcher struct {
	*Deliverer
	queues   queues
	marks    map[schedctl.ULID]mark
	mostMark int // the largest size of marks since it was made

	due      []schedctl.Due // handed over and not resolved
	resolves group
	later    heap[moment] // claimed before their time, for the clock was set back

	recovered bool // the attempts of earlier runs are in their queues
	recovers  group
	claims    group
	endings   []*ending // calls that have ended and are not recorded
	records   group

	inFlight  int // busy queues
	stopping  bool
	nextSweep time.Time
	jobs      sync.WaitGroup // claims, calls and recordings under way
}

func newDispatcher(d *Deliverer) *dispatcher {
	return &dispatcher{
		Deliverer: d,
		queues:    queues{byAccount: map[string]*queue{}},
		marks:     map[schedctl.ULID]mark{},
		resolves:  group{size: maxGroup},
		recovers:  group{size: 1},
		claims:    group{size: maxGroup},
		records:   group{size: maxGroup},
		nextSweep: time.Now().Add(sweepInterval),
	}
}

// turn does what there is to do now. ctx is for the work that it starts.
func (x *dispatcher) turn(ctx context.Context) {
	now := time.Now()
	x.readMail(now)
	if x.recovered || x.recover(ctx, now) {
		x.wakeLater(now)
		x.resolve(ctx, now)
		x.queues.wake(now)
		x.sweep(ctx, now)
		x.serve(ctx, now)
		x.recordSome(ctx, now)
	}
	x.tick.Store(now.UnixNano())
	x.stats.inFlight.Store(int64(x.inFlight))
	x.stats.queued.Store(int64(x.queues.waiting + len(x.due)))
	x.stats.held.Store(int64(x.queues.held))
}

func (x *dispatcher) readMail(now time.Time) {
	mail := x.mail.take()
	if x.due == nil {
		x.due = mail.due
	} else {
		x.due = append(x.due, mail.due...)
	}
	for _, account := range mail.changed {
		if q := x.queues.byAccount[account]; q != nil {
			q.changed = true
			if q.held || q.refused() {
				x.queues.release(q)
				x.queues.arrange(q, now)
			}
		}
	}
	for _, report := range mail.reports {
		report(x)
	}
}

// wakeLater brings back what was handed over before its time.
func (x *dispatcher) wakeLater(now time.Time) {
	for x.later.len() > 0 && x.later.head().At <= now.UnixMilli() {
		x.due = append(x.due, schedctl.Due(x.later.pop()))
	}
}

// sleep returns how long there is nothing to do unless mail comes.
func (x *dispatcher) sleep() time.Duration {
	now := time.Now()
	if !x.recovered {
		return max(x.recovers.resume.Sub(now), 0)
	}
	sleep := x.nextSweep.Sub(now)
	until := func(t time.Time) { sleep = min(sleep, t.Sub(now)) }
	if len(x.due) > 0 && !x.stopping {
		until(x.resolves.resume)
	}
	if x.queues.first() != nil && !x.claims.running && x.inFlight < x.cfg.Workers && !x.stopping {
		until(x.claims.resume)
	}
	if len(x.endings) > 0 && !x.records.running {
		until(x.records.resume)
	}
	if x.queues.alarms.len() > 0 {
		until(x.queues.alarms.head().at)
	}
	if x.later.len() > 0 {
		until(schedctl.Due(x.later.head()).Time())
	}
	return max(sleep, 0)
}

// serve begins as many claims and questions as there are free workers.
func (x *dispatcher) serve(ctx context.Context, now time.Time) {
	var batch []item
	for !x.stopping && x.inFlight < x.cfg.Workers {
		q := x.queues.first()
		if q == nil {
			break
		}
		if len(q.doubts) > 0 && !q.blocked(now) {
			x.begin()
			x.settleFirst(ctx, q)
			continue
		}
		if !x.claims.open(now) || len(batch) >= x.claims.size {
			break
		}
		x.begin()
		batch = x.takeItems(batch, q, now)
	}
	if len(batch) > 0 {
		x.claimAll(ctx, batch)
	}
}

// begin makes the first queue busy.
func (x *dispatcher) begin() {
	x.queues.serve()
	x.inFlight++
}

// finish makes a queue idle.
func (x *dispatcher) finish(q *queue) {
	q.busy, q.calling = false, false
	x.inFlight--
	x.queues.arrange(q, time.Now())
}

// forget ends the way of a target. One that was handed over meanwhile is looked
// at once more, as due at the given time: what has come of it may have been
// decided before.
func (x *dispatcher) forget(target schedctl.ULID, at time.Time) {
	m := x.marks[target]
	delete(x.marks, target)
	if m&again != 0 {
		x.due = append(x.due, schedctl.Due{At: at.UnixMilli(), Target: target})
	}
	if len(x.marks) == 0 && x.mostMark > maxResolve {
		// A map keeps the memory of its largest size.
		x.marks, x.mostMark = map[schedctl.ULID]mark{}, 0
	}
}

// setMark moves a target to another place.
func (x *dispatcher) setMark(target schedctl.ULID, m mark) {
	x.marks[target] = m
	x.mostMark = max(x.mostMark, len(x.marks))
}

// logGroup tells of the store's state when it changes, and not with each try.
func (x *dispatcher) logGroup(first bool, what string, err error) {
	switch {
	case !first:
	case err != nil:
		x.log.Error("store fails, trying again", "while", what, "error", err)
	default:
		x.log.Info("store works again", "while", what)
	}
}
