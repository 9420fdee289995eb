package deliver

import (
	"time"

	"github.com/schedctl/schedctl"
)

// A hold of a label stops some posts of an account and no others, so it does not hold the
// queue. A claim finds that the post is held, and its target is parked until the account is
// stored, which the end of a hold and the loss of a label do.

// maxRecheck is how many parked targets of a queue each sweep claims again, in case that
// the store's notification of another node was lost.
const maxRecheck = 20

// labelHeld reports whether a hold of a label of the post keeps the target from being
// published. Such a target is never too late before the hold ends.
func labelHeld(p *schedctl.Post, t *schedctl.Target, a *schedctl.Account, now time.Time) bool {
	if t.Begun() {
		return false
	}
	_, held := a.LabelHeldAt(p.Labels, now)
	return held
}

// park sets a target aside whose post a hold of a label stops.
func (x *dispatcher) park(it claimItem) {
	state := stateQueued
	if it.uncertain {
		state |= stateUncertain
	}
	x.setState(it.entry.Target, state)
	it.queue.parked = append(it.queue.parked, it.entry.Due)
	x.queues.held++
}

// unpark returns parked targets to their queue, at most limit, those parked first before
// others.
func (x *dispatcher) unpark(q *queue, limit int) {
	n := min(len(q.parked), limit)
	for _, due := range q.parked[:n] {
		q.uncertain = q.uncertain || x.states[due.Target]&stateUncertain != 0
		x.queues.push(q, entry{Due: due})
	}
	x.queues.held -= n
	if q.parked = q.parked[n:]; len(q.parked) == 0 {
		q.parked = nil
	}
}

// unparkChanged returns all parked targets to the queue of an account that was stored. Those
// that are due by now are spaced, as after a blackout.
func (x *dispatcher) unparkChanged(q *queue, now time.Time) {
	if len(q.parked) == 0 {
		return
	}
	x.unpark(q, len(q.parked))
	q.heldUntil = now.UnixMilli()
	x.queues.reschedule(q, now)
}

// sweepParked lets some parked targets of each queue be claimed again.
func (x *dispatcher) sweepParked(now time.Time) {
	for _, q := range x.queues.byAccount {
		if len(q.parked) > 0 && !q.busy {
			x.unpark(q, maxRecheck)
			x.queues.reschedule(q, now)
		}
	}
}
