package post

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type publishOptions struct {
	*cli.App
	to   []string
	once idempotencyFlags
	wait bool
	dry  bool
	yes  bool

	allowDuplicate bool
}

func newPublish(a *cli.App) *cobra.Command {
	o := &publishOptions{App: a}
	cmd := cli.DeclareJSON[apiv1.Post](&cobra.Command{
		Use:   "publish ID",
		Short: "Publish a draft or a scheduled post at once",
		Long: `Publish a draft or a scheduled post at once. --to replaces its accounts. On a terminal
the command shows the post and asks you to confirm.`,
		Example: `  schedctl post publish post_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl post publish post_01KAK3R9ZC4VBX1D2E3F4G5H6J --to demo --wait --timeout 1m`,
		Args:              cli.Args(1, 1, "the id of a post"),
		ValidArgsFunction: CompletePost(a),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	addTo(a, cmd, &o.to)
	AddAllowDuplicate(cmd, &o.allowDuplicate)
	o.once.add(cmd)
	addDryRun(cmd, &o.dry)
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&o.wait, "wait", false, "wait until the post is published; exit status 9 when a target failed")
	return cmd
}

func (o *publishOptions) run(ctx context.Context, id string) error {
	c, id, err := connectOne(ctx, o.App, id)
	if err != nil {
		return err
	}
	to, err := replacementAccounts(ctx, o.App, c, o.to)
	if err != nil {
		return err
	}
	if o.dry {
		return dryRunPost(ctx, o.App, c, id, schedctl.OpPublishNow, releasedPost(o.App, to, apiv1.Now(), o.allowDuplicate))
	}
	if !o.yes {
		if _, err := confirmPosts(ctx, o.App, c, "Publish it now?", []string{id}, to); err != nil {
			return err
		}
	}
	write := onceFor(o.App, o.once, "", &cli.WhenFlags{}, append([]string{"publish", id, fmt.Sprint(o.allowDuplicate)}, labeledParts("to", o.to)...)...)
	post, err := write.do(ctx, c, id, func(options ...client.Option) (apiv1.Post, error) {
		return c.PublishPost(ctx, id, apiv1.PublishPost{SocialAccountIDs: to, AllowDuplicate: o.allowDuplicate}, options...)
	})
	if err != nil {
		return refusedRelease(ctx, c, id, o.to, err)
	}
	if o.wait {
		warnAbout(o.App, post)
		return waitFor(ctx, o.App, c, []string{post.ID})
	}
	return printPost(ctx, o.App, c, post)
}
