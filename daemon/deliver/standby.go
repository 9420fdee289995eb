package deliver

import (
	"context"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// One of the members is preferred for each account, and the others stand by: they
// try a target when it still waits a moment after its time. So mostly nobody is in
// another's way, and when the preferred one is dead, nobody has to know that first.
const (
	// standbyDelay is how long after its time a target is left to the preferred member.
	standbyDelay = 700 * time.Millisecond

	// standbyOverdueInterval is how often it is looked whether overdue targets still wait, and
	// whether their account is one's own by now. They are spaced by whoever is
	// preferred; two that space them would make the flood that spacing is against.
	standbyOverdueInterval = 5 * time.Second

	// takeoverPeriod is how long an account is worked on once the preferred member was seen
	// not to.
	takeoverPeriod = 3 * time.Second

	// spacingWindow is how long after its space an overdue target is taken to follow one
	// that was begun here too.
	spacingWindow = 2 * time.Second

	// standbyCheckPause is between two looks: each is for all queues that have come to it
	// meanwhile, most of which have nothing left that waits.
	standbyCheckPause = 100 * time.Millisecond

	// maxStandbyReads is how many targets are asked for at a time whether they wait, and how
	// many entries of the due index are read for that.
	maxStandbyReads = 20_000

	// minElsewherePause is how soon an account is tried again that another member has a
	// call of, at first, and maxElsewherePause at last.
	minElsewherePause = 250 * time.Millisecond
	maxElsewherePause = time.Second
)

// standsBy takes the first queue off the list when its account is to be left to
// another member for now, and reports whether it has.
func (x *dispatcher) standsBy(q *queue, now time.Time) bool {
	m := x.cfg.Member
	if m == nil || len(q.expired) > 0 || q.blocked(now) || m.Mine(q.account) || x.hasUncertainClaim(q) {
		return false
	}
	p := x.preferredPeer(q)
	leaves := p.isLeftAlone(q, now)
	if now.Before(q.takeoverUntil) && !leaves {
		return false
	}
	x.queues.popReady()
	late := max(now.Sub(q.waiting.head().Time()), 0)
	switch {
	case leaves:
		q.notBefore = p.aloneUntil
	case late < firstCheckDelay:
		q.notBefore = now.Add(firstCheckDelay - late)
	case late < standbyDelay && now.Sub(p.checkedAt) < checkValidity:
		q.notBefore = now.Add(standbyDelay - late)
	default:
		x.standbyQueues = append(x.standbyQueues, q)
		return true
	}
	q.busy = false
	x.queues.reschedule(q, now)
	return true
}

// hasUncertainClaim reports whether a claim of the queue may be on disk. Only this member
// knows that no call was made then, so that it has to claim again.
func (x *dispatcher) hasUncertainClaim(q *queue) bool {
	q.uncertain = q.uncertain && slices.ContainsFunc(q.waiting.items, func(e entry) bool { return x.states[e.Target]&stateUncertain != 0 })
	return q.uncertain
}

// standbyCheck is the question which targets of some queues still wait, by target, and what
// other members have under way.
type standbyCheck struct {
	queues    []*queue
	waits     map[schedctl.ULID]bool
	from, to  schedctl.Due
	truncated bool // what is not before to was not read
	activity  map[string]peerActivity
}

// startStandbyCheck asks for the queues that stand by, on a goroutine of its own.
func (x *dispatcher) startStandbyCheck(ctx context.Context, now time.Time) {
	if len(x.standbyQueues) == 0 || x.stopping || !x.standbyChecks.mayStart(now) {
		return
	}
	l := &standbyCheck{queues: x.standbyQueues, waits: map[schedctl.ULID]bool{}}
	x.standbyQueues = nil
	for _, q := range l.queues {
		for _, e := range q.waiting.items[:min(q.waiting.len(), maxStandbyReads-len(l.waits))] {
			x.addToCheck(l, e.Due)
		}
	}
	x.standbyChecks.running = true
	x.jobs.Go(func() {
		err := x.Deliverer.checkStandby(ctx, l)
		x.mail.report(func(x *dispatcher) { x.standbyChecked(l, err) })
	})
}

// addToCheck adds a target to the question.
func (x *dispatcher) addToCheck(l *standbyCheck, d schedctl.Due) {
	if len(l.waits) == 0 || d.Compare(l.from) < 0 {
		l.from = d
	}
	if d.Compare(l.to) > 0 {
		l.to = d
	}
	l.waits[d.Target] = false
	x.setState(d.Target, stateInFlight)
}

// checkStandby answers the question with one read of the due index, and one of the attempts
// that run.
func (d *Deliverer) checkStandby(ctx context.Context, l *standbyCheck) error {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	return d.cfg.Store.View(ctx, func(r storage.Reader) error {
		left, read := len(l.waits), 0
		err := r.Due(l.from, func(due schedctl.Due) bool {
			if due.Compare(l.to) > 0 {
				return false
			}
			if read++; read == maxStandbyReads {
				l.to, l.truncated = due, true
				return false
			}
			if waits, asked := l.waits[due.Target]; asked && !waits {
				l.waits[due.Target] = true
				left--
			}
			return left > 0
		})
		if err == nil {
			l.activity, err = d.peerActivities(r)
		}
		return err
	})
}

// standbyChecked lets the queues be served in which something still waits.
func (x *dispatcher) standbyChecked(l *standbyCheck, err error) {
	now := time.Now()
	if err != nil {
		x.logStoreState(x.standbyChecks.failed(1, err, now), "looking whether others publish", err)
	} else {
		x.logStoreState(x.standbyChecks.succeeded(), "looking whether others publish", nil)
		x.standbyChecks.notBefore = now.Add(standbyCheckPause)
		x.observePeers(l.queues, l.activity, now)
	}
	for _, q := range l.queues {
		if err == nil {
			x.dropHandled(q, l, now)
		}
		for _, e := range q.waiting.items {
			if _, asked := l.waits[e.Target]; asked {
				x.setState(e.Target, stateQueued)
			}
		}
		if err != nil {
			q.notBefore = now.Add(time.Second)
		} else {
			x.scheduleStandby(q, now)
		}
		q.busy = false
		x.queues.reschedule(q, now)
	}
}

// scheduleStandby decides what becomes of a queue that was looked at.
func (x *dispatcher) scheduleStandby(q *queue, now time.Time) {
	if q.waiting.len() == 0 {
		return
	}
	p, late := x.preferredPeer(q), now.Sub(q.waiting.head().Time())
	switch {
	case late > overdue:
		q.notBefore = now.Add(standbyOverdueInterval)
	case p.isLeftAlone(q, now):
		q.notBefore = p.aloneUntil
	case late < standbyDelay:
		q.notBefore = now.Add(standbyDelay - late)
	case !p.checkedTwice:
		q.notBefore = now.Add(secondCheckDelay)
	default:
		q.takeoverUntil = now.Add(takeoverPeriod)
	}
}

// dropHandled forgets what waits no more.
func (x *dispatcher) dropHandled(q *queue, l *standbyCheck, now time.Time) {
	done := q.waiting.filter(func(e *entry) bool {
		waits, asked := l.waits[e.Target]
		return waits || !asked || l.truncated && e.Compare(l.to) >= 0
	})
	x.queues.waiting -= len(done)
	if q.held {
		x.queues.held -= len(done)
	}
	for _, e := range done {
		x.forget(e.Target, now)
	}
}

// nextElsewherePause returns how long to leave an account alone that another member
// has a call of.
func (q *queue) nextElsewherePause() time.Duration {
	pause := min(minElsewherePause<<min(q.busyElsewhere, 8), maxElsewherePause)
	q.busyElsewhere++
	return pause
}
