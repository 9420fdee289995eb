package deliver

import (
	"context"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// maxCallMessage is how much of the message of a call is in that of a doubt, in bytes.
const maxCallMessage = 300

// recordUnresolved stores what is known of a doubt: with its attempt, so that a restart goes on
// from there, and with its target, where people see it. Should the store fail, the
// next question notes it.
func (d *Deliverer) recordUnresolved(ctx context.Context, in *unresolvedAttempt) {
	err := d.cfg.Store.UpdateFromReserve(ctx, func(tx storage.Tx) error {
		r := recordTx{Deliverer: d, edits: newEdits(tx), now: time.Now().UTC().Round(0)}
		if err := r.applyUnresolved(in); err != nil && !notFound(err) {
			return err
		}
		return r.write()
	})
	if err != nil {
		d.log.Error("doubt cannot be recorded", "attempt", in.call.attempt.ID, "error", err)
		return
	}
	in.stored = true
}

// applyUnresolved applies a doubt to its attempt, target and account. An attempt that has an
// end, or another owner, by now is none of this deliverer's.
func (r *recordTx) applyUnresolved(in *unresolvedAttempt) error {
	was := in.call.attempt
	a, err := storedAttempt(r.tx, was)
	if err != nil || a.Outcome != schedctl.OutcomeRunning || a.Owner != was.Owner {
		return err
	}
	a.Error, a.Asks = targetError(in.err, true, true), in.asks
	r.attempts = append(r.attempts, a)
	if !in.refused {
		if err := r.markDisrupted(a); err != nil {
			return err
		}
	}
	post, err := r.post(a.WorkspaceID, a.PostID)
	if err != nil {
		return err
	}
	next := r.now.Add(in.askIn)
	shown := *a.Error
	shown.Message = in.statusMessage(next)
	before := post.Version
	r.events = append(r.events, post.Doubt(a.TargetID, &shown, next, r.now)...)
	if post.Version != before {
		r.changedPost(post)
	}
	return nil
}

// markDisrupted notes that a call for an account got no usable response.
func (r *recordTx) markDisrupted(a schedctl.Attempt) error {
	account, err := r.account(a.WorkspaceID, a.AccountID)
	if err != nil {
		return err
	}
	if account.DisruptedSince.IsZero() {
		account.DisruptedSince = schedctl.Millis(r.now)
		r.changedAccount(account)
	}
	return nil
}

// statusMessage returns what people are told of a doubt.
func (in *unresolvedAttempt) statusMessage(next time.Time) string {
	asked := "schedctl will ask the network"
	switch {
	case in.asks == 1:
		asked = "schedctl has asked the network once and will ask again"
	case in.asks > 1:
		asked = fmt.Sprintf("schedctl has asked the network %d times and will ask again", in.asks)
	}
	return clip(fmt.Sprintf("%s; it is not known whether the post is there: %s at %s",
		clip(in.err.Message, maxCallMessage), asked, next.UTC().Format(time.RFC3339)), maxMessage)
}
