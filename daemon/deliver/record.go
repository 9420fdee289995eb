package deliver

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/failpoint"
)

// attemptEnd is the end of an attempt. It is kept until it is on disk.
type attemptEnd struct {
	call          *publisherCall
	receipt       *schedctl.Receipt // set when the network has published
	decision      policyDecision    // set otherwise
	uncertain     bool              // an earlier recording failed, and may be on disk
	misattributed bool              // the receipt is of another target's post: nothing was recorded
}

func published(c *publisherCall, r schedctl.Receipt) *attemptEnd {
	return &attemptEnd{call: c, receipt: &r, decision: policyDecision{outcome: schedctl.OutcomePublished}}
}

// recordSome stores the ends of calls, and claims what comes after them, on a
// goroutine of its own.
func (x *dispatcher) recordSome(ctx context.Context, now time.Time) {
	if len(x.unrecorded) == 0 || !x.records.mayStart(now) {
		return
	}
	n := min(len(x.unrecorded), x.records.size)
	batch := x.unrecorded[:n:n]
	if x.unrecorded = x.unrecorded[n:]; len(x.unrecorded) == 0 {
		x.unrecorded = nil
	}
	next := x.nextClaims(batch, now)
	x.records.start(now, x.pace())
	x.jobs.Go(func() {
		done, verdicts, err := x.Deliverer.recordAndClaim(ctx, batch, next)
		x.mail.report(func(x *dispatcher) {
			ended := x.recorded(batch, done, err)
			x.nextClaimed(ctx, next, verdicts)
			for _, q := range ended {
				if !q.calling {
					x.markIdle(q)
				}
			}
		})
	})
}

// recorded ends the calls that are on disk and returns their queues; the accounts
// of others stay taken, so that nothing of theirs can go out twice.
func (x *dispatcher) recorded(batch []*attemptEnd, done []bool, err error) (ended []*queue) {
	if err == nil {
		x.logStoreState(x.records.succeeded(), "recording attempts", nil)
	} else {
		x.logStoreState(x.records.failed(len(batch), err, time.Now()), "recording attempts", err)
	}
	for i, e := range batch {
		if i >= len(done) || !done[i] {
			e.uncertain = true
			x.unrecorded = append(x.unrecorded, e)
			continue
		}
		e.call.queue.calling = false
		ended = append(ended, e.call.queue)
		if e.misattributed {
			x.addUnresolved(&unresolvedAttempt{call: e.call, err: misattributedError(), askIn: ambiguousAskDelay})
			continue
		}
		if x.cfg.Member != nil {
			delete(x.inHand, e.call.attempt.ID)
			x.adoptedIDs.remove(e.call.attempt.ID)
		}
		x.requeueOrForget(e)
	}
	return ended
}

// requeueOrForget ends the way of a target whose attempt has ended. One that is to be called
// again goes back to its place in the queue, before the later targets of its account.
func (x *dispatcher) requeueOrForget(e *attemptEnd) {
	target, result := ulid(e.call.attempt.TargetID), e.decision.result
	switch {
	case result.RetryAt.IsZero():
		x.forget(target, time.Now())
	case result.RetryAt.After(e.call.lateSince):
		x.forget(target, result.RetryAt)
	default:
		x.setState(target, stateQueued)
		x.queues.push(e.call.queue, entry{Due: schedctl.Due{At: schedctl.Millis(result.RetryAt).UnixMilli(), Target: target}})
	}
}

