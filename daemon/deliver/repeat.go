package deliver

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// repeatCall handles that a network does not have the post of a call that it may still
// accept. It repeats the call once if the network is a [publish.PromptFinder]: within
// the attempt and with its key, so that the network publishes only one of the two. If
// the post was canceled, or the repeat fails, the attempt stays unresolved: only a
// question after again.finalBy can show that the network does not have the post.
func (d *Deliverer) repeatCall(ctx context.Context, c *publisherCall, again *unresolvedAttempt) (*attemptEnd, *unresolvedAttempt) {
	if fresh := d.repeatableNow(ctx, c, again); fresh != nil {
		receipt, failure := d.publish(ctx, fresh)
		if failure == nil {
			return published(fresh, receipt), nil
		}
		d.log.Warn("repeating an attempt's call failed", "account", c.attempt.AccountID, "attempt", c.attempt.ID,
			"kind", failure.Kind, "code", failure.Code, "outcome", failure.Outcome, "error", logCause(failure))
		again.call, again.repeated = fresh, true
		if failure.Outcome != schedctl.OutcomeNotPublished {
			again.finalBy = time.Now().Add(firstAsk)
		}
		unknown := *failure
		unknown.Outcome = schedctl.OutcomeUnknown // the first call may still publish
		again.err = &unknown
	}
	again.overBy, again.askIn = again.finalBy, time.Until(again.finalBy)
	d.recordUnresolved(ctx, again)
	return nil, again
}

// repeatableNow returns the call with the stored post and account if it may be repeated
// within its attempt, and nil otherwise.
func (d *Deliverer) repeatableNow(ctx context.Context, c *publisherCall, again *unresolvedAttempt) *publisherCall {
	if _, prompt := c.publisher.(publish.PromptFinder); !prompt || again.repeated || again.call.publisher == nil {
		return nil // after a restart, the credentials of the call are not known
	}
	fresh, status, err := d.reload(ctx, c)
	if err != nil || status != schedctl.Publishing || fresh.account.Status != schedctl.AccountConnected {
		return nil
	}
	now := time.Now()
	if _, held := fresh.account.HeldAt(now); held || fresh.labelHeld {
		return nil
	}
	if pause(&fresh.account, now) > 0 || now.Sub(fresh.lateSince) > d.cfg.MaxLateness || !d.sameLogin(again.call.account, fresh.account) {
		return nil
	}
	return fresh
}
