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

// ending is the end of an attempt. It is kept until it is on disk.
type ending struct {
	call     *call
	receipt  *schedctl.Receipt // set when the network has published
	decision decision          // set otherwise
	shaken   bool              // an earlier recording failed, and may be on disk
	claimed  bool              // the receipt is of another target's post: nothing was recorded
}

func published(c *call, r schedctl.Receipt) *ending {
	return &ending{call: c, receipt: &r, decision: decision{outcome: schedctl.OutcomePublished}}
}

// recordSome stores the ends of calls, and claims what comes after them, on a
// goroutine of its own.
func (x *dispatcher) recordSome(ctx context.Context, now time.Time) {
	if len(x.endings) == 0 || !x.records.open(now) {
		return
	}
	n := min(len(x.endings), x.records.size)
	batch := x.endings[:n:n]
	if x.endings = x.endings[n:]; len(x.endings) == 0 {
		x.endings = nil
	}
	next := x.successors(batch, now)
	x.records.begin(now, x.pace())
	x.jobs.Go(func() {
		done, verdicts, err := x.Deliverer.recordAndClaim(ctx, batch, next)
		x.mail.report(func(x *dispatcher) {
			ended := x.recorded(batch, done, err)
			x.succeed(ctx, next, verdicts)
			for _, q := range ended {
				if !q.calling {
					x.finish(q)
				}
			}
		})
	})
}

// recorded ends the calls that are on disk and returns their queues; the accounts
// of others stay taken, so that nothing of theirs can go out twice.
func (x *dispatcher) recorded(batch []*ending, done []bool, err error) (ended []*queue) {
	if err == nil {
		x.logGroup(x.records.succeeded(), "recording attempts", nil)
	} else {
		x.logGroup(x.records.failed(len(batch), err, time.Now()), "recording attempts", err)
	}
	for i, e := range batch {
		if i >= len(done) || !done[i] {
			e.shaken = true
			x.endings = append(x.endings, e)
			continue
		}
		e.call.queue.calling = false
		ended = append(ended, e.call.queue)
		if e.claimed {
			x.doubt(&doubt{call: e.call, err: errClaimed(), askIn: contestedAsk})
			continue
		}
		if x.cfg.Member != nil {
			delete(x.inHand, e.call.attempt.ID)
			x.foreign.remove(e.call.attempt.ID)
		}
		x.release(e)
	}
	return ended
}

// release ends the way of a target whose attempt has ended. One that is to be called
// again goes back to its place in the queue, before the later targets of its account.
func (x *dispatcher) release(e *ending) {
	target, result := ulid(e.call.attempt.TargetID), e.decision.result
	switch {
	case result.RetryAt.IsZero():
		x.forget(target, time.Now())
	case result.RetryAt.After(e.call.lateSince):
		x.forget(target, result.RetryAt)
	default:
		x.setMark(target, queued)
		x.queues.push(e.call.queue, entry{Due: schedctl.Due{At: schedctl.Millis(result.RetryAt).UnixMilli(), Target: target}})
	}
}

// recordIn stores the ends of attempts in one transaction, by Update or Record of the
// store, and says which it has stored. It claims what is next for their accounts, and
// returns a verdict for each. An error without any done is about all, and else about
// the others; without verdicts it is not known whether the claims were carried out.
func (d *Deliverer) recordIn(ctx context.Context, store func(context.Context, func(storage.Tx) error) error, batch []*ending, next []item) (done []bool, verdicts []verdict, err error) {
	if err := failpoint.Hit(failpoint.DeliverFinishing); err != nil {
		return nil, nil, err
	}
	var r recording
	err = store(ctx, func(tx storage.Tx) error {
		run := recording{Deliverer: d, edits: newEdits(tx), done: make([]bool, len(batch)), now: time.Now().UTC().Round(0)}
		if err := prepareBy(accountsToo(batch), d, tx, batch, func(e **ending) string { return (*e).call.attempt.TargetID }); err != nil {
			return err
		}
		var err error
		if run.owners, err = owners(tx, batch); err != nil {
			return err
		}
		for i, e := range batch {
			if err := run.end(e); err != nil {
				run.fault = fmt.Errorf("record attempt %s: %w", e.call.attempt.ID, err)
				continue // the others can be recorded all the same
			}
			run.done[i] = true
		}
		run.verdicts = run.claimAfter(batch, next)
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
	r.tell(batch)
	return r.done, r.verdicts, r.fault
}

// tell logs and observes what is on disk.
func (r *recording) tell(batch []*ending) {
	for _, err := range r.refusals {
		r.log.Error("target refused the end of its attempt", "error", err)
	}
	for i, e := range batch {
		switch {
		case slices.Contains(r.claimed, e):
			e.claimed = true
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

// accountsToo returns what reads all that a recording needs: accounts, which claims wait
// for, only when one of them is to be changed.
func accountsToo(batch []*ending) func(storage.Reader, []string) error {
	if slices.ContainsFunc(batch, (*ending).changesAccount) {
		return storage.Prepare
	}
	return storage.PreparePosts
}

// changesAccount reports whether the account is to be left alone from now on, or
// whether a disruption of it begins or ends.
func (e *ending) changesAccount() bool {
	return e.decision.refused || !e.decision.pausedUntil.IsZero() || e.decision.disrupted == e.call.account.DisruptedSince.IsZero()
}

func (d *Deliverer) logEnd(e *ending) {
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

// recording is one run of a recording's transaction.
type recording struct {
	*Deliverer
	*edits
	done     []bool
	fault    error   // of the last that is not done
	refusals []error // of targets that could not take the end of their attempt
	lost     []*ending
	owners   map[storage.PlatformPost][]string
	claimed  []*ending // with a receipt of another target's post; nothing is recorded of them
	verdicts []verdict // on what is claimed next
	now      time.Time
}

// end applies the end of an attempt to the attempt, its target and its account.
// With an error it has changed nothing.
func (r *recording) end(e *ending) error {
	a := e.call.attempt
	if r.Deliverer != nil && r.cfg.Member != nil {
		if ours, err := r.isOurs(e); !ours || err != nil {
			return err
		}
	} else if e.shaken {
		if done, err := r.isDone(a); done || err != nil {
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
	if r.claims(e) {
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
		r.stop(account, e)
	}
	return nil
}

// isOurs reports whether an attempt still has the owner that its call was made
// under, and no end.
func (r *recording) isOurs(e *ending) (bool, error) {
	a, err := storedAttempt(r.tx, e.call.attempt)
	switch {
	case err != nil:
		return false, err
	case a.Outcome == schedctl.OutcomeRunning && a.Owner == e.call.attempt.Owner:
		return true, nil
	case a.ID != "" && !(e.shaken && a.Owner == e.call.attempt.Owner): // else it is gone, or was recorded before
		r.lost = append(r.lost, e)
	}
	return false, nil
}

// isDone reports whether an attempt has its end on disk.
func (r *recording) isDone(a schedctl.Attempt) (bool, error) {
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

// stop stops an account that was refused or is to be left alone. One that was
// connected anew during the call is not the one that was refused.
func (r *recording) stop(account *schedctl.Account, e *ending) {
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
