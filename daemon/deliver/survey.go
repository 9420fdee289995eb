package deliver

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// maxHeldReads is how many held targets a survey reads to learn their time, each of
// them by a way to a server and back.
const maxHeldReads = 500

// heldCheck is a sweep beside the dispatcher, for a store that is a way to a server
// and back, or away.
type heldCheck struct {
	queues      []*queue
	accountKeys []storage.Route // of the accounts
	accounts    []schedctl.Account
	expires     map[schedctl.ULID]int64 // as entry.expires, of targets of which it is not known
}

// checkHeldAsync looks at held queues on a goroutine of its own.
func (x *dispatcher) checkHeldAsync(ctx context.Context, held []*queue) {
	if x.checkingHeld {
		return
	}
	s := &heldCheck{queues: held, accountKeys: make([]storage.Route, len(held)), expires: map[schedctl.ULID]int64{}}
	for i, q := range held {
		s.accountKeys[i] = storage.Route{WorkspaceID: q.workspace, AccountID: q.account}
		for _, e := range q.waiting.items {
			if e.expires == 0 && len(s.expires) < maxHeldReads {
				s.expires[e.Target] = 0
			}
		}
	}
	x.checkingHeld = true
	x.jobs.Go(func() {
		err := x.Deliverer.readHeld(ctx, s)
		x.mail.report(func(x *dispatcher) { x.heldChecked(s, err) })
	})
}

func (d *Deliverer) readHeld(ctx context.Context, s *heldCheck) error {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	return d.cfg.Store.View(ctx, func(r storage.Reader) error {
		s.accounts = s.accounts[:0]
		for _, p := range s.accountKeys {
			a, err := r.Account(p.WorkspaceID, p.AccountID)
			if err != nil {
				return err
			}
			s.accounts = append(s.accounts, a)
		}
		targets := make([]schedctl.ULID, 0, len(s.expires))
		for target := range s.expires {
			targets = append(targets, target)
		}
		if err := prepare(d, r, targets, func(t *schedctl.ULID) string { return schedctl.Due{Target: *t}.TargetID() }); err != nil {
			return err
		}
		for _, target := range targets {
			late, err := lateSince(r, schedctl.Due{Target: target}.TargetID())
			if err != nil {
				return err
			}
			s.expires[target] = d.expiry(late)
		}
		return nil
	})
}

// heldChecked holds or releases the queues by what was read.
func (x *dispatcher) heldChecked(s *heldCheck, err error) {
	x.checkingHeld = false
	if err != nil {
		x.log.Error("held accounts cannot be read, trying again", "error", err)
		return
	}
	now := time.Now()
	for i, q := range s.queues {
		if q.busy || !q.held {
			continue
		}
		if x.queues.updateHold(q, s.accounts[i], now); q.held {
			for j := range q.waiting.items {
				if e := &q.waiting.items[j]; e.expires == 0 {
					e.expires = s.expires[e.Target]
				}
			}
			q.expire(now)
		}
		x.queues.reschedule(q, now)
	}
}