// recordIn stores the ends of attempts in one transaction, by Update or Record of the
// store, and says which it has stored. It claims what is next for their accounts, and
// returns a verdict for each. An error without any done is about all, and else about
// the others; without verdicts it is not known whether the claims were carried out.
func (d *Deliverer) recordIn(ctx context.Context, store func(context.Context, func(storage.Tx) error) error, batch []*attemptEnd, next []claimItem) (done []bool, verdicts []claimDecision, err error) {
	if err := failpoint.Hit(failpoint.DeliverFinishing); err != nil {
		return nil, nil, err
	}
	var r recordTx
	err = store(ctx, func(tx storage.Tx) error {
		run := recordTx{Deliverer: d, edits: newEdits(tx), done: make([]bool, len(batch)), now: time.Now().UTC().Round(0)}
		if err := prepareBy(prepareFor(batch), d, tx, batch, func(e **attemptEnd) string { return (*e).call.attempt.TargetID }); err != nil {
			return err
		}
		var err error
		if run.postTargets, err = platformPostTargets(tx, batch); err != nil {
			return err
		}
		for i, e := range batch {
			if err := run.end(e); err != nil {
				run.lastError = fmt.Errorf("record attempt %s: %w", e.call.attempt.ID, err)
				continue // the others can be recorded all the same
			}
			run.done[i] = true
		}
		run.decisions = run.claimAfter(batch, next)
		r = run
		return run.write()
	})
	if err == nil {
		err = failpoint.Hit(failpoint.DeliverFinished)
	}
	if err == nil && len(next) > 0 {
		err = failpoint.Hit(failpoint.DeliverClaimed)
	}
	if err != nil {
		return nil, nil, err
	}
	r.logAndObserve(batch)
	return r.done, r.decisions, r.lastError
}

// logAndObserve logs and observes what is on disk.
func (r *recordTx) logAndObserve(batch []*attemptEnd) {
	for _, err := range r.refusals {
		r.log.Error("target refused the end of its attempt", "error", err)
	}
	for i, e := range batch {
		switch {
		case slices.Contains(r.misattributed, e):
			e.misattributed = true
			r.log.Warn("network named a post of another target", "attempt", e.call.attempt.ID, "target", e.call.attempt.TargetID, "account", e.call.attempt.AccountID)
		case slices.Contains(r.lost, e):
			r.log.Warn("attempt is another's by now, its end is dropped", "attempt", e.call.attempt.ID, "target", e.call.attempt.TargetID,
				"account", e.call.attempt.AccountID, "outcome", e.decision.outcome)
		case r.done[i]:
			r.logEnd(e)
			r.cfg.Observe(e.observation(r.now))
		}
	}
}

// prepareFor returns what reads all that a recording needs: accounts, which claims wait
// for, only when one of them is to be changed.
func prepareFor(batch []*attemptEnd) func(storage.Reader, []string) error {
	if slices.ContainsFunc(batch, (*attemptEnd).changesAccount) {
		return storage.Prepare
	}
	return storage.PreparePosts
}

// changesAccount reports whether the account is to be left alone from now on, or
// whether a disruption of it begins or ends.
func (e *attemptEnd) changesAccount() bool {
	return e.decision.refused || !e.decision.pausedUntil.IsZero() || e.decision.disrupted == e.call.account.DisruptedSince.IsZero()
}

func (d *Deliverer) logEnd(e *attemptEnd) {
	a := e.call.attempt
	switch {
	case e.receipt != nil:
		d.log.Info("published", "post", a.PostID, "target", a.TargetID, "account", a.AccountID, "attempt", a.ID)
		if changed := e.receipt.Degraded; changed.Code != "" {
			d.log.Warn("network changed what it published", "target", a.TargetID, "account", a.AccountID, "attempt", a.ID, "code", changed.Code)
		}
	case e.decision.refused:
		d.log.Warn("account was refused by its network, its queue is held", "account", a.AccountID, "code", e.decision.result.Error.Code)
	}
}

// recordTx is one run of a recording's transaction.
type recordTx struct {
	*Deliverer
	*edits
	done          []bool
	lastError     error   // of the last that is not done
	refusals      []error // of targets that could not take the end of their attempt
	lost          []*attemptEnd
	postTargets   map[storage.PlatformPost][]string
	misattributed []*attemptEnd   // with a receipt of another target's post; nothing is recorded of them
	decisions     []claimDecision // on what is claimed next
	now           time.Time
}

