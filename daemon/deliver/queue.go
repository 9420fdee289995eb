package deliver

import (
	"time"

	"github.com/schedctl/schedctl"
)

// entry is a target in its account's queue.
type entry struct {
	schedctl.Due

	// expires is the Unix millisecond after which the target is too late to go
	// out, as far as it was read already, or 0.
	expires int64
}

func (e entry) Before(o entry) bool { return e.Compare(o.Due) < 0 }

// queue is what one account has to do. It belongs to the dispatcher.
type queue struct {
	account, workspace string

	waiting    heap[entry]          // due and not claimed
	expired    []entry              // too late to go out; they end however the account is
	unresolved []*unresolvedAttempt // attempts to be settled before anything else

	busy        bool      // a claim, call, question or recording is under way
	calling     bool      // while busy: the attempt of a target is under way
	ready       bool      // is in the list of those that can be served
	held        bool      // the network refuses the account, or has paused it
	changed     bool      // the account was stored while the queue was busy
	notBefore   time.Time // nothing before this; monotonic; zero for no limit
	alarm       time.Time // the latest until that an alarm was set for
	nextOverdue time.Time // no overdue target before this; monotonic

	// With other members.
	takeoverUntil time.Time // until then it is served whoever is preferred; monotonic
	uncertain     bool      // a claim of it may be on disk; see hasShaken
	busyElsewhere int       // how often in a row another member had a call of the account
}

// blocked reports whether the queue has to wait.
func (q *queue) blocked(now time.Time) bool {
	if q.notBefore.IsZero() {
		return q.held
	}
	return now.Before(q.notBefore)
}

// hasWork reports whether there is something to do now.
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
	// An entry is never older than its target, so that this one is overdue.
	return !now.Before(q.nextOverdue) || q.waiting.head().At > now.Add(-overdue).UnixMilli()
}

// take moves what is to be claimed next out of the queue: the oldest target,
// or, up to limit, all those that can only be too late.
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

// queues are those of all accounts that have something to do.
type queues struct {
	byAccount map[string]*queue
	ready     []*queue // to be served, in this order
	alarms    heap[alarm]
	waiting   int // entries in all queues
	held      int // entries in held queues
}

// queueFor returns the account's queue.
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

// take is [queue.takeCut] with the counts kept.
func (s *queues) take(q *queue, now time.Time, maxLateness time.Duration, limit int) []entry {
	taken := q.take(now, maxLateness, limit)
	s.waiting -= len(taken)
	if q.held {
		s.held -= len(taken)
	}
	return taken
}

// hold stops an account that its network refuses, or has paused for a time;
// zero stops it until it has changed.
func (s *queues) hold(q *queue, now time.Time, pause time.Duration) {
	if !q.held {
		q.held = true
		s.held += q.waiting.len() + len(q.expired)
	}
	until := time.Time{}
	if pause > 0 {
		until = now.Add(pause)
	}
	if until.Sub(q.notBefore).Abs() > time.Second { // else the alarm that is set will do
		q.notBefore = until
	}
}

// release lets a held account go on.
func (s *queues) release(q *queue) {
	if q.held {
		q.held = false
		s.held -= q.waiting.len() + len(q.expired)
	}
	q.notBefore = time.Time{}
}

// reschedule gives a queue its place after any change: ready to be served, asleep
// until an alarm, or, with nothing to do, forgotten.
func (s *queues) reschedule(q *queue, now time.Time) {
	switch {
	case q.busy || q.ready:
	case q.hasWork(now):
		q.ready = true
		s.ready = append(s.ready, q)
	case now.Before(q.notBefore):
		s.setAlarm(q, q.notBefore)
	case q.held:
	case now.Before(q.nextOverdue):
		s.setAlarm(q, q.nextOverdue)
	case s.byAccount[q.account] == q: // and not a younger one of the same account
		delete(s.byAccount, q.account)
	}
}

func (s *queues) setAlarm(q *queue, at time.Time) {
	if !q.alarm.Equal(at) {
		q.alarm = at
		s.alarms.push(alarm{at: at, queue: q})
	}
}

// wake arranges the queues whose alarm has come.
func (s *queues) wake(now time.Time) {
	for s.alarms.len() > 0 && !now.Before(s.alarms.head().at) {
		q := s.alarms.pop().queue
		if !q.notBefore.IsZero() && !now.Before(q.notBefore) {
			s.release(q)
		}
		s.reschedule(q, now)
	}
}

// firstReady returns the queue to be served next, or nil.
func (s *queues) firstReady() *queue {
	if len(s.ready) == 0 {
		return nil
	}
	return s.ready[0]
}

// popReady takes the first queue off the list.
func (s *queues) popReady() *queue {
	q := s.ready[0]
	s.ready[0] = nil
	s.ready = s.ready[1:]
	q.ready, q.busy, q.changed = false, true, false
	return q
}
