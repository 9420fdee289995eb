package deliver

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

const (
	// refusedAskInterval is how often the network of a refused account is asked about
	// an unresolved attempt while the account is not reconnected. A network that says when
	// it accepts the account again is not asked before.
	refusedAskInterval = time.Hour
)

// finder returns the publisher of a call if its network can be asked about the call.
func (d *Deliverer) finder(c *publisherCall) (publish.Finder, bool) {
	finder, ok := c.publisher.(publish.Finder)
	if partial, some := finder.(publish.PartialFinder); some {
		// With credentials that cannot be read, asking fails with a message that says so.
		credentials, err := d.credentials(c.account)
		ok = err != nil || partial.CanFind(credentials)
	}
	return finder, ok
}

// findPost asks the network for the post of a call.
func (d *Deliverer) findPost(ctx context.Context, finder publish.Finder, c *publisherCall) (receipt schedctl.Receipt, found bool, failure *publish.Error) {
	since := d.cfg.Clock.Earliest(c.attempt.StartedAt)
	files, failure := d.describeFiles(ctx, c)
	if failure != nil {
		return schedctl.Receipt{}, false, failure
	}
	failure = d.callPublisher(ctx, c, callTimeout, func(ctx context.Context, r publish.Request) (err error) {
		setFiles(&r, files)
		r.Taken = d.isTaken(ctx, c)
		if receipt, found, err = finder.Find(ctx, r, since); err != nil || !found {
			return err
		}
		if _, guesses := finder.(publish.ContentFinder); !guesses {
			return nil // it has recognized its own key, and ids may be unique only within a channel
		}
		taken, err := r.Taken(receipt.ID)
		if err == nil && taken {
			err = misattributedError()
		}
		return err
	})
	return receipt, found && failure == nil, failure
}

// firstAskDelay returns how long to wait before the network is first asked about a
// call that has just ended with an unknown outcome. It is shorter than planned if the
// network recognizes a repeat even of a call that it is still processing.
func firstAskDelay(c *publisherCall, planned time.Duration) time.Duration {
	if network, ok := c.publisher.(publish.PromptFinder); ok {
		return min(planned, network.FindAfter())
	}
	return planned
}

// askAfter returns the time before which the network is not asked about an attempt, or
// zero. A network that can be asked promptly recognizes a repeat only with the
// credentials of the call. With other credentials, the call has to be over first.
func (d *Deliverer) askAfter(u *unresolvedAttempt, now *publisherCall) time.Time {
	_, prompt := now.publisher.(publish.PromptFinder)
	if !prompt || u.call.publisher == nil || d.sameLogin(u.call.account, now.account) {
		return u.overBy
	}
	return laterOf(u.overBy, u.finalBy)
}

// refusedAskDelay returns how long to wait before asking again if the network refused
// the account. It is zero if the network did not, or if the target is too late.
func (d *Deliverer) refusedAskDelay(c *publisherCall, failure *publish.Error) time.Duration {
	if failure.Kind != schedctl.KindAuth {
		return 0
	}
	return max(0, min(max(refusedAskInterval, time.Until(failure.RetryAt)), time.Until(c.lateSince.Add(d.cfg.MaxLateness))))
}

// recordRefusal records that the network refused the account of a call, so that users
// see why the attempt stays unresolved. If the store fails, the next question records it.
func (d *Deliverer) recordRefusal(ctx context.Context, c *publisherCall, failure *publish.Error) {
	e := &attemptEnd{call: c, decision: policyDecision{
		refused: true, pausedUntil: failure.HeldUntil(time.Now()), result: schedctl.Result{Error: targetError(failure, false, false)},
	}}
	err := d.cfg.Store.UpdateFromReserve(ctx, func(tx storage.Tx) error {
		r := recordTx{d: d, edits: newEdits(tx), now: time.Now().UTC().Round(0)}
		account, err := r.edits.account(c.attempt.WorkspaceID, c.attempt.AccountID)
		if err != nil {
			return err
		}
		r.updateAccount(account, e)
		return r.edits.write()
	})
	if err != nil {
		d.log.Error("recording refused account failed", "account", c.attempt.AccountID, "error", err)
		return
	}
	d.logEnd(e)
}
