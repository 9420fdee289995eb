package deliver

import (
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// overdue is how late a target is before it is spaced from other targets of its
// account, so that a daemon that was down does not publish everything at once.
const overdue = time.Minute

// defaultPacing is the space between overdue targets of an account.
const defaultPacing = time.Second

// blocked returns a decision to wait if the account cannot publish the target now.
func (c *claimTx) blocked(it claimItem, p *schedctl.Post, t *schedctl.Target, a *schedctl.Account) (d claimDecision, blocked bool) {
	d = claimDecision{result: claimWaits, expires: c.expiry(p, t, a)}
	_, inBlackout := a.HeldAt(c.now)
	switch {
	case a.Status == schedctl.AccountError:
		d.held, d.blackout = true, inBlackout
	case inBlackout:
		d.held, d.blackout = true, true // until the blackout is settled, which stores the account
	case pause(a, c.now) > 0:
		d.held, d.wait = true, pause(a, c.now)
	case labelHeld(p, t, a, c.now):
		d.result = claimParked
	case it.expireOnly, c.started[it.queue]:
		d.result = claimBehind
	case it.overdueWait > 0 && len(t.Done) == 0 && c.spacing(it, t, a) > 0:
		d.wait = it.overdueWait
	default:
		return claimDecision{}, false
	}
	return d, true
}

// expiry returns when a target that waits is too late; see entry.
func (c *claimTx) expiry(p *schedctl.Post, t *schedctl.Target, a *schedctl.Account) int64 {
	return c.d.expiryFor(p, t, a, c.now)
}

// expiryFor is expiry for a target whose lateness counts from its time, unless it cannot be
// too late during a hold. Then it is checked again after the longest lateness.
func (d *Deliverer) expiryFor(p *schedctl.Post, t *schedctl.Target, a *schedctl.Account, now time.Time) int64 {
	if isExcused(p, t, a, now) {
		return d.expiry(now)
	}
	return d.expiry(t.LateSince())
}

// isExcused reports whether a target is not too late before a hold ends: a blackout holds
// the account, and the post gets a new slot at its end; or a label of the post is held.
func isExcused(p *schedctl.Post, t *schedctl.Target, a *schedctl.Account, now time.Time) bool {
	if labelHeld(p, t, a, now) {
		return true
	}
	if p.Slot == (schedctl.Slot{}) || p.Status() != schedctl.Scheduled {
		return false
	}
	_, held := a.HeldAt(now)
	return held
}

// threadPoll is how soon a target that waits for a thread is claimed again.
const threadPoll = time.Second

// waitsForThread returns a decision to wait if another target of the account is between
// two parts of its thread. Queues put that target first, so this happens only if several
// nodes, or a clock that was set, disagree about the order.
func (c *claimTx) waitsForThread(t *schedctl.Target, a *schedctl.Account) (d claimDecision, waits bool, err error) {
	if a.ThreadTargetID == "" || a.ThreadTargetID == t.ID {
		return claimDecision{}, false, nil
	}
	_, thread, err := c.find(a.ThreadTargetID)
	if err != nil {
		return claimDecision{}, false, err
	}
	if thread == nil || !inThread(thread) {
		a.ThreadTargetID = "" // so that later claims need not read it
		c.edits.changedAccount(a)
		return claimDecision{}, false, nil
	}
	due := laterOf(thread.ShownNext(), c.now).Add(threadPoll)
	return claimDecision{result: claimEarly, due: due.UnixMilli()}, true, nil
}

// pause returns how long an account must not publish, or 0. It ignores a time that is
// further away than the longest pause, because the clock was set back since.
func pause(a *schedctl.Account, now time.Time) time.Duration {
	longest := maxPause
	if !a.DisruptedSince.IsZero() {
		longest = longestBackoff
	}
	if left := a.PausedUntil.Sub(now.Round(0)); left <= longest {
		return max(left, 0)
	}
	return 0
}

// spacing returns the time to leave before the account's next overdue target, or
// zero for a target that is not overdue. It does not apply between the parts of a thread.
// Targets that a blackout kept back are at least a second apart, whatever the account
// allows.
func (c *claimTx) spacing(it claimItem, t *schedctl.Target, a *schedctl.Account) time.Duration {
	if t.QueuedAt().UnixMilli() <= it.heldUntil {
		return max(defaultPacing, c.pacing(a))
	}
	if c.leap.Age(t.QueuedAt(), c.now) <= overdue {
		return 0
	}
	return c.pacing(a)
}

// pacing returns the space between overdue targets of an account.
func (c *claimTx) pacing(a *schedctl.Account) time.Duration {
	if own, ok := a.Options.Duration("pacing"); ok {
		return own
	}
	if network, ok := c.d.cfg.Publishers[a.Platform].(publish.Pacer); ok {
		return network.Pacing()
	}
	return defaultPacing
}
