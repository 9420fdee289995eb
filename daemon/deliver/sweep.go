package deliver

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// maxSweep is how many held targets a sweep reads to learn when they expire.
const maxSweep = 5000

// sweep checks the queues of held accounts. An account may publish again without the
// dispatcher having been notified, and targets may have expired.
func (x *dispatcher) sweep(ctx context.Context, now time.Time) {
	if now.Before(x.nextSweep) {
		return
	}
	x.nextSweep = now.Add(sweepInterval)
	if x.stopping {
		return
	}
	x.sweepParked(now)
	var held []*queue
	for _, q := range x.queues.byAccount {
		if q.held && !q.busy {
			held = append(held, q)
		}
	}
	if len(held) == 0 {
		return
	}
	x.d.coord.checkHeld(ctx, x, held, now)
}

// refreshHeld updates held queues from their stored accounts.
func (x *dispatcher) refreshHeld(held []*queue, r storage.Reader, now time.Time) error {
	unread := maxSweep
	for _, q := range held {
		account, err := r.Account(q.workspace, q.account)
		if err != nil {
			return err
		}
		x.queues.updateHold(q, account, now)
		if !q.held {
			continue
		}
		if unread, err = x.readExpiries(q, &account, r, unread, now); err != nil {
			return err
		}
		q.expire(now)
	}
	return nil
}

// expire moves the entries that are too late to be published to q.expired.
func (q *queue) expire(now time.Time) {
	expired := q.waiting.filter(func(e *entry) bool { return e.expires == 0 || now.UnixMilli() < e.expires })
	q.expired = append(q.expired, expired...)
}

// expiry returns the Unix millisecond after which a target is too late whose lateness
// counts from the given time.
func (d *Deliverer) expiry(late time.Time) int64 { return late.Add(d.cfg.MaxLateness).UnixMilli() + 1 }

// updateHold holds or releases a queue according to its stored account.
func (s *queues) updateHold(q *queue, a schedctl.Account, now time.Time) {
	_, inBlackout := a.HeldAt(now)
	switch paused := pause(&a, now); {
	case a.Status == schedctl.AccountError, a.Status == schedctl.AccountConnected && inBlackout:
		s.hold(q, now, 0)
		q.inBlackout = inBlackout
	case a.Status == schedctl.AccountConnected && paused > 0:
		s.hold(q, now, paused)
	default:
		s.release(q, now)
	}
}

// readExpiries reads when the targets of a queue expire, for at most budget targets
// that were not read before. It returns the rest of the budget.
func (x *dispatcher) readExpiries(q *queue, a *schedctl.Account, r storage.Reader, budget int, now time.Time) (int, error) {
	for i := range q.waiting.items {
		e := &q.waiting.items[i]
		if e.expires != 0 || budget == 0 {
			continue
		}
		budget--
		expires, err := x.d.readExpiry(r, e.TargetID(), a, now)
		if err != nil {
			return budget, err
		}
		e.expires = expires
	}
	return budget, nil
}

// readExpiry returns when a target of an account is too late. A target that was deleted
// expires at once, and its claim drops it.
func (d *Deliverer) readExpiry(r storage.Reader, targetID string, a *schedctl.Account, now time.Time) (int64, error) {
	route, err := r.Route(targetID)
	if err == nil {
		var post schedctl.Post
		if post, err = r.Post(route.WorkspaceID, route.PostID); err == nil {
			if t := post.Target(targetID); t != nil {
				return d.expiryFor(&post, t, a, now), nil
			}
		}
	}
	if notFound(err) {
		err = nil
	}
	return d.expiry(time.Time{}), err
}
