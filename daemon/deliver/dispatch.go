package deliver

import (
	"context"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/clock"
)

// targetState is what the dispatcher is doing with a target, so that it does only
// one thing at a time.
type targetState uint8

const (
	stateQueued        targetState = 1 << iota
	stateInFlight                  // being claimed, called, settled or recorded
	stateEnqueuedAgain             // enqueued again while in flight; to be resolved afterwards
	stateUncertain                 // its claim failed, but may have been committed
)

// dueEntry is an entry of the due index in a heap.
type dueEntry schedctl.Due

func (e dueEntry) Before(o dueEntry) bool { return schedctl.Due(e).Compare(schedctl.Due(o)) < 0 }

// dispatcher is the state of a run. It belongs to the goroutine of [Deliverer.Run].
// Its jobs are methods of [Deliverer] and have no access to it.
type dispatcher struct {
	d          *Deliverer
	queues     queues
	states     map[schedctl.ULID]targetState
	statesPeak int // the largest size of states since it was made

	due      []schedctl.Due // enqueued and not resolved
	resolves pacer
	deferred heap[dueEntry] // not due: the clock was set back or is not trusted

	recovered bool // the attempts of earlier runs are in their queues
	recovers  pacer

	claims     pacer
	unrecorded []*attemptEnd // calls that have ended and are not recorded
	records    pacer

	leap     clock.Leap // as of this turn
	setBacks int        // how many times the clock was set back, as far as handled; -1 at the start
	rebases  pacer

	inFlight  int // busy queues
	stopping  bool
	nextSweep time.Time
	jobs      sync.WaitGroup // running claims, calls and recordings
}

func newDispatcher(d *Deliverer) *dispatcher {
	return &dispatcher{
		d:         d,
		queues:    queues{byAccount: map[string]*queue{}},
		states:    map[schedctl.ULID]targetState{},
		resolves:  pacer{size: maxGroup},
		recovers:  pacer{size: 1},
		claims:    pacer{size: maxGroup},
		records:   pacer{size: maxGroup},
		setBacks:  -1,
		nextSweep: time.Now().Add(sweepInterval),
	}
}

// turn does all work that is possible now. ctx is for the jobs that it starts.
func (x *dispatcher) turn(ctx context.Context) {
	now := time.Now()
	x.readMail(now)
	if x.d.coord.ready(ctx, x, now) {
		x.rebase(ctx, now)
		x.wakeDeferred(now)
		x.resolve(ctx, now)
		x.d.coord.adopt(ctx, x, now)
		x.queues.wake(now)
		x.sweep(ctx, now)
		x.startWork(ctx, now)
		x.d.coord.checkStandby(ctx, x, now)
		x.startRecording(ctx, now)
	}
	x.d.tick.Store(&now)
	x.d.stats.inFlight.Store(int64(x.inFlight))
	x.d.stats.queued.Store(int64(x.queues.waiting + len(x.due)))
	x.d.stats.held.Store(int64(x.queues.held))
}

func (x *dispatcher) readMail(now time.Time) {
	mail := x.d.mail.take()
	if x.due == nil {
		x.due = mail.due
	} else {
		x.due = append(x.due, mail.due...)
	}
	for _, account := range mail.changed {
		if q := x.queues.byAccount[account]; q != nil {
			q.changed = true
			if !q.busy && len(q.unresolved) > 0 {
				q.unresolved[0].askNow = true
			}
			x.unparkChanged(q, now)
			if q.held || len(q.unresolved) > 0 {
				x.queues.release(q, now)
				x.queues.reschedule(q, now)
			}
		}
	}
	for _, report := range mail.reports {
		report(x)
	}
}

// wakeDeferred moves targets that are now due back to x.due, unless the clock is not
// trusted.
func (x *dispatcher) wakeDeferred(now time.Time) {
	if x.leap = x.d.cfg.Clock.Leap(); x.leap.InDoubt() {
		return
	}
	for x.deferred.len() > 0 && x.deferred.head().At <= now.UnixMilli() {
		x.due = append(x.due, schedctl.Due(x.deferred.pop()))
	}
}

// sleep returns how long the dispatcher has nothing to do unless mail arrives.
func (x *dispatcher) sleep() time.Duration {
	now := time.Now()
	if !x.recovered {
		return max(x.recovers.notBefore.Sub(now), 0)
	}
	sleep := x.nextSweep.Sub(now)
	until := func(t time.Time) { sleep = min(sleep, t.Sub(now)) }
	if len(x.due) > 0 && !x.stopping && !x.resolves.running && !x.d.coord.gathering(x) {
		until(x.resolves.notBefore)
	}
	if x.queues.firstReady() != nil && !x.claims.running && x.inFlight < x.d.cfg.Workers && !x.stopping {
		until(x.claims.notBefore)
	}
	if len(x.unrecorded) > 0 && !x.records.running {
		until(x.records.notBefore)
	}
	if x.queues.alarms.len() > 0 {
		until(x.queues.alarms.head().at)
	}
	x.d.coord.wakeTimes(x, until)
	if x.deferred.len() > 0 && !x.leap.InDoubt() {
		until(schedctl.Due(x.deferred.head()).Time())
	}
	return max(sleep, 0)
}

// startWork starts to claim or settle for as many queues as there are free workers.
func (x *dispatcher) startWork(ctx context.Context, now time.Time) {
	var batch []claimItem
	for !x.stopping && x.inFlight < x.d.cfg.Workers {
		q := x.queues.firstReady()
		if q == nil {
			break
		}
		if len(q.unresolved) > 0 && !q.blocked(now) {
			x.markBusy()
			x.settleFirst(ctx, q)
			continue
		}
		if !x.claims.mayStart(now) || len(batch) >= x.claims.size || !x.d.coord.mayClaim(x, now) {
			break
		}
		if x.d.coord.standsBy(x, q, now) {
			continue
		}
		x.markBusy()
		batch = x.takeItems(batch, q, now)
	}
	if len(batch) > 0 {
		x.claimAll(ctx, batch)
	}
}

// markBusy makes the first ready queue busy.
func (x *dispatcher) markBusy() {
	x.queues.popReady()
	x.inFlight++
}

// markIdle makes a queue idle.
func (x *dispatcher) markIdle(q *queue) {
	q.busy, q.calling = false, false
	x.inFlight--
	x.queues.reschedule(q, time.Now())
}

// forget removes the state of a target. A target that was enqueued again in the
// meantime is resolved once more, as due at the given time, because it may have
// changed after the dispatcher's decision.
func (x *dispatcher) forget(target schedctl.ULID, at time.Time) {
	state := x.states[target]
	delete(x.states, target)
	if state&stateEnqueuedAgain != 0 {
		x.due = append(x.due, schedctl.Due{At: at.UnixMilli(), Target: target})
	}
	if len(x.states) == 0 && x.statesPeak > maxResolve {
		// A map keeps the memory of its largest size.
		x.states, x.statesPeak = map[schedctl.ULID]targetState{}, 0
	}
}

func (x *dispatcher) setState(target schedctl.ULID, state targetState) {
	x.states[target] = state
	x.statesPeak = max(x.statesPeak, len(x.states))
}

// logStoreState logs when the store starts to fail and when it works again, and not
// every failed try.
func (x *dispatcher) logStoreState(changed bool, operation string, err error) {
	switch {
	case !changed:
	case err != nil:
		x.d.log.Error("store fails, trying again", "while", operation, "error", err)
	default:
		x.d.log.Info("store works again", "while", operation)
	}
}

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlierOf(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
