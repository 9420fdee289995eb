package deliver

import (
	"context"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/clock"
)

// targetState says where a target is, so that it is in one place at a time.
type targetState uint8

const (
	stateQueued        targetState = 1 << iota
	stateInFlight                  // being claimed, called, settled or recorded
	stateEnqueuedAgain             // handed over once more meanwhile; to be looked at afterwards
	stateUncertain                 // its claim failed, and may be on disk all the same
)

// dueEntry is an entry of the due index in a heap.
type dueEntry schedctl.Due

func (m dueEntry) Before(o dueEntry) bool { return schedctl.Due(m).Compare(schedctl.Due(o)) < 0 }

// dispatcher is the state of a run. It belongs to the goroutine of
// [Deliverer.Run]; the work it starts is done by methods of [Deliverer], which
// know nothing of it.
type dispatcher struct {
	*Deliverer
	queues     queues
	states     map[schedctl.ULID]targetState
	statesPeak int // the largest size of marks since it was made

	due      []schedctl.Due // handed over and not resolved
	resolves pacer
	deferred heap[dueEntry] // claimed before their time, for the clock was set back or is in doubt

	recovered bool // the attempts of earlier runs are in their queues
	recovers  pacer

	// With other members. inHand are the attempts whose calls are under way, to be
	// settled or to be recorded; looks are queues that stand by and may have to be
	// served; peers are those that are preferred for them, by id.
	inHand        map[string]bool
	orphans       orphans
	standbyQueues []*queue
	standbyChecks pacer
	peers         map[string]*peer
	checkingHeld  bool // held accounts are being read

	claims     pacer
	unrecorded []*attemptEnd // calls that have ended and are not recorded
	records    pacer

	leap     clock.Leap // as of this turn
	setBacks int        // of the clock, that were seen to; -1 at the start
	rebases  pacer

	inFlight  int // busy queues
	stopping  bool
	nextSweep time.Time
	jobs      sync.WaitGroup // claims, calls and recordings under way
}

func newDispatcher(d *Deliverer) *dispatcher {
	return &dispatcher{
		Deliverer:     d,
		queues:        queues{byAccount: map[string]*queue{}},
		states:        map[schedctl.ULID]targetState{},
		resolves:      pacer{size: maxGroup},
		recovered:     d.cfg.Member != nil, // see adopt
		recovers:      pacer{size: 1},
		inHand:        map[string]bool{},
		peers:         map[string]*peer{},
		standbyChecks: pacer{size: 1},
		claims:        pacer{size: maxGroup},
		records:       pacer{size: maxGroup},
		setBacks:      -1,
		nextSweep:     time.Now().Add(sweepInterval),
	}
}

// turn does what there is to do now. ctx is for the work that it starts.
func (x *dispatcher) turn(ctx context.Context) {
	now := time.Now()
	x.readMail(now)
	if x.recovered || x.recoverAttempts(ctx, now) {
		x.rebase(ctx, now)
		x.wakeDeferred(now)
		x.resolve(ctx, now)
		x.adopt(ctx, now)
		x.queues.wake(now)
		x.sweep(ctx, now)
		x.startWork(ctx, now)
		x.startStandbyCheck(ctx, now)
		x.recordSome(ctx, now)
	}
	x.tick.Store(&now)
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
			if !q.busy && len(q.unresolved) > 0 {
				q.unresolved[0].askNow = true
			}
			if q.held || len(q.unresolved) > 0 {
				x.queues.release(q)
				x.queues.reschedule(q, now)
			}
		}
	}
	for _, report := range mail.reports {
		report(x)
	}
}

// wakeDeferred brings back what was handed over before its time. While the clock is
// in doubt nobody knows what that is.
func (x *dispatcher) wakeDeferred(now time.Time) {
	if x.leap = x.cfg.Clock.Leap(); x.leap.InDoubt() {
		return
	}
	for x.deferred.len() > 0 && x.deferred.head().At <= now.UnixMilli() {
		x.due = append(x.due, schedctl.Due(x.deferred.pop()))
	}
}

// sleep returns how long there is nothing to do unless mail comes.
func (x *dispatcher) sleep() time.Duration {
	now := time.Now()
	if !x.recovered {
		return max(x.recovers.notBefore.Sub(now), 0)
	}
	sleep := x.nextSweep.Sub(now)
	until := func(t time.Time) { sleep = min(sleep, t.Sub(now)) }
	if len(x.due) > 0 && !x.stopping && !x.resolves.running && !x.gathering() {
		until(x.resolves.notBefore)
	}
	if x.queues.firstReady() != nil && !x.claims.running && x.inFlight < x.cfg.Workers && !x.stopping {
		until(x.claims.notBefore)
	}
	if len(x.unrecorded) > 0 && !x.records.running {
		until(x.records.notBefore)
	}
	if x.queues.alarms.len() > 0 {
		until(x.queues.alarms.head().at)
	}
	if x.cfg.Member != nil && !x.stopping {
		if !x.recovers.running {
			until(laterOf(x.orphans.next, x.recovers.notBefore))
		}
		if len(x.standbyQueues) > 0 && !x.standbyChecks.running {
			until(x.standbyChecks.notBefore)
		}
	}
	if x.deferred.len() > 0 && !x.leap.InDoubt() {
		until(schedctl.Due(x.deferred.head()).Time())
	}
	return max(sleep, 0)
}

// startWork begins as many claims and questions as there are free workers.
func (x *dispatcher) startWork(ctx context.Context, now time.Time) {
	var batch []claimItem
	for !x.stopping && x.inFlight < x.cfg.Workers {
		q := x.queues.firstReady()
		if q == nil {
			break
		}
		if len(q.unresolved) > 0 && !q.blocked(now) {
			x.markBusy()
			x.settleFirst(ctx, q)
			continue
		}
		if !x.claims.mayStart(now) || len(batch) >= x.claims.size || !x.mayClaim(now) {
			break
		}
		if x.standsBy(q, now) {
			continue
		}
		x.markBusy()
		batch = x.takeItems(batch, q, now)
	}
	if len(batch) > 0 {
		x.claimAll(ctx, batch)
	}
}

// pace returns how long a transaction may be left to gather what comes.
func (x *dispatcher) pace() time.Duration {
	if x.cfg.Member == nil || x.inFlight < crowdedAccounts {
		return 0
	}
	return sharedPace
}

// markBusy makes the first queue busy.
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

// forget ends the way of a target. One that was handed over meanwhile is looked
// at once more, as due at the given time: what has come of it may have been
// decided before.
func (x *dispatcher) forget(target schedctl.ULID, at time.Time) {
	m := x.states[target]
	delete(x.states, target)
	if m&stateEnqueuedAgain != 0 {
		x.due = append(x.due, schedctl.Due{At: at.UnixMilli(), Target: target})
	}
	if len(x.states) == 0 && x.statesPeak > maxResolve {
		// A map keeps the memory of its largest size.
		x.states, x.statesPeak = map[schedctl.ULID]targetState{}, 0
	}
}

// setState moves a target to another place.
func (x *dispatcher) setState(target schedctl.ULID, m targetState) {
	x.states[target] = m
	x.statesPeak = max(x.statesPeak, len(x.states))
}

// logStoreState tells of the store's state when it changes, and not with each try.
func (x *dispatcher) logStoreState(first bool, what string, err error) {
	switch {
	case !first:
	case err != nil:
		x.log.Error("store fails, trying again", "while", what, "error", err)
	default:
		x.log.Info("store works again", "while", what)
	}
}

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
