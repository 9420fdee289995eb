package deliver

import (
	"context"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// ending is the end of an attempt. It is kept until it is on disk.
type ending struct {
	call     *call
	receipt  *schedctl.Receipt // set when the network has published
	decision decision          // set otherwise
	shaken   bool              // an earlier recording failed, and may be on disk
}

func published(c *call, r schedctl.Receipt) *ending {
	return &ending{call: c, receipt: &r, decision: decision{outcome: schedctl.OutcomePublished}}
}

// recordSome stores the ends of calls, on a goroutine of its own.
func (x *dispatcher) recordSome(ctx context.Context, now time.Time) {
	if len(x.endings) == 0 || !x.records.open(now) {
		return
	}
	n := min(len(x.endings), x.records.size)
	batch := x.endings[:n:n]
	if x.endings = x.endings[n:]; len(x.endings) == 0 {
		x.endings = nil
	}
	x.records.running = true
	x.jobs.Go(func() {
		done, err := x.Deliverer.record(ctx, batch)
		x.mail.report(func(x *dispatcher) { x.recorded(batch, done, err) })
	})
}

// recorded frees the accounts whose calls are on disk; the others stay taken,
// so that nothing of theirs can go out twice.
func (x *dispatcher) recorded(batch []*ending, done []bool, err error) {
	if err == nil {
		x.logGroup(x.records.succeeded(), "recording attempts", nil)
	} else {
		x.logGroup(x.records.failed(len(batch), time.Now()), "recording attempts", err)
	}
	for i, e := range batch {
		if i >= len(done) || !done[i] {
			e.shaken = true
			x.endings = append(x.endings, e)
			continue
		}
		at := e.decision.result.RetryAt
		if at.IsZero() {
			at = time.Now()
		}
		x.forget(ulid(e.call.attempt.TargetID), at)
		x.finish(e.call.queue)
	}
}

// record stores the ends of attempts in one transaction, and says which it has
// stored. An error is about the others.
func (d *Deliverer) record(ctx context.Context, batch []*ending) (done []bool, err error) {
	var r recording
	err = d.cfg.Store.Update(ctx, func(tx storage.Tx) error {
		run := recording{Deliverer: d, edits: newEdits(tx), done: make([]bool, len(batch)), now: time.Now().UTC().Round(0)}
		for i, e := range batch {
			if err := run.end(e); err != nil {
				run.fault = fmt.Errorf("record attempt %s: %w", e.call.attempt.ID, err)
				continue // the others can be recorded all the same
			}
			run.done[i] = true
		}
		r = run
		return run.write()
	})
	if err != nil {
		return nil, err
	}
	for _, err := range r.refusals {
		d.log.Error("target refused the end of its attempt", "error", err)
	}
	for i, e := range batch {
		if r.done[i] {
			d.logEnd(e)
			d.cfg.Observe(e.observation(r.now))
		}
	}
	return r.done, r.fault
}

func (d *Deliverer) logEnd(e *ending) {
	a := e.call.attempt
	switch {
	case e.receipt != nil:
		d.log.Info("published", "post", a.PostID, "target", a.TargetID, "account", a.AccountID, "attempt", a.ID)
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
	now      time.Time
}

// end applies the end of an attempt to the attempt, its target and its account.
// With an error it has changed nothing.
func (r *recording) end(e *ending) error {
	a := e.call.attempt
	if e.shaken {
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
	var account *schedctl.Account
	if e.decision.refused || !e.decision.pausedUntil.IsZero() {
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
	r.attempts = append(r.attempts, a)
	if account != nil {
		r.stop(account, e)
	}
	return nil
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
	if until := e.decision.pausedUntil; until.After(account.PausedUntil) {
		account.PausedUntil, changed = schedctl.Millis(until), true
	}
	if e.decision.refused && account.Status == schedctl.AccountConnected && r.sameLogin(e.call.account, *account) {
		account.Status, account.Error, changed = schedctl.AccountError, e.decision.result.Error, true
		r.events = append(r.events, schedctl.AccountErrorEvent(*account, r.now))
	}
	if changed {
		account.UpdatedAt = schedctl.Millis(r.now)
		r.changedAccount(account)
	}
}
