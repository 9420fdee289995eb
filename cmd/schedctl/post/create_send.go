package post

import (
	"context"
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// send creates the post. With --dry-run it only validates it.
func (o *createOptions) send(ctx context.Context, c *client.Client, create apiv1.CreatePost, overrides []override) (post apiv1.Post, err error) {
	if !o.editor {
		if err := o.address(ctx, c, &create, overrides); err != nil {
			return post, err
		}
	}
	source := create.Content
	texts := o.parts.textParts(source)
	if o.parts.split {
		if texts, err = o.parts.splitAndAsk(ctx, o.App, c, create, source, o.dry); err != nil {
			return post, err
		}
	}
	if err := o.parts.checkParts(texts, o.media.Attached()); err != nil {
		return post, err
	}
	create.Content = texts[0]
	if create.Media, err = o.media.Upload(ctx, o.App, c); err != nil {
		return post, err
	}
	change, err := o.parts.change(ctx, o.App, c, texts)
	if err != nil {
		return post, err
	}
	setParts(&create, change)
	if o.dry {
		return post, o.check(ctx, c, create)
	}
	write := o.write(source, overrides)
	write.content = create.Content
	if o.repeat.given() {
		return post, o.createSeries(ctx, c, create, write)
	}
	if write.key == "" && create.PublishAt != nil && create.ExternalID == nil {
		// A repeated command with the same key has created the post already, and would be
		// warned of a duplicate of itself.
		warnAboutPost(ctx, o.App, c, create)
	}
	post, err = write.do(ctx, c, "", func(options ...client.Option) (apiv1.Post, error) {
		return c.CreatePost(ctx, create, options...)
	})
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
	return checkPost(ctx, o.App, c, create)
}

// write is the request as the user typed it.
func (o *createOptions) write(content string, overrides []override) idempotentWrite {
	parts := append([]string{"create", fmt.Sprint(o.allowDuplicate)}, labeledParts("to", o.to)...)
	for _, v := range overrides {
		parts = append(append(parts, "override", v.account, v.text), v.thread...)
	}
	parts = append(parts, labeledParts("label", o.labels.labels)...)
	if o.externalID != "" {
		parts = append(parts, "external-id", o.externalID)
	}
	parts = append(append(parts, o.media.Parts()...), o.parts.key()...)
	parts = append(append(parts, o.slot.key()...), o.repeat.key()...)
	return onceFor(o.App, o.once, content, &o.when, parts...)
}
