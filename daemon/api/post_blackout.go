package api

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// refuseBlackout returns an error with code BLACKOUT if a blackout of one of the accounts
// avoids a fixed time. read gives access to the store; it is called only to describe the
// blackout.
func (c *request) refuseBlackout(read func(func(storage.Reader) error) error, accounts []schedctl.Account, at time.Time) error {
	for i := range accounts {
		avoided, found := accounts[i].AvoidedAt(at)
		if !found {
			continue
		}
		var refusal error
		err := read(func(r storage.Reader) (err error) {
			refusal, err = c.blackoutRefusal(r, &accounts[i], avoided, at)
			return err
		})
		if err != nil {
			return err
		}
		return refusal
	}
	return nil
}

// refuseNewInBlackout is refuseBlackout for a new post with a fixed time.
func (s *Server) refuseNewInBlackout(ctx context.Context, c *request, b *createPost, accounts []schedctl.Account) error {
	if b.allowBlackout || b.publishAt.nextSlot || b.publishAt.at.IsZero() {
		return nil
	}
	return c.refuseBlackout(func(fn func(storage.Reader) error) error { return s.view(ctx, fn) }, accounts, b.publishAt.at)
}

// inReader returns a read function for refuseBlackout that uses an open reader.
func inReader(r storage.Reader) func(func(storage.Reader) error) error {
	return func(fn func(storage.Reader) error) error { return fn(r) }
}

// blackoutRefusal returns the error for a time in a blackout. A key that may not see the
// blackout gets its period only.
func (c *request) blackoutRefusal(r storage.Reader, a *schedctl.Account, avoided schedctl.AccountBlackout, at time.Time) (refusal, err error) {
	b, err := r.Blackout(c.Key.WorkspaceID, avoided.ID)
	if err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
		return nil, err
	}
	period := fmt.Sprintf("a blackout (%s to %s)", apiv1.Time{Time: avoided.From}, apiv1.Time{Time: avoided.To})
	if err == nil && c.MaySeeAll(b.AccountIDs) {
		period = fmt.Sprintf("the blackout %s (%s to %s %s)", b.ID, b.From, b.To, b.Timezone)
		if b.Reason != "" {
			period = fmt.Sprintf("the blackout %s (%s, %s to %s %s)", b.ID, b.Reason, b.From, b.To, b.Timezone)
		}
	}
	return schedctl.Errorf(schedctl.InBlackout, "publish_at",
		`%s is in %s, which %s avoids; use another time, take the next slot of a queue with publish_at "next-slot", or send allow_blackout: true (--allow-blackout)`,
		apiv1.Time{Time: at}, period, a.ID), nil
}

// refuseEditInBlackout is refuseBlackout for a change of a post: it checks a new time for
// all accounts, and the time of the post for new accounts.
func (c *request) refuseEditInBlackout(r storage.Reader, was, is *schedctl.Post) error {
	if is.PublishAt.IsZero() || is.Slot != (schedctl.Slot{}) {
		return nil
	}
	ids := is.AccountIDs()
	if is.PublishAt.Equal(was.PublishAt) {
		ids = slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(was.AccountIDs(), id) })
	}
	for _, id := range ids {
		a, err := r.Account(c.Key.WorkspaceID, id)
		if err != nil {
			return err
		}
		if err := c.refuseBlackout(inReader(r), []schedctl.Account{a}, is.PublishAt); err != nil {
			return err
		}
	}
	return nil
}

// checkBlackouts adds a problem if the account avoids the fixed time of the post, and a
// warning if it is held then.
func (v *validation) checkBlackouts(about *apiv1.AccountValidation, a *schedctl.Account) error {
	at := v.body.publishAt.at
	if !at.IsZero() && !v.body.publishAt.nextSlot && !v.body.allowBlackout {
		stays, err := v.keepsTime(a.ID, at)
		if err != nil {
			return err
		}
		if !stays {
			refusal := v.call.refuseBlackout(inReader(v.reader), []schedctl.Account{*a}, at)
			if refusal != nil && schedctl.CodeOf(refusal) != schedctl.InBlackout {
				return refusal
			}
			about.Problems = append(about.Problems, problemsOf(refusal)...)
		}
	}
	if warning := holdWarning(a, v.publishTime()); warning != "" {
		about.Warnings = append(about.Warnings, warning)
	}
	return nil
}

// keepsTime reports whether the existing post that would be changed is on the account at
// that time already.
func (v *validation) keepsTime(accountID string, at time.Time) (bool, error) {
	if v.body.postID == "" {
		return false, nil
	}
	p, err := v.call.postByID(v.reader, v.body.postID)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return false, nil
	}
	return err == nil && p.PublishAt.Equal(at) && slices.Contains(p.AccountIDs(), accountID), err
}

// holdWarning says which hold a post to an account must wait for. It is empty if the post
// need not wait.
func holdWarning(a *schedctl.Account, at time.Time) string {
	i := slices.IndexFunc(a.Blackouts, func(b schedctl.AccountBlackout) bool { return b.Mode == schedctl.BlackoutHold && b.Contains(at) })
	switch {
	case i < 0:
		return ""
	case a.Blackouts[i].To.IsZero():
		return fmt.Sprintf("the blackout %s holds the account; the post waits until the hold ends", a.Blackouts[i].ID)
	}
	return fmt.Sprintf("the blackout %s holds the account until %s; the post waits until then", a.Blackouts[i].ID, apiv1.Time{Time: a.Blackouts[i].To})
}
