package deliver

import (
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/clock"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// overdue is how late a target is before it is spaced from others of its
// account, so that a daemon that was away does not come back with a flood.
const overdue = time.Minute

// defaultPacing is the space between overdue targets of an account.
const defaultPacing = time.Second

// claimTx is one run of a claim's transaction.
type claimTx struct {
	*Deliverer
	*edits
	owner   string
	started map[*queue]bool // accounts with a target begun
	now     time.Time       // wall clock
	leap    clock.Leap      // of it
}

// tryDecide is decide for a target whose records may not be readable, where those of
// others are.
func (c *claimTx) tryDecide(it claimItem) claimDecision {
	v, err := c.decide(it)
	if err != nil {
		return claimDecision{result: claimUnreadable, err: err}
	}
	return v
}

// decide claims a target, or says what becomes of it instead.
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
	account, err := c.account(post.WorkspaceID, target.AccountID)
	if notFound(err) {
		account, err = &schedctl.Account{Status: schedctl.AccountDisconnected}, nil
	}
	if err != nil {
		return claimDecision{}, err
	}
	if hopeless := c.permanentFailure(target, account); hopeless != nil {
		return c.fail(post, target, hopeless)
	}
	if v, blocked := c.blocked(it, target, account); blocked {
		return v, nil
	}
	if it.nextAt != 0 && at.UnixMilli() > it.nextAt {
		// The queue has the target at an earlier time: the post was moved while its account was held.
		return claimDecision{result: claimMoved, due: at.UnixMilli()}, nil
	}
	if c.cfg.Member != nil {
		if v, blocked, err := c.blockedElsewhere(it, target, account); blocked || err != nil {
			return v, err
		}
	}
	return c.startAttempt(it, post, target, account)
}

