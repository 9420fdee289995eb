package post

import (
	"context"
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/content"
)

// send creates the post. With --dry-run it only validates it.
func (o *createOptions) send(ctx context.Context, c *client.Client, create apiv1.CreatePost) (post apiv1.Post, err error) {
	if !o.editor {
		if err := o.address(ctx, c, &create); err != nil {
			return post, err
		}
	}
	source := create.Content
	change, err := o.content.Change(ctx, o.App, c, content.Subject{
		Text: &source, New: true, Dry: o.dry, Post: func() (apiv1.CreatePost, error) { return create, nil },
	})
	if err != nil {
		return post, err
	}
	fields.Apply(change, &create)
	if o.repeat.given() {
		o.sayBlackouts(ctx, c, create.SocialAccountIDs)
	}
	if o.dry {
		return post, o.check(ctx, c, create)
	}
	write := o.write(source)
	write.content = create.Content
	if o.repeat.given() {
		return post, o.createSeries(ctx, c, create, write)
	}
	if write.key == "" && create.PublishAt != nil && create.ExternalID == nil {
		// A repeated command with the same key has created the post already, and would be
		// warned of a duplicate of itself.
		warnAboutPost(ctx, o.App, c, create)
	}
	post, err = write.create(ctx, c, create, o.slot.names() || o.wait)
	switch {
	case err == nil:
		o.RememberID(cli.PostNoun, post.ID)
		o.slot.echo(o.App, post)
	case schedctl.CodeOf(err) == schedctl.ExternalIDExists:
		return o.existing(ctx, c, create, err)
	}
	if err != nil && ctx.Err() != nil {
		return post, Interruption(o.App, "interrupted; the daemon may have created the post", "look with: schedctl post list --all --limit 1")
	}
	return post, o.when.Refused(err)
}

// check validates the post: for a series, its first occurrence.
func (o *createOptions) check(ctx context.Context, c *client.Client, create apiv1.CreatePost) error {
	if o.repeat.given() {
		if _, err := o.seriesRequest(create); err != nil {
			return err
		}
		if create.Content == "" && len(o.repeat.variants) > 0 {
			create.Content = o.repeat.variants[0]
		}
		create.QueueID, create.AllowBlackout = nil, true
	}
	return concludeProposal(ctx, o.App, c, checkPost(ctx, o.App, c, create), create.PublishAt, o.slot.names() || o.repeat.given())
}

// write is the request as the user typed it.
func (o *createOptions) write(text string) idempotentWrite {
	parts := append([]string{"create", fmt.Sprint(o.allowDuplicate)}, labeledParts("to", o.to)...)
	parts = append(append(parts, o.content.Overrides.Key()...), labeledParts("label", o.labels.labels)...)
	if o.submit {
		parts = append(parts, "submit", o.note)
	}
	if o.propose.text != "" {
		parts = append(parts, "propose", o.propose.text)
	}
	if o.externalID != "" {
		parts = append(parts, "external-id", o.externalID)
	}
	parts = append(parts, o.content.Key()...)
	parts = append(append(parts, o.slot.key()...), o.repeat.key()...)
	return onceFor(o.App, o.once, text, &o.when, parts...)
}
