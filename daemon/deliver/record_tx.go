package deliver

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// recordTx records the ends of attempts within one transaction.
type recordTx struct {
	d             *Deliverer
	edits         *edits
	done          []bool
	lastError     error         // of the ends that are not done
	refusals      []error       // of targets that did not accept the end of their attempt
	lost          []*attemptEnd // the owner of their attempts has changed
	postTargets   map[storage.PlatformPost][]string
	misattributed []*attemptEnd   // with a receipt for the post of a different target; not recorded
	decisions     []claimDecision // about the targets claimed next
	now           time.Time
}

// prepareFor returns the function that reads ahead all records that a recording needs.
// Claims wait for accounts, so those are read only if one of them changes, or the next part
// of a target is claimed.
func prepareFor(batch []*attemptEnd, next []claimItem) func(storage.Reader, []string) error {
	parts := slices.ContainsFunc(next, func(it claimItem) bool { return it.nextPart })
	if parts || slices.ContainsFunc(batch, func(e *attemptEnd) bool { return e.changesAccount() || e.refusesOne() }) {
		return storage.Prepare
	}
	return storage.PreparePosts
}

// changesAccount reports whether the account is refused or paused, a disruption or a
// thread of it starts or ends, or its publisher has learned something.
func (e *attemptEnd) changesAccount() bool {
	return e.learns() || e.startsThread() || e.decision.refused || !e.decision.pausedUntil.IsZero() || e.decision.disrupted == e.call.account.DisruptedSince.IsZero()
}

// startsThread reports whether the account has to remember that the target is between two
// parts of its thread.
func (e *attemptEnd) startsThread() bool {
	next := e.nextPart()
	return next != nil && next.Kind == schedctl.PartReply && e.call.account.ThreadTargetID != e.call.attempt.TargetID
}

// end applies the end of an attempt to the attempt, its target and its account. If it
// returns an error, it has changed nothing.
func (r *recordTx) end(e *attemptEnd) error {
	a := e.call.attempt
	if open, err := r.d.coord.isOpen(r, e); !open || err != nil {
		return err
	}
	post, err := r.edits.post(a.WorkspaceID, a.PostID)
	if notFound(err) {
		return nil // its attempts were deleted with it
	}
	if err != nil {
		return err
	}
	if r.checkAttribution(e, post) {
		return nil
	}
	if err := r.reviewHold(e); err != nil {
		return err
	}
	var account *schedctl.Account
	if e.changesAccount() {
		if account, err = r.edits.account(a.WorkspaceID, a.AccountID); err != nil && !notFound(err) {
			return err
		}
	}
	result := e.decision.result
	result.Receipt = e.receipt
	if err := r.edits.endAttempt(post, a, e.decision.outcome, result, r.now); err != nil {
		r.refusals = append(r.refusals, fmt.Errorf("attempt %s: %w", a.ID, err))
	}
	if account != nil {
		r.updateAccount(account, e)
		r.learn(account, e)
		if t := post.Target(a.TargetID); e.startsThread() && t != nil && inThread(t) {
			account.ThreadTargetID = t.ID
			r.edits.changedAccount(account)
		}
	}
	return nil
}

// learns reports whether the publisher of a call that published has found out something
// about the account.
func (e *attemptEnd) learns() bool { return e.receipt != nil && len(e.call.learned) > 0 }

// learn stores what the publisher has found out, together with the receipt: the receipt waits
// for no transaction more. If it cannot be stored, a later call finds it out again.
func (r *recordTx) learn(account *schedctl.Account, e *attemptEnd) {
	if !e.learns() || r.d.cfg.Sessions == nil {
		return
	}
	changed, err := r.d.cfg.Sessions.Learn(account, e.call.used, e.call.learned)
	if err != nil {
		r.d.log.Warn("storing what a publisher has learned failed", "account", account.ID, "attempt", e.call.attempt.ID, "error", err)
	}
	if changed {
		account.UpdatedAt = schedctl.Millis(r.now)
		r.edits.changedAccount(account)
	}
}

// hasEnd reports whether the end of an attempt is on disk.
func (r *recordTx) hasEnd(a schedctl.Attempt) (bool, error) {
	attempts, err := r.edits.tx.Attempts(a.TargetID)
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

// updateAccount applies a refusal, a pause, or the start or end of a disruption. A pause
// does not apply to an account that the network refuses, whose date is that of the refusal. A
// refusal, and the pause until its date, do not apply to an account that was reconnected
// during the call.
func (r *recordTx) updateAccount(account *schedctl.Account, e *attemptEnd) {
	changed := false
	switch {
	case e.decision.disrupted && account.DisruptedSince.IsZero():
		account.DisruptedSince = schedctl.Millis(r.now)
		r.edits.changedAccount(account)
	case !e.decision.disrupted && !e.decision.result.Unreached && !account.DisruptedSince.IsZero():
		account.DisruptedSince = time.Time{}
		r.edits.changedAccount(account)
	}
	holds := e.decision.refused && account.Status == schedctl.AccountConnected && r.d.sameLogin(e.call.account, *account)
	switch until := schedctl.Millis(e.decision.pausedUntil); {
	case holds:
		changed = true
		account.Refused(cmp.Or(e.decision.hold, e.decision.result.Error), until)
		r.edits.events = append(r.edits.events, schedctl.AccountErrorEvent(*account, r.now))
	case !e.decision.refused && account.Status != schedctl.AccountError && until.After(account.PausedUntil):
		account.PausedUntil, account.PausedBy, changed = until, kindOf(e.decision.result.Error), true
		r.warnOfLongPause(account)
	}
	if e.decision.disrupted && changed {
		r.edits.changedAccount(account) // UpdatedAt stays: a probe is not a change that users need to see
		return
	}
	if changed {
		account.UpdatedAt = schedctl.Millis(r.now)
		r.edits.changedAccount(account)
	}
}

// warnOfLongPause logs that posts of an account will be too late when its pause ends. The
// forecast and the warnings of posts say which.
func (r *recordTx) warnOfLongPause(a *schedctl.Account) {
	if a.PausedUntil.Sub(r.now) > r.d.cfg.MaxLateness {
		r.d.log.Warn("account waits longer than the late limit", "account", a.ID, "platform", a.Platform, "until", a.PausedUntil, "limit", r.d.cfg.MaxLateness, "code", a.PausedBy)
	}
}

func kindOf(e *schedctl.TargetError) schedctl.ErrorKind {
	if e == nil {
		return ""
	}
	return e.Kind
}

// storedAttempt returns the stored version of an attempt, or the zero value if it was
// deleted.
func storedAttempt(r storage.Reader, was schedctl.Attempt) (schedctl.Attempt, error) {
	attempts, err := r.Attempts(was.TargetID)
	if notFound(err) {
		return schedctl.Attempt{}, nil
	}
	for i := range attempts {
		if attempts[i].ID == was.ID {
			return attempts[i], err
		}
	}
	return schedctl.Attempt{}, err
}
