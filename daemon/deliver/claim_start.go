package deliver

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// startAttempt records the attempt as running.
func (c *claimTx) startAttempt(it claimItem, p *schedctl.Post, t *schedctl.Target, a *schedctl.Account) (claimDecision, error) {
	earlierUncertain, spacing := mayBePublished(t, t.Tries()), c.spacing(it, t, a)
	first, err := c.firstKey(p, t, c.d.cfg.Publishers[a.Platform])
	if err != nil {
		return claimDecision{}, err
	}
	attempt, err := p.Begin(schedctl.Claim{
		TargetID: t.ID, Owner: c.owner, Lease: attemptLease, Key: publish.PartKey(c.d.cfg.Publishers[a.Platform], first, len(t.Done)),
	}, c.now)
	if err != nil {
		return claimDecision{}, err
	}
	if t.Attempts > 1 && c.d.stagesOf(a.Platform) {
		earlier, err := c.edits.tx.Attempts(t.ID)
		if err != nil {
			return claimDecision{}, err
		}
		attempt.Stage = inheritedStage(earlier, attempt.Part)
	}
	call := c.d.newCall(it.queue, attempt, p, t, a)
	if call.prepares() && !call.stageBound && !c.d.isPrepared(call) {
		call.attempt.StartPreparing()
	}
	c.edits.changedPost(p)
	c.edits.attempts = append(c.edits.attempts, call.attempt)
	c.started[it.queue] = true
	call.firstKey, call.earlierUncertain, call.spacing = first, earlierUncertain, spacing
	return claimDecision{result: claimStarted, call: call}, nil
}

// firstKey returns the idempotency key of part 0 for the network. The keys of further parts
// follow from it. An earlier attempt that may have published determines it. Otherwise the
// key is new, or follows from the target of an occurrence.
func (c *claimTx) firstKey(p *schedctl.Post, t *schedctl.Target, network publish.Publisher) (string, error) {
	keyer, ok := network.(publish.Keyer)
	if !ok {
		return t.ID, nil
	}
	if t.Attempts > 0 {
		attempts, err := c.edits.tx.Attempts(t.ID)
		if err != nil {
			return "", err
		}
		if key := firstKey(attempts); key != "" {
			return key, nil
		}
	}
	if len(t.Done) > 0 {
		return t.ID, nil // part 0 was published when the network had no keys of its own
	}
	if own, ok := network.(publish.OccurrenceKeyer); ok && p.SeriesID != "" {
		return own.KeyFor(t.ID, p.PublishAt), nil
	}
	return keyer.NewKey(c.now), nil
}

// resume decides on a target that no longer waits although its claim failed. If the
// attempt was committed after all, its call was never made, and is made now. That is
// not known of an attempt that was adopted.
func (c *claimTx) resume(it claimItem, p *schedctl.Post, t *schedctl.Target) (claimDecision, error) {
	attempts, err := c.edits.tx.Attempts(t.ID)
	if err != nil || len(attempts) == 0 {
		return claimDecision{result: claimDropped}, err
	}
	last := attempts[len(attempts)-1]
	if last.Outcome != schedctl.OutcomeRunning || !c.d.coord.startedHere(last) {
		return claimDecision{result: claimDropped}, nil
	}
	if progress(t) != schedctl.Publishing {
		last.EndPreparing()
		last.Outcome, last.FinishedAt = schedctl.OutcomeNotPublished, schedctl.Millis(c.now)
		c.edits.attempts = append(c.edits.attempts, last)
		return claimDecision{result: claimDropped}, nil
	}
	if it.expireOnly || c.started[it.queue] {
		return claimDecision{result: claimBehind}, nil
	}
	a, err := c.edits.account(p.WorkspaceID, t.AccountID)
	if err != nil {
		return claimDecision{}, err
	}
	if _, held := a.HeldAt(c.now); held {
		return claimDecision{result: claimWaits, held: true, blackout: true, expires: c.expiry(p, t, a)}, nil
	}
	if labelHeld(p, t, a, c.now) {
		return claimDecision{result: claimParked}, nil
	}
	call := c.d.newCall(it.queue, last, p, t, a)
	if err := call.readFirstKey(c.edits.tx); err != nil {
		return claimDecision{}, err
	}
	c.started[it.queue] = true
	c.d.coord.renew(c, &call.attempt)
	call.earlierUncertain = mayBePublished(t, t.Tries()-1)
	return claimDecision{result: claimStarted, call: call}, nil
}
