package deliver

import (
	"time"

	"github.com/schedctl/schedctl"
)

// entry is a target in its account's queue.
type entry struct {
	schedctl.Due

	// expires is the Unix millisecond after which the target is too late to be
	// published, or 0 if it was not read yet.
	expires int64
}

func (e entry) Before(o entry) bool { return e.Compare(o.Due) < 0 }

// queue is the work of one account. It belongs to the dispatcher.
type queue struct {
	account, workspace string

	waiting    heap[entry]          // due and not claimed
	expired    []entry              // too late to be published; they fail even if the account is held
	parked     []schedctl.Due       // due, and stopped by a hold of a label; see park
	unresolved []*unresolvedAttempt // to be settled before anything else

	busy        bool      // a claim, call, question or recording is running
	calling     bool      // while busy: a target's attempt is running
	ready       bool      // in the list of queues that can be served
	held        bool      // the network refused or paused the account, or a blackout holds it
	inBlackout  bool      // while held: by a blackout
	heldUntil   int64     // Unix millisecond at which a blackout was last seen to end, or 0; earlier targets are spaced
	changed     bool      // the account was stored while the queue was busy
	notBefore   time.Time // nothing starts before this; monotonic; zero for no limit
	alarm       time.Time // the latest time for which an alarm was set
	nextOverdue time.Time // no overdue target starts before this; monotonic

	// Used by fleet.
	takeoverUntil time.Time // until then this node serves the queue even if another node is preferred; monotonic
	uncertain     bool      // a failed claim may have been committed; see hasUncertainClaim
	busyElsewhere int       // how often in a row another node was calling the network for the account
}

// blocked reports whether the queue has to wait.
func (q *queue) blocked(now time.Time) bool {
	if q.notBefore.IsZero() {
		return q.held
	}
	return now.Before(q.notBefore)
}

// hasWork reports whether something can start now.
func (q *queue) hasWork(now time.Time) bool {
	if len(q.expired) > 0 {
		return true
	}
	switch {
	case q.blocked(now):
		return false
	case len(q.unresolved) > 0:
		return true
	case q.waiting.len() == 0:
		return false
	}
	// An entry is never older than its target, so if it is overdue, the target is too.
	return !now.Before(q.nextOverdue) || q.waiting.head().At > max(now.Add(-overdue).UnixMilli(), q.heldUntil)
}

// take removes the entries to claim next: up to limit entries that are certainly too
// late, or otherwise the oldest entry.
func (q *queue) take(now time.Time, maxLateness time.Duration, limit int) []entry {
	var taken []entry
	if n := min(len(q.expired), limit); n > 0 {
		taken, q.expired = q.expired[:n:n], q.expired[n:]
		if len(q.expired) == 0 {
			q.expired = nil
		}
	}
	if q.blocked(now) {
		return taken
	}
	tooLate := now.Add(-maxLateness).UnixMilli()
	for q.waiting.len() > 0 && q.waiting.head().At < tooLate && len(taken) < limit {
		taken = append(taken, q.waiting.pop())
	}
	if len(taken) == 0 && q.waiting.len() > 0 {
		taken = append(taken, q.waiting.pop())
	}
	return taken
}

// alarm wakes a queue.
type alarm struct {
	at    time.Time
	queue *queue
}

func (a alarm) Before(o alarm) bool { return a.at.Before(o.at) }

// queues holds the queues of all accounts that have work.
type queues struct {
	byAccount map[string]*queue
	ready     []*queue // to be served, in this order
	alarms    heap[alarm]
	waiting   int // entries in all queues
	held      int // entries in held queues
}

// queueFor returns the queue of an account, which it may create.
func (s *queues) queueFor(account, workspace string) *queue {
	q := s.byAccount[account]
	if q == nil {
		q = &queue{account: account, workspace: workspace}
		s.byAccount[account] = q
	}
	return q
}

func (s *queues) push(q *queue, e entry) {
	q.waiting.push(e)
	s.waiting++
	if q.held {
		s.held++
	}
}

// take calls [queue.take] and updates the counts.
func (s *queues) take(q *queue, now time.Time, maxLateness time.Duration, limit int) []entry {
	taken := q.take(now, maxLateness, limit)
	s.waiting -= len(taken)
	if q.held {
		s.held -= len(taken)
	}
	return taken
}

// hold stops the queue of an account that its network refused or paused, or that a
// blackout holds. A pause of zero lasts until the account changes.
func (s *queues) hold(q *queue, now time.Time, pause time.Duration) {
	if !q.held {
		q.held = true
		s.held += q.waiting.len() + len(q.expired)
	}
	until := time.Time{}
	if pause > 0 {
		until = now.Add(pause)
	}
	if until.Sub(q.notBefore).Abs() > time.Second { // otherwise the alarm that is set will do
		q.notBefore = until
	}
}

// release ends the hold of a queue.
func (s *queues) release(q *queue, now time.Time) {
	if q.inBlackout {
		q.inBlackout, q.heldUntil = false, now.UnixMilli()
	}
	if q.held {
		q.held = false
		s.held -= q.waiting.len() + len(q.expired)
	}
	q.notBefore = time.Time{}
}

// reschedule updates a queue after any change: it becomes ready, sleeps until an alarm,
// or is removed if it has no work.
func (s *queues) reschedule(q *queue, now time.Time) {
	switch {
	case q.busy || q.ready:
	case q.hasWork(now):
		q.ready = true
		s.ready = append(s.ready, q)
	case now.Before(q.notBefore):
		s.setAlarm(q, q.notBefore)
	case q.held, len(q.parked) > 0 && q.waiting.len() == 0:
	case now.Before(q.nextOverdue):
		s.setAlarm(q, q.nextOverdue)
	case s.byAccount[q.account] == q: // and not a newer queue of the same account
		delete(s.byAccount, q.account)
	}
}

func (s *queues) setAlarm(q *queue, at time.Time) {
	if !q.alarm.Equal(at) {
		q.alarm = at
		s.alarms.push(alarm{at: at, queue: q})
	}
}

// wake reschedules the queues whose alarms are due.
func (s *queues) wake(now time.Time) {
	for s.alarms.len() > 0 && !now.Before(s.alarms.head().at) {
		q := s.alarms.pop().queue
		if !q.notBefore.IsZero() && !now.Before(q.notBefore) {
			s.release(q, now)
		}
		s.reschedule(q, now)
	}
}

// firstReady returns the queue to serve next, or nil.
func (s *queues) firstReady() *queue {
	if len(s.ready) == 0 {
		return nil
	}
	return s.ready[0]
}

// popReady removes the first ready queue and makes it busy.
func (s *queues) popReady() *queue {
	q := s.ready[0]
	s.ready[0] = nil
	s.ready = s.ready[1:]
	q.ready, q.busy, q.changed = false, true, false
	return q
}
