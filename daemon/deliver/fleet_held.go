package deliver

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// maxHeldReads is how many held targets a check reads to learn when they expire. Each
// costs one request to the server.
const maxHeldReads = 500

// heldCheck reads the accounts of held queues. It runs on its own goroutine, because the
// store may be slow or unreachable.
type heldCheck struct {
	queues      []*queue
	accountKeys []storage.Route
	accounts    []schedctl.Account
	expires     map[schedctl.ULID]int64 // see entry.expires; of targets for which it is not known
	queueOf     map[schedctl.ULID]int   // of the same targets: the index of their queue
}

// checkHeld checks held queues on a goroutine of its own.
func (f *fleet) checkHeld(ctx context.Context, x *dispatcher, held []*queue, _ time.Time) {
	if f.checkingHeld {
		return
	}
	check := &heldCheck{queues: held, accountKeys: make([]storage.Route, len(held)), expires: map[schedctl.ULID]int64{}, queueOf: map[schedctl.ULID]int{}}
	for i, q := range held {
		check.accountKeys[i] = storage.Route{WorkspaceID: q.workspace, AccountID: q.account}
		for _, e := range q.waiting.items {
			if e.expires == 0 && len(check.expires) < maxHeldReads {
				check.expires[e.Target], check.queueOf[e.Target] = 0, i
			}
		}
	}
	f.checkingHeld = true
	x.jobs.Go(func() {
		err := x.d.readHeld(ctx, check)
		x.d.mail.report(func(x *dispatcher) { f.heldChecked(x, check, err) })
	})
}

func (d *Deliverer) readHeld(ctx context.Context, check *heldCheck) error {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	return d.cfg.Store.View(ctx, func(r storage.Reader) error {
		check.accounts = check.accounts[:0]
		for _, key := range check.accountKeys {
			a, err := r.Account(key.WorkspaceID, key.AccountID)
			if err != nil {
				return err
			}
			check.accounts = append(check.accounts, a)
		}
		targets := make([]schedctl.ULID, 0, len(check.expires))
		for target := range check.expires {
			targets = append(targets, target)
		}
		if err := prepare(r, targets, func(t *schedctl.ULID) string { return schedctl.Due{Target: *t}.TargetID() }); err != nil {
			return err
		}
		for _, target := range targets {
			expires, err := d.readExpiry(r, schedctl.Due{Target: target}.TargetID(), &check.accounts[check.queueOf[target]], time.Now())
			if err != nil {
				return err
			}
			check.expires[target] = expires
		}
		return nil
	})
}

// heldChecked holds or releases the queues according to what was read.
func (f *fleet) heldChecked(x *dispatcher, check *heldCheck, err error) {
	f.checkingHeld = false
	if err != nil {
		x.d.log.Error("reading held accounts failed, will retry", "error", err)
		return
	}
	now := time.Now()
	for i, q := range check.queues {
		if q.busy || !q.held {
			continue
		}
		if x.queues.updateHold(q, check.accounts[i], now); q.held {
			for j := range q.waiting.items {
				if e := &q.waiting.items[j]; e.expires == 0 {
					e.expires = check.expires[e.Target]
				}
			}
			q.expire(now)
		}
		x.queues.reschedule(q, now)
	}
}
