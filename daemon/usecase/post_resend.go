package usecase

import (
	"context"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// ResendPost describes a post that sends the failed targets of another one again, with
// changes.
type ResendPost struct {
	EditPost
	Now   bool // publish it immediately
	Force bool // also targets that may be published already
}

// ResendPost makes the post that sends the failed targets of the post of the request again,
// and archives that one. Without a time the new post is a draft.
func (d *Decision) ResendPost(ctx context.Context, e ResendPost) (schedctl.Post, error) {
	c := d.request
	var created *CreatedPost
	old, err := d.changePost(schedctl.OpResend, func(r storage.Reader, old *schedctl.Post) ([]schedctl.Event, error) {
		failed, err := old.ToResend(e.Force)
		if err != nil {
			return nil, err
		}
		if e.AccountIDs != nil && !e.Force {
			if err := refuseOthers(old, failed, *e.AccountIDs); err != nil {
				return nil, err
			}
		}
		account := func(id string) (schedctl.Account, error) { return r.Account(c.Key.WorkspaceID, id) }
		if created, err = d.CreatePost(ctx, newResend(old, failed, e), account); err != nil {
			return nil, err
		}
		created.ResendOf = old.ID
		old.Resent(created.ID, c.Now)
		if d.tx != nil {
			_, err = created.Store(d.tx)
		}
		return nil, err
	})
	if err != nil {
		return old, err
	}
	return created.Post, nil
}

// refuseOthers returns an error for accounts that may have the old post already.
func refuseOthers(old *schedctl.Post, failed []schedctl.Target, ids []string) error {
	for i := range old.Targets {
		t := &old.Targets[i]
		isFailed := slices.ContainsFunc(failed, func(f schedctl.Target) bool { return f.ID == t.ID })
		if !isFailed && slices.Contains(ids, t.AccountID) {
			return schedctl.Errorf(schedctl.ValidationFailed, "social_account_ids", "%s may have the post already; leave it out, or resend with force: true (--force)", t.AccountID)
		}
	}
	return nil
}

// newResend returns a copy of a post for its failed targets, with changes.
func newResend(old *schedctl.Post, failed []schedctl.Target, e ResendPost) NewPost {
	n := NewPost{
		NewPost: schedctl.NewPost{
			Content: old.Content, PublishAt: e.PublishAt, Now: e.Now, Annotation: e.Annotation, Source: e.Source,
		},
		MediaField: e.MediaField, SlotChoice: e.SlotChoice, Allow: e.Allow,
	}
	if n.Labels == nil {
		n.Labels = new(slices.Clone(old.Labels))
	}
	e.ContentChange.SetIn(&n.Content)
	for i := range failed {
		n.AccountIDs = append(n.AccountIDs, failed[i].AccountID)
	}
	if e.AccountIDs != nil {
		n.AccountIDs = *e.AccountIDs
	}
	if e.Proposed != nil {
		n.Proposed = *e.Proposed
	}
	if e.Overrides != nil {
		n.Overrides = *e.Overrides
		return n
	}
	for _, o := range old.Overrides() {
		if slices.Contains(n.AccountIDs, o.AccountID) {
			n.Overrides = append(n.Overrides, o)
		}
	}
	return n
}
