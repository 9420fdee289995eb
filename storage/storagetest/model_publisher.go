package storagetest

import (
	"errors"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest/oracle"
)

// publisher publishes due targets to simulated networks. It does the work of package
// deliver step by step, for stores without a daemon.
type publisher struct {
	*modelSubject
	moods     map[string]oracle.Mood
	calls     map[string]callInFlight // in flight, by account
	exchanges []oracle.Exchange
	published []string // ids of all published parts
}

// callInFlight is a call in flight.
type callInFlight struct {
	attempt schedctl.Attempt
	parts   int       // number of parts that the call publishes
	since   time.Time // DisruptedSince of the account at the start of the call
	ends    time.Time
	result  oracle.Result
}

// modelLateness is how late a target may be published.
const modelLateness = 24 * time.Hour

// run executes everything due until the given time, in order.
func (c *publisher) run(until time.Time) {
	c.Helper()
	for {
		for c.finishCalls() || c.startCalls() {
			continue
		}
		next := c.nextInstant(until)
		if next.After(until) {
			c.now = until
			return
		}
		c.now = next
	}
}

// nextInstant returns when something may happen after now, at the latest just after
// until.
func (c *publisher) nextInstant(until time.Time) time.Time {
	next := until.Add(time.Millisecond)
	at := func(t time.Time) {
		if t.After(c.now) && t.Before(next) {
			next = t
		}
	}
	for _, call := range c.calls {
		at(call.ends)
	}
	c.view(func(r storage.Reader) error {
		var found error
		err := r.Due(schedctl.Due{}, func(d schedctl.Due) bool {
			if at(d.Time()); d.Time().After(c.now) {
				return false
			}
			post, t, a, err := findModelTarget(r, d.TargetID())
			if err != nil {
				found = err
				return false
			}
			_ = post
			at(a.PausedUntil)
			at(t.LateSince().Add(modelLateness + time.Millisecond))
			return true
		})
		return errors.Join(err, found)
	})
	return next
}

func findModelTarget(r storage.Reader, id string) (p schedctl.Post, t *schedctl.Target, a schedctl.Account, err error) {
	route, err := r.Route(id)
	if err != nil {
		return p, nil, a, err
	}
	if p, err = r.Post(route.WorkspaceID, route.PostID); err != nil {
		return p, nil, a, err
	}
	a, err = r.Account(route.WorkspaceID, route.AccountID)
	return p, p.Target(id), a, err
}

// finishCalls records the calls that have ended by now, and reports whether there were
// any.
func (c *publisher) finishCalls() (ended bool) {
	for id, call := range c.calls {
		if !call.ends.After(c.now) {
			delete(c.calls, id)
			c.finish(call, call.result)
			ended = true
		}
	}
	return ended
}

// recover ends the calls in flight, as a starting daemon does with unfinished attempts.
func (c *publisher) recover() {
	for id, call := range c.calls {
		delete(c.calls, id)
		c.finish(call, oracle.Result{Kind: "unknown", Outcome: "unknown"})
	}
}

// startCalls claims the first target that can be claimed, and reports whether there was
// one.
func (c *publisher) startCalls() (began bool) {
	var ids []string
	c.view(func(r storage.Reader) error {
		ids = nil
		return r.Due(schedctl.Due{}, func(d schedctl.Due) bool {
			if d.Time().After(c.now) {
				return false
			}
			ids = append(ids, d.TargetID())
			return true
		})
	})
	for _, id := range ids {
		if c.claim(id) {
			return true
		}
	}
	return false
}

// claim starts a call for a target or gives the target up, and reports whether it did
// either.
func (c *publisher) claim(id string) (done bool) {
	var begun *schedctl.Attempt
	var account schedctl.Account
	call := oracle.Exchange{At: c.now, Target: id}
	c.update(func(tx storage.Tx) error {
		begun, done = nil, false
		post, t, a, err := findModelTarget(tx, id)
		if err != nil {
			return err
		}
		account = a
		setSent(&call, &post, t, a.Options.Bool("whole"))
		if e := permanentFailure(t, a, c.now); e != nil {
			done = true
			events, err := post.Finish(id, schedctl.Result{Error: e}, c.now)
			return errors.Join(err, tx.PutPost(post), tx.AddEvents(events...))
		}
		if _, busy := c.calls[a.ID]; busy || a.Status != schedctl.AccountConnected || a.PausedUntil.After(c.now) {
			return nil
		}
		attempt, err := post.Begin(schedctl.Claim{TargetID: id, Owner: "model", Lease: time.Minute, Key: id}, c.now)
		begun, done = &attempt, true
		return errors.Join(err, tx.PutPost(post), tx.PutAttempt(attempt))
	})
	if begun == nil {
		return done
	}
	c.exchanges = append(c.exchanges, call)
	took, result := CallResult(c.moods[account.ID], c.now)
	c.calls[account.ID] = callInFlight{attempt: *begun, parts: 1 + len(call.Sent.Rest), since: account.DisruptedSince, ends: c.now.Add(took), result: result}
	return true
}

// permanentFailure returns why a target cannot be published any more, or nil.
func permanentFailure(t *schedctl.Target, a schedctl.Account, now time.Time) *schedctl.TargetError {
	e := &schedctl.TargetError{Outcome: schedctl.OutcomeNotPublished}
	if unconfirmedInModel(t, t.Tries()) {
		e.Outcome = schedctl.OutcomeUnknown
	}
	switch {
	case a.Status == schedctl.AccountDisconnected:
		e.Kind = schedctl.KindAuth
	case now.Sub(t.LateSince()) > modelLateness:
		e.Kind, e.Retryable = schedctl.KindMissed, e.Outcome == schedctl.OutcomeNotPublished
	default:
		return nil
	}
	return e
}

func unconfirmedInModel(t *schedctl.Target, tries int) bool {
	return tries > 0 && t.Error != nil && t.Error.Outcome == schedctl.OutcomeUnknown
}
