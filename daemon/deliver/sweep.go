package deliver

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// maxSweep is how many held targets a sweep reads to learn their time.
const maxSweep = 5000

// sweep looks at the queues of held accounts: whether the account may publish
// again, which it was perhaps not told, and which targets have become too late
// meanwhile.
func (x *dispatcher) sweep(ctx context.Context, now time.Time) {
	if now.Before(x.nextSweep) {
		return
	}
	x.nextSweep = now.Add(sweepInterval)
	if x.stopping {
		return
	}
	var held []*queue
	for _, q := range x.queues.byAccount {
		if q.held && !q.busy {
			held = append(held, q)
		}
	}
	if len(held) == 0 {
		return
	}
	if x.cfg.Member != nil {
		x.checkHeldAsync(ctx, held)
		return
	}
	if err := x.cfg.Store.View(ctx, func(r storage.Reader) error { return x.refreshHeld(held, r, now) }); err != nil {
		x.log.Error("held accounts cannot be read, trying again", "error", err)
	}
	for _, q := range held {
		x.queues.reschedule(q, now)
	}
}

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
		if unread, err = x.readExpiries(q, r, unread); err != nil {
			return err
		}
		q.expire(now)
	}
	return nil
}

// expire sets apart what is too late to go out.
func (q *queue) expire(now time.Time) {
	expired := q.waiting.filter(func(e *entry) bool { return e.expires == 0 || now.UnixMilli() < e.expires })
	q.expired = append(q.expired, expired...)
}

// expiry returns the Unix millisecond after which what is late since an instant is
// too late.
func (d *Deliverer) expiry(late time.Time) int64 { return late.Add(d.cfg.MaxLateness).UnixMilli() + 1 }

// updateHold holds or releases a queue by its account as it is stored.
func (s *queues) updateHold(q *queue, a schedctl.Account, now time.Time) {
	switch paused := pause(&a, now); {
	case a.Status == schedctl.AccountError:
		s.hold(q, now, 0)
	case a.Status == schedctl.AccountConnected && paused > 0:
		s.hold(q, now, paused)
	default:
		s.release(q)
	}
}

// readExpiries finds out when the targets of a queue become too late, for at
// most budget of those of which it is not known, and returns what is left of
// the budget.
func (x *dispatcher) readExpiries(q *queue, r storage.Reader, budget int) (int, error) {
	for i := range q.waiting.items {
		e := &q.waiting.items[i]
		if e.expires != 0 || budget == 0 {
			continue
		}
		budget--
		late, err := lateSince(r, e.TargetID())
		if err != nil {
			return budget, err
		}
		// One that is gone is looked at by a claim, which drops it.
		e.expires = x.expiry(late)
	}
	return budget, nil
}

// lateSince returns the instant from which a target's lateness counts, the zero
// time when it is gone.
func lateSince(r storage.Reader, targetID string) (time.Time, error) {
	route, err := r.Route(targetID)
	if err == nil {
		var post schedctl.Post
		if post, err = r.Post(route.WorkspaceID, route.PostID); err == nil {
			if t := post.Target(targetID); t != nil {
				return t.LateSince(), nil
			}
		}
	}
	if notFound(err) {
		err = nil
	}
	return time.Time{}, err
}
