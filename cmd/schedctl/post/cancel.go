package post

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newCancel(a *cli.App) *cobra.Command {
	shown := overwriteFlag{anyStatus: true}
	o := &changeOptions{
		App: a, op: schedctl.OpCancel, asks: true,
		words: changeTexts{noun: "post", infinitive: "cancel", participle: "canceled", ask: "Cancel %s for good?"},
	}
	o.plan, o.report = o.tellSelected, o.printChanged
	o.apply = func(ctx context.Context, c *client.Client, id string) (apiv1.Post, error) {
		return shown.unchanged(ctx, a, c, id, o.before[id], func(options ...client.Option) (apiv1.Post, error) {
			return c.CancelPost(ctx, id, options...)
		})
	}
	cmd := cli.DeclareJSON[apiv1.Post](&cobra.Command{
		Use:   "cancel [ID...]",
		Short: "Cancel scheduled posts (cannot be undone)",
		Long: `Cancel posts that are scheduled or being published. Texts that are already published
stay published. A canceled post cannot be scheduled again.

Without an id, flags select posts as in "schedctl post list". The selected posts are
listed, and you confirm; without a terminal --yes is required. The exit
status is 9 when some of the posts could not be canceled, and 6 when the given one was
changed by someone else since this machine showed it, unless --overwrite is given. A
change of the status alone does not count.`,
		Example: `  schedctl post cancel post_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl post cancel --account mastodon:me --after "tomorrow 0:00" --dry-run
  schedctl post cancel --search "the meetup" --yes`,
		Args:              cli.Args(0, cli.Unlimited, ""),
		ValidArgsFunction: CompletePost(a),
		RunE:              o.run,
	})
	o.add(cmd)
	shown.add(cmd)
	return cmd
}
