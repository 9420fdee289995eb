package post

import (
	"context"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
)

// changed returns all overrides of a post after the change.
func (o *editOptions) changed(ctx context.Context, c *client.Client, p apiv1.Post, to *[]string) (*[]apiv1.Override, error) {
	ids := o.accountsOf(p)
	if to != nil {
		ids = *to
	}
	list, err := o.content.Overrides.Read(ctx, o.App, c, p.TargetOverrides, ids)
	return &list, err
}

// try validates the post in the state after the change.
func (o *editOptions) try(ctx context.Context, c *client.Client, edit apiv1.EditPost) error {
	to, err := replacementAccounts(ctx, o.App, c, o.to)
	if err != nil {
		return err
	}
	return concludeProposal(ctx, o.App, c, dryRunPost(ctx, o.App, c, o.id, o.operation(), func(p apiv1.Post, post *apiv1.CreatePost) error {
		list, err := o.changed(ctx, c, p, to)
		if err != nil {
			return err
		}
		post.TargetOverrides, post.AllowDuplicate = *list, o.allowDuplicate
		fields.Apply(edit, post)
		if o.resends {
			post.SocialAccountIDs, post.PublishAt = o.accountsOf(p), nil
		}
		if to != nil {
			post.SocialAccountIDs = *to
		}
		if edit.PublishAt != nil {
			post.PublishAt, post.QueueID, post.NotBefore, post.AllowBlackout = edit.PublishAt, edit.QueueID, edit.NotBefore, edit.AllowBlackout
		}
		return nil
	}), edit.PublishAt, o.slot.names() || o.resends)
}
