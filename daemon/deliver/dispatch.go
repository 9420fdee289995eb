package deliver

import (
	"context"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/clock"
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
	later    heap[moment] // claimed before their time, for the clock was set back or is in doubt

	recovered bool // the attempts of earlier runs are in their queues
	recovers  group

	// With other members. inHand are the attempts whose calls are under way, to be
	// settled or to be recorded; looks are queues that stand by and may have to be
	// served; peers are those that are preferred for them, by id.
	inHand    map[string]bool
	orphans   orphans
	looks     []*queue
	lookers   group
	peers     map[string]*peer
	surveying bool // held accounts are being read

	claims  group
	endings []*ending // calls that have ended and are not recorded
	records group

	leap     clock.Leap // as of this turn
	setBacks int        // of the clock, that were seen to; -1 at the start
	rebases  group

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
		recovered: d.cfg.Member != nil, // see adopt
		recovers:  group{size: 1},
		inHand:    map[string]bool{},
		peers:     map[string]*peer{},
		lookers:   group{size: 1},
		claims:    group{size: maxGroup},
		records:   group{size: maxGroup},
		setBacks:  -1,
		nextSweep: time.Now().Add(sweepInterval),
	}
}

// turn does what there is to do now. ctx is for the work that it starts.
func (x *dispatcher) turn(ctx context.Context) {
	now := time.Now()
	x.readMail(now)
	if x.recovered || x.recover(ctx, now) {
		x.rebase(ctx, now)
		x.wakeLater(now)
		x.resolve(ctx, now)
		x.adopt(ctx, now)
		x.queues.wake(now)
		x.sweep(ctx, now)
		x.serve(ctx, now)
		x.lookSome(ctx, now)
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
			if !q.busy && len(q.doubts) > 0 {
				q.doubts[0].askNow = true
			}
			if q.held || len(q.doubts) > 0 {
				x.queues.release(q)
				x.queues.arrange(q, now)
			}
		}
	}
	for _, report := range mail.reports {
		report(x)
	}
}

// wakeLater brings back what was handed over before its time. While the clock is
// in doubt nobody knows what that is.
func (x *dispatcher) wakeLater(now time.Time) {
	if x.leap = x.cfg.Clock.Leap(); x.leap.InDoubt() {
		return
	}
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
	if len(x.due) > 0 && !x.stopping && !x.resolves.running && !x.mayGather() {
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
	if x.cfg.Member != nil && !x.stopping {
		if !x.recovers.running {
			until(later(x.orphans.next, x.recovers.resume))
		}
		if len(x.looks) > 0 && !x.lookers.running {
			until(x.lookers.resume)
		}
	}
	if x.later.len() > 0 && !x.leap.InDoubt() {
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
		if !x.claims.open(now) || len(batch) >= x.claims.size || !x.mayClaim(now) {
			break
		}
		if x.standsBy(q, now) {
			continue
		}
		x.begin()
		batch = x.takeItems(batch, q, now)
	}
	if len(batch) > 0 {
		x.claimAll(ctx, batch)
	}
}

// pace returns how long a transaction may be left to gather what comes.
func (x *dispatcher) pace() time.Duration {
	if x.cfg.Member == nil || x.inFlight < crowd {
		return 0
	}
	return sharedPace
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

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
