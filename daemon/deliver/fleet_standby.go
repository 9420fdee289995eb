package deliver

import (
	"context"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// One node is preferred for each account. The other nodes stand by: they claim a
// target only when it still waits some time after it was due. Nodes therefore rarely
// compete for an account, and a dead preferred node need not be detected first.
const (
	// standbyDelay is how long after its time a target is left to the preferred node.
	standbyDelay = 700 * time.Millisecond

	// standbyOverdueInterval is how often a node checks whether overdue targets still
	// wait, and whether it is now preferred for their account. Only the preferred node
	// spaces overdue targets: two nodes would publish twice as many.
	standbyOverdueInterval = 5 * time.Second

	// takeoverPeriod is how long a node serves an account after it found that the
	// preferred node does not.
	takeoverPeriod = 3 * time.Second

	// spacingWindow is how long after its spacing ended an overdue target is still
	// spaced by the overdue target that this node published before.
	spacingWindow = 2 * time.Second

	// standbyCheckPause is the time between two checks. Each check covers all queues
	// that were added since. Most of them have no waiting target left.
	standbyCheckPause = 100 * time.Millisecond

	// maxStandbyReads is how many targets a check covers, and how many entries of the
	// due index it reads.
	maxStandbyReads = 20_000

	// minElsewherePause is how soon an account that another node calls the network for
	// is tried again at first. It doubles up to maxElsewherePause.
	minElsewherePause = 250 * time.Millisecond
	maxElsewherePause = time.Second
)

// standsBy leaves a queue to the preferred node of its account until the target is
// late. Then the queue waits for a standby check.
func (f *fleet) standsBy(x *dispatcher, q *queue, now time.Time) bool {
	if len(q.expired) > 0 || q.blocked(now) || f.member.Mine(q.account) || x.hasUncertainClaim(q) {
		return false
	}
	p := f.preferredPeer(q)
	left := p.isLeftAlone(q, now)
	if now.Before(q.takeoverUntil) && !left {
		return false
	}
	x.queues.popReady()
	late := max(now.Sub(q.waiting.head().Time()), 0)
	switch {
	case left:
		q.notBefore = p.aloneUntil
	case late < firstCheckDelay:
		q.notBefore = now.Add(firstCheckDelay - late)
	case late < standbyDelay && now.Sub(p.checkedAt) < checkValidity:
		q.notBefore = now.Add(standbyDelay - late)
	default:
		f.standbyQueues = append(f.standbyQueues, q)
		return true
	}
	q.busy = false
	x.queues.reschedule(q, now)
	return true
}

// hasUncertainClaim reports whether a claim of the queue may have been committed
// although it failed. Only this node knows that no call was made for it, so this node
// has to claim again.
func (x *dispatcher) hasUncertainClaim(q *queue) bool {
	q.uncertain = q.uncertain && slices.ContainsFunc(q.waiting.items, func(e entry) bool { return x.states[e.Target]&stateUncertain != 0 })
	return q.uncertain
}

// standbyCheck finds out which targets of some queues still wait, and what other
// nodes are publishing.
type standbyCheck struct {
	queues    []*queue
	waits     map[schedctl.ULID]bool // by target
	from, to  schedctl.Due
	truncated bool // entries from to on were not read
	activity  map[string]peerActivity
}

// add includes a target in the check.
func (c *standbyCheck) add(d schedctl.Due) {
	if len(c.waits) == 0 || d.Compare(c.from) < 0 {
		c.from = d
	}
	if d.Compare(c.to) > 0 {
		c.to = d
	}
	c.waits[d.Target] = false
}

// checkStandby starts a check of the queues that stand by, on a goroutine of its own.
func (f *fleet) checkStandby(ctx context.Context, x *dispatcher, now time.Time) {
	if len(f.standbyQueues) == 0 || x.stopping || !f.standbyChecks.mayStart(now) {
		return
	}
	check := &standbyCheck{queues: f.standbyQueues, waits: map[schedctl.ULID]bool{}}
	f.standbyQueues = nil
	for _, q := range check.queues {
		for _, e := range q.waiting.items[:min(q.waiting.len(), maxStandbyReads-len(check.waits))] {
			check.add(e.Due)
			x.setState(e.Target, stateInFlight)
		}
	}
	f.standbyChecks.running = true
	x.jobs.Go(func() {
		err := f.runStandbyCheck(ctx, check)
		x.d.mail.report(func(x *dispatcher) { f.standbyChecked(x, check, err) })
	})
}

// runStandbyCheck reads the due index and the running attempts once.
func (f *fleet) runStandbyCheck(ctx context.Context, check *standbyCheck) error {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	return f.store.View(ctx, func(r storage.Reader) error {
		left, read := len(check.waits), 0
		err := r.Due(check.from, func(due schedctl.Due) bool {
			if due.Compare(check.to) > 0 {
				return false
			}
			if read++; read == maxStandbyReads {
				check.to, check.truncated = due, true
				return false
			}
			if waits, included := check.waits[due.Target]; included && !waits {
				check.waits[due.Target] = true
				left--
			}
			return left > 0
		})
		if err == nil {
			check.activity, err = f.peerActivities(r)
		}
		return err
	})
}

// standbyChecked drops the targets that no longer wait and schedules the queues.
func (f *fleet) standbyChecked(x *dispatcher, check *standbyCheck, err error) {
	now := time.Now()
	if err != nil {
		x.logStoreState(f.standbyChecks.failed(1, err, now), "checking what other nodes publish", err)
	} else {
		x.logStoreState(f.standbyChecks.succeeded(), "checking what other nodes publish", nil)
		f.standbyChecks.notBefore = now.Add(standbyCheckPause)
		f.observePeers(check.queues, check.activity, now)
	}
	for _, q := range check.queues {
		if err == nil {
			x.dropHandled(q, check, now)
		}
		for _, e := range q.waiting.items {
			if _, included := check.waits[e.Target]; included {
				x.setState(e.Target, stateQueued)
			}
		}
		if err != nil {
			q.notBefore = now.Add(time.Second)
		} else {
			f.scheduleStandby(q, now)
		}
		q.busy = false
		x.queues.reschedule(q, now)
	}
}

// scheduleStandby decides when a queue that was checked is checked again, or that
// this node takes it over.
func (f *fleet) scheduleStandby(q *queue, now time.Time) {
	if q.waiting.len() == 0 {
		return
	}
	p, late := f.preferredPeer(q), now.Sub(q.waiting.head().Time())
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

// dropHandled forgets the targets that no longer wait.
func (x *dispatcher) dropHandled(q *queue, check *standbyCheck, now time.Time) {
	done := q.waiting.filter(func(e *entry) bool {
		waits, included := check.waits[e.Target]
		return waits || !included || check.truncated && e.Compare(check.to) >= 0
	})
	x.queues.waiting -= len(done)
	if q.held {
		x.queues.held -= len(done)
	}
	for _, e := range done {
		x.forget(e.Target, now)
	}
}

// nextElsewherePause returns how long to leave an account alone while another node
// calls the network for it. Each pause in a row is longer.
func (q *queue) nextElsewherePause() time.Duration {
	pause := min(minElsewherePause<<min(q.busyElsewhere, 8), maxElsewherePause)
	q.busyElsewhere++
	return pause
}
