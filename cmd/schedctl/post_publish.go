package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

type postPublish struct {
	*app
	to   []string
	once onceFlags
	wait bool
	dry  bool
	yes  bool

	allowDuplicate bool
}

func newPostPublish(a *app) *cobra.Command {
	o := &postPublish{app: a}
	cmd := prints[apiv1.Post](&cobra.Command{
		Use:   "publish ID",
		Short: "Publish a draft or a scheduled post at once",
		Long: `Publish a draft or a scheduled post at once, and with --to to these accounts. On a
terminal the post is shown and you are asked first.`,
		Example: `  schedctl post publish post_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl post publish post_01KAK3R9ZC4VBX1D2E3F4G5H6J --to demo --wait --timeout 1m`,
		Args:              takes(1, 1, "the id of a post"),
		ValidArgsFunction: a.completePost,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0])
		},
	})
	a.addTo(cmd, &o.to)
	addAllowDuplicate(cmd, &o.allowDuplicate)
	o.once.add(cmd)
	addDryRun(cmd, &o.dry)
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&o.wait, "wait", false, "wait until it is published; exit status 9 when a target failed")
	return cmd
}

func (o *postPublish) run(ctx context.Context, id string) error {
	c, err := o.connect()
	if err != nil {
		return err
	}
	if id, err = o.postID(ctx, c, id); err != nil {
		return err
	}
	to, err := o.replacing(ctx, c, o.to)
	if err != nil {
		return err
	}
	if o.dry {
		return o.dryRun(ctx, c, id, schedctl.OpPublishNow, o.released(to, apiv1.Now(), o.allowDuplicate))
	}
	if !o.yes {
		if err := o.confirmPosts(ctx, c, "Publish it now?", []string{id}, to); err != nil {
			return err
		}
	}
	write := o.onceFor(o.once, "", &whenFlags{}, append([]string{"publish", id, fmt.Sprint(o.allowDuplicate)}, labeled("to", o.to)...)...)
	post, err := write.do(ctx, c, id, func(options ...client.Option) (apiv1.Post, error) {
		return c.PublishPost(ctx, id, apiv1.PublishPost{SocialAccountIDs: to, AllowDuplicate: o.allowDuplicate}, options...)
	})
	if err != nil {
		return refusedRelease(ctx, c, id, o.to, err)
	}
	if o.wait {
		return o.waitFor(ctx, c, []string{post.ID})
	}
	return o.printPost(ctx, c, post)
}
