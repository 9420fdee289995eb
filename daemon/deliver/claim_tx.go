package deliver

import (
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/clock"
	"github.com/schedctl/schedctl/daemon/publish"
)

// claimTx claims targets within one transaction.
type claimTx struct {
	d       *Deliverer
	edits   *edits
	owner   string
	started map[*queue]bool // accounts with a started attempt
	now     time.Time       // wall clock
	leap    clock.Leap      // of the wall clock
}

func newClaimTx(d *Deliverer, e *edits, owner string, now time.Time) claimTx {
	return claimTx{d: d, edits: e, owner: owner, started: map[*queue]bool{}, now: now, leap: d.cfg.Clock.Leap()}
}

// tryDecide is decide for a target whose own records may be unreadable.
func (c *claimTx) tryDecide(it claimItem) claimDecision {
	d, err := c.decide(it)
	if err != nil {
		return claimDecision{result: claimUnreadable, err: err}
	}
	return d
}

// decide claims a target, or returns what happens to it instead.
func (c *claimTx) decide(it claimItem) (claimDecision, error) {
	post, target, err := c.find(it.entry.TargetID())
	if err != nil || target == nil {
		return claimDecision{result: claimDropped}, err
	}
	at, waiting := target.Due()
	switch {
	case !waiting && it.uncertain:
		return c.resume(it, post, target)
	case !waiting:
		return claimDecision{result: claimDropped}, nil
	case at.After(c.now), c.leap.Holds(at, post.UpdatedAt):
		return claimDecision{result: claimEarly, due: at.UnixMilli()}, nil
	}
	account, err := c.edits.account(post.WorkspaceID, target.AccountID)
	if notFound(err) {
		account, err = &schedctl.Account{Status: schedctl.AccountDisconnected}, nil
	}
	if err != nil {
		return claimDecision{}, err
	}
	if failure := c.permanentFailure(post, target, account); failure != nil {
		return c.fail(post, target, failure)
	}
	if d, blocked := c.blocked(it, post, target, account); blocked {
		return d, nil
	}
	if it.nextAt != 0 && at.UnixMilli() > it.nextAt {
		// The post was moved while its account was held. The queue still has its old time.
		return claimDecision{result: claimMoved, due: at.UnixMilli()}, nil
	}
	if d, waits, err := c.d.coord.waitsForNode(c, it, target, account); waits || err != nil {
		return d, err
	}
	// Now no attempt of the account is running elsewhere, so no other node is recording the
	// thread, which would lock its post and then the account.
	if d, waits, err := c.waitsForThread(target, account); waits || err != nil {
		return d, err
	}
	return c.startAttempt(it, post, target, account)
}

// find returns the post and the target, or nil if either was deleted.
func (c *claimTx) find(targetID string) (*schedctl.Post, *schedctl.Target, error) {
	route, err := c.edits.tx.Route(targetID)
	if notFound(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	post, err := c.edits.post(route.WorkspaceID, route.PostID)
	if notFound(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return post, post.Target(targetID), nil
}

// permanentFailure returns why the target can no longer be published, or nil.
func (c *claimTx) permanentFailure(p *schedctl.Post, t *schedctl.Target, a *schedctl.Account) *schedctl.TargetError {
	outcome := schedctl.OutcomeNotPublished
	if mayBePublished(t, t.Tries()) {
		outcome = schedctl.OutcomeUnknown
	}
	publisher := c.d.cfg.Publishers[a.Platform]
	late := c.leap.Age(t.LateSince(), c.now)
	e := &schedctl.TargetError{Outcome: outcome}
	switch {
	case a.Status == schedctl.AccountDisconnected:
		e.Kind, e.Code = schedctl.KindAuth, "disconnected"
		e.Message = "the account was disconnected; create a new post for another account"
	case p.NeedsApproval(a) && !p.Approved():
		e.Kind, e.Code = schedctl.KindApproval, string(schedctl.ApprovalMissing)
		e.Message = "this post needs an approval and has none; have it approved (schedctl post submit, schedctl post approve), then retry it"
		e.Retryable = outcome == schedctl.OutcomeNotPublished
	case late > c.d.cfg.MaxLateness && !isExcused(p, t, a, c.now):
		e.Kind, e.Code = schedctl.KindMissed, "missed"
		e.Message = fmt.Sprintf("found %s after its time, and %s is the limit; retry it to publish it now", late.Round(time.Second), c.d.cfg.MaxLateness)
		e.Retryable = outcome == schedctl.OutcomeNotPublished
	case publisher == nil:
		e.Kind, e.Code = schedctl.KindPlatform, "unknown_platform"
		e.Message = fmt.Sprintf("this schedctl cannot publish to %q; use a version that can, then retry", a.Platform)
		e.Retryable = outcome == schedctl.OutcomeNotPublished
	case outcome == schedctl.OutcomeUnknown && !repeatable(publisher, *a):
		e.Kind, e.Code = schedctl.KindUnknown, "in_doubt"
		e.Message = "an earlier attempt may have published this, and the account no longer supports safe repeats; check the account, then retry with force"
	default:
		return nil
	}
	return e
}

// mayBePublished reports whether one of the given number of tries may have published
// the target. Tries before a person asked for a retry do not count: that person has
// checked.
func mayBePublished(t *schedctl.Target, tries int) bool {
	return tries > 0 && t.Error != nil && t.Error.Outcome == schedctl.OutcomeUnknown
}

// repeatable reports whether the account's network recognizes a repeated call.
func repeatable(p publish.Publisher, a schedctl.Account) bool {
	network, ok := p.(publish.Idempotent)
	return ok && network.Idempotent(a)
}

// fail ends a target without an attempt.
func (c *claimTx) fail(p *schedctl.Post, t *schedctl.Target, e *schedctl.TargetError) (claimDecision, error) {
	if err := c.edits.finish(p, t.ID, schedctl.Result{Error: e}, c.now); err != nil {
		return claimDecision{}, err
	}
	return claimDecision{result: claimDropped, failure: e, platform: t.Platform}, nil
}
