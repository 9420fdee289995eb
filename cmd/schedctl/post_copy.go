package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

type postCopy struct {
	*app
	to     []string
	labels labelFlags
	when   whenFlags
	once   onceFlags
	dry    bool

	allowDuplicate bool
}

func newPostCopy(a *app) *cobra.Command {
	o := &postCopy{app: a}
	cmd := prints[apiv1.Post](&cobra.Command{
		Use:   "copy ID",
		Short: "Make a new post from an existing one",
		Long: `Make a new draft with the text, the accounts, the texts and options of single
accounts, and the labels of a post in any status. With --at or --in the new post is
scheduled. --to replaces all accounts, and --label all labels. The copy has no
external id and belongs to no collection.`,
		Example: `  schedctl post copy post_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl post copy post_01KAK3R9ZC4VBX1D2E3F4G5H6J --at "next monday 9am"
  schedctl post copy post_01KAK3R9ZC4VBX1D2E3F4G5H6J --to demo --label again`,
		Args:              takes(1, 1, "the id of a post"),
		ValidArgsFunction: a.completePost,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0])
		},
	})
	a.addToOrAccount(cmd, &o.to)
	o.labels.add(cmd)
	o.when.add(cmd)
	addAllowDuplicate(cmd, &o.allowDuplicate)
	o.once.add(cmd)
	addDryRun(cmd, &o.dry)
	return cmd
}

func (o *postCopy) run(ctx context.Context, ref string) error {
	labels, err := o.labels.read()
	if err != nil {
		return err
	}
	o.when.lenient = !o.dry && o.repeatable(o.once)
	at, err := o.when.publishAt(o.app)
	if err != nil {
		return err
	}
	c, err := o.connect()
	if err != nil {
		return err
	}
	id, err := o.postID(ctx, c, ref)
	if err != nil {
		return err
	}
	original, err := c.Post(ctx, id)
	if err != nil {
		return refusedPost(id, err)
	}
	create := apiv1.CreatePost{
		Content: original.Content, SocialAccountIDs: original.SocialAccountIDs, TargetOverrides: original.TargetOverrides,
		Labels: original.Labels, PublishAt: at, AllowDuplicate: o.allowDuplicate,
	}
	if labels != nil {
		create.Labels = *labels
	}
	if o.to != nil {
		if create.SocialAccountIDs, err = o.recipients(ctx, c, o.to); err != nil {
			return err
		}
		create.TargetOverrides = kept(original.TargetOverrides, create.SocialAccountIDs)
	}
	if o.dry {
		return o.check(ctx, c, create)
	}
	parts := append([]string{"copy", id, fmt.Sprint(o.allowDuplicate)}, labeled("to", o.to)...)
	write := o.onceFor(o.once, "", &o.when, append(parts, labeled("label", create.Labels)...)...)
	post, err := write.do(ctx, c, "", func(options ...client.Option) (apiv1.Post, error) {
		return c.CreatePost(ctx, create, options...)
	})
	if err != nil {
		return o.when.refused(err)
	}
	o.remember(postNoun, post.ID)
	return o.printPost(ctx, c, post)
}