// find returns the post and the target, nil when either is gone.
func (c *claimTx) find(targetID string) (*schedctl.Post, *schedctl.Target, error) {
	route, err := c.tx.Route(targetID)
	if notFound(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	post, err := c.post(route.WorkspaceID, route.PostID)
	if notFound(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return post, post.Target(targetID), nil
}

// permanentFailure returns why the target cannot go out any more, or nil.
func (c *claimTx) permanentFailure(t *schedctl.Target, a *schedctl.Account) *schedctl.TargetError {
	outcome := schedctl.OutcomeNotPublished
	if mayBePublished(t, t.Tries()) {
		outcome = schedctl.OutcomeUnknown
	}
	publisher := c.cfg.Publishers[a.Platform]
	late := c.leap.Age(t.LateSince(), c.now)
	e := &schedctl.TargetError{Outcome: outcome}
	switch {
	case a.Status == schedctl.AccountDisconnected:
		e.Kind, e.Code = schedctl.KindAuth, "disconnected"
		e.Message = "the account was disconnected; create a new post for another account"
	case late > c.cfg.MaxLateness:
		e.Kind, e.Code = schedctl.KindMissed, "missed"
		e.Message = fmt.Sprintf("found %s after its time, and %s is the limit; retry it to publish it now", late.Round(time.Second), c.cfg.MaxLateness)
		e.Retryable = outcome == schedctl.OutcomeNotPublished
	case publisher == nil:
		e.Kind, e.Code = schedctl.KindPlatform, "unknown_platform"
		e.Message = fmt.Sprintf("this schedctl cannot publish to %q; use a version that can, then retry", a.Platform)
		e.Retryable = outcome == schedctl.OutcomeNotPublished
	case outcome == schedctl.OutcomeUnknown && !repeatable(publisher, *a):
		e.Kind, e.Code = schedctl.KindUnknown, "in_doubt"
		e.Message = "an earlier call may have published this and the account no longer says that repeats are recognised; look there, then retry with force"
	default:
		return nil
	}
	return e
}

// mayBePublished reports whether one of the tries that were made of a target may have
// published it. Once a person has asked for a retry, it is that person who has
// looked.
func mayBePublished(t *schedctl.Target, tries int) bool {
	return tries > 0 && t.Error != nil && t.Error.Outcome == schedctl.OutcomeUnknown
}

// repeatable reports whether the account's network recognises a repeated call.
func repeatable(p publish.Publisher, a schedctl.Account) bool {
	network, ok := p.(publish.Idempotent)
	return ok && network.Idempotent(a)
}

// fail ends a target without an attempt.
func (c *claimTx) fail(p *schedctl.Post, t *schedctl.Target, e *schedctl.TargetError) (claimDecision, error) {
	events, err := p.Finish(t.ID, schedctl.Result{Error: e}, c.now)
	if err != nil {
		return claimDecision{}, err
	}
	c.changedPost(p)
	c.events = append(c.events, events...)
	return claimDecision{result: claimDropped, failed: e, platform: t.Platform}, nil
}

// blocked returns what the target has to wait for.
func (c *claimTx) blocked(it claimItem, t *schedctl.Target, a *schedctl.Account) (v claimDecision, blocked bool) {
	v = claimDecision{result: claimWaits, expires: c.expiry(t.LateSince())}
	switch {
	case a.Status == schedctl.AccountError:
		v.held = true
	case pause(a, c.now) > 0:
		v.held, v.wait = true, pause(a, c.now)
	case it.expireOnly, c.started[it.queue]:
		v.result = claimBehind
	case it.overdueWait > 0 && c.spacing(t, a) > 0:
		v.wait = it.overdueWait
	default:
		return claimDecision{}, false
	}
	return v, true
}

// blockedElsewhere returns what the target has to wait for that other members do.
func (c *claimTx) blockedElsewhere(it claimItem, t *schedctl.Target, a *schedctl.Account) (v claimDecision, blocked bool, err error) {
	v.expires = c.expiry(t.LateSince())
	running, err := c.tx.(storage.SharedTx).RunningOf(a.ID)
	if err != nil {
		return claimDecision{}, false, err
	}
	for i := range running {
		// What this run has begun under any name is in its own queues.
		if !c.owns(running[i].Owner) || c.adoptedIDs.has(running[i].ID) {
			v.result = claimElsewhere
			return v, true, nil
		}
	}
	v.result = claimWaits
	v.wait, err = c.spacedElsewhere(it, t, a)
	return v, v.wait > 0, err
}

// spacedElsewhere returns how long an overdue target has to wait because another
// member has published one of the account right before.
func (c *claimTx) spacedElsewhere(it claimItem, t *schedctl.Target, a *schedctl.Account) (time.Duration, error) {
	spacing := c.spacing(t, a)
	if spacing == 0 || it.spacedHere {
		return 0, nil
	}
	last, err := c.tx.PublishedTargets(a.ID, storage.PublishedTarget{}, 1)
	if err != nil || len(last) == 0 {
		return 0, err
	}
	return min(max(0, last[0].At.Add(spacing).Sub(c.now)), spacing), nil
}

// pause returns how long an account is to be left alone, 0 for not at all. What is
// longer than any pause is of a clock that was set back since.
func pause(a *schedctl.Account, now time.Time) time.Duration {
	longest := maxPause
	if !a.DisruptedSince.IsZero() {
		longest = 2 * maxProbe
	}
	if left := a.PausedUntil.Sub(now.Round(0)); left <= longest {
		return max(left, 0)
	}
	return 0
}

// spacing returns the time to leave before the account's next overdue target,
// zero for a target that is not.
func (c *claimTx) spacing(t *schedctl.Target, a *schedctl.Account) time.Duration {
	if c.leap.Age(t.LateSince(), c.now) <= overdue {
		return 0
	}
	if own, ok := a.Options.Duration("pacing"); ok {
		return own
	}
	if network, ok := c.cfg.Publishers[a.Platform].(publish.Pacer); ok {
		return network.Pacing()
	}
	return defaultPacing
}

// startAttempt records the attempt.
func (c *claimTx) startAttempt(it claimItem, p *schedctl.Post, t *schedctl.Target, a *schedctl.Account) (claimDecision, error) {
	doubtful, spacing := mayBePublished(t, t.Tries()), c.spacing(t, a)
	key, err := c.key(t, c.cfg.Publishers[a.Platform])
	if err != nil {
		return claimDecision{}, err
	}
	attempt, err := p.Begin(schedctl.Claim{
		TargetID: t.ID, Owner: c.owner, Lease: attemptLease, Key: key,
	}, c.now)
	if err != nil {
		return claimDecision{}, err
	}
	c.changedPost(p)
	c.attempts = append(c.attempts, attempt)
	c.started[it.queue] = true
	call := newCall(it.queue, attempt, p, t, a)
	call.publisher, call.earlierUncertain, call.spacing = c.cfg.Publishers[a.Platform], doubtful, spacing
	return claimDecision{result: claimStarted, call: call}, nil
}

// key returns what the network is given to recognise a repeat: what an earlier
// attempt was given that may have published, else a new one.
func (c *claimTx) key(t *schedctl.Target, p publish.Publisher) (string, error) {
	keyer, ok := p.(publish.Keyer)
	if !ok {
		return t.ID, nil
	}
	if t.Attempts > 0 {
		attempts, err := c.tx.Attempts(t.ID)
		if err != nil {
			return "", err
		}
		for _, a := range attempts {
			if a.Outcome != schedctl.OutcomeNotPublished && a.Key != "" {
				return a.Key, nil
			}
		}
	}
	return keyer.NewKey(c.now), nil
}

// resume decides on a target that waits for nothing although its claim was
// reported as failed: when the attempt is on disk all the same, its call was
// never made and is made now. Of an attempt that was adopted nobody knows that.
func (c *claimTx) resume(it claimItem, p *schedctl.Post, t *schedctl.Target) (claimDecision, error) {
	attempts, err := c.tx.Attempts(t.ID)
	if err != nil || len(attempts) == 0 {
		return claimDecision{result: claimDropped}, err
	}
	last := attempts[len(attempts)-1]
	if last.Outcome != schedctl.OutcomeRunning || !c.owns(last.Owner) || c.adoptedIDs.has(last.ID) {
		return claimDecision{result: claimDropped}, nil
	}
	if t.Status != schedctl.Publishing {
		last.Outcome, last.FinishedAt = schedctl.OutcomeNotPublished, schedctl.Millis(c.now)
		c.attempts = append(c.attempts, last)
		return claimDecision{result: claimDropped}, nil
	}
	if it.expireOnly || c.started[it.queue] {
		return claimDecision{result: claimBehind}, nil
	}
	a, err := c.account(p.WorkspaceID, t.AccountID)
	if err != nil {
		return claimDecision{}, err
	}
	c.started[it.queue] = true
	if c.cfg.Member != nil {
		// The name may have changed since, and whoever has to ask what became of the
		// call waits from its beginning on.
		last.Owner, last.StartedAt, last.LeaseUntil = c.owner, schedctl.Millis(c.now), schedctl.Millis(c.now.Add(attemptLease))
		c.attempts = append(c.attempts, last)
	}
	call := newCall(it.queue, last, p, t, a)
	call.publisher, call.earlierUncertain = c.cfg.Publishers[a.Platform], mayBePublished(t, t.Tries()-1)
	return claimDecision{result: claimStarted, call: call}, nil
}