// end applies the end of an attempt to the attempt, its target and its account.
// With an error it has changed nothing.
func (r *recordTx) end(e *attemptEnd) error {
	a := e.call.attempt
	if r.Deliverer != nil && r.cfg.Member != nil {
		if ours, err := r.stillOwned(e); !ours || err != nil {
			return err
		}
	} else if e.uncertain {
		if done, err := r.hasEnd(a); done || err != nil {
			return err
		}
	}
	post, err := r.post(a.WorkspaceID, a.PostID)
	if notFound(err) {
		return nil // its attempts went with it
	}
	if err != nil {
		return err
	}
	if r.checkAttribution(e) {
		return nil
	}
	var account *schedctl.Account
	if e.changesAccount() {
		if account, err = r.account(a.WorkspaceID, a.AccountID); err != nil && !notFound(err) {
			return err
		}
	}
	result := e.decision.result
	result.Receipt = e.receipt
	events, err := post.Finish(a.TargetID, result, r.now)
	if err != nil {
		// The attempt is a fact, whatever the rules say of its target.
		r.refusals = append(r.refusals, fmt.Errorf("attempt %s: %w", a.ID, err))
	} else {
		r.changedPost(post)
		r.events = append(r.events, events...)
	}
	a.FinishedAt, a.Outcome, a.Error = schedctl.Millis(r.now), e.decision.outcome, result.Error
	if e.receipt != nil {
		a.Error = e.receipt.Degraded.TargetError()
	}
	r.attempts = append(r.attempts, a)
	if account != nil {
		r.updateAccount(account, e)
	}
	return nil
}

// stillOwned reports whether an attempt still has the owner that its call was made
// under, and no end.
func (r *recordTx) stillOwned(e *attemptEnd) (bool, error) {
	a, err := storedAttempt(r.tx, e.call.attempt)
	switch {
	case err != nil:
		return false, err
	case a.Outcome == schedctl.OutcomeRunning && a.Owner == e.call.attempt.Owner:
		return true, nil
	case a.ID != "" && !(e.uncertain && a.Owner == e.call.attempt.Owner): // else it is gone, or was recorded before
		r.lost = append(r.lost, e)
	}
	return false, nil
}

// hasEnd reports whether an attempt has its end on disk.
func (r *recordTx) hasEnd(a schedctl.Attempt) (bool, error) {
	attempts, err := r.tx.Attempts(a.TargetID)
	if notFound(err) {
		return true, nil
	}
	for i := range attempts {
		if attempts[i].ID == a.ID {
			return attempts[i].Outcome != schedctl.OutcomeRunning, err
		}
	}
	return false, err
}

// updateAccount stops an account that was refused or is to be left alone. One that was
// connected anew during the call is not the one that was refused.
func (r *recordTx) updateAccount(account *schedctl.Account, e *attemptEnd) {
	changed := false
	switch {
	case e.decision.disrupted && account.DisruptedSince.IsZero():
		account.DisruptedSince = schedctl.Millis(r.now)
		r.changedAccount(account)
	case !e.decision.disrupted && !e.decision.result.Unreached && !account.DisruptedSince.IsZero():
		account.DisruptedSince = time.Time{}
		r.changedAccount(account)
	}
	if until := e.decision.pausedUntil; until.After(account.PausedUntil) {
		account.PausedUntil, changed = schedctl.Millis(until), true
	}
	if e.decision.refused && account.Status == schedctl.AccountConnected && r.sameLogin(e.call.account, *account) {
		account.Status, account.Error, changed = schedctl.AccountError, e.decision.result.Error, true
		r.events = append(r.events, schedctl.AccountErrorEvent(*account, r.now))
	}
	if e.decision.disrupted && changed {
		r.changedAccount(account) // a probe is no change that people should be told of
		return
	}
	if changed {
		account.UpdatedAt = schedctl.Millis(r.now)
		r.changedAccount(account)
	}
}
