package post

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newUnschedule(a *cli.App) *cobra.Command {
	var shown overwriteFlag
	o := &changeOptions{
		App: a, op: schedctl.OpUnschedule, preset: []schedctl.Status{schedctl.Scheduled},
		words: changeTexts{noun: "post", infinitive: "unschedule", participle: "unscheduled", ask: "Make %s a draft again?"},
	}
	o.plan, o.report = o.tellSelected, o.printChanged
	o.apply = func(ctx context.Context, c *client.Client, id string) (apiv1.Post, error) {
		return shown.unchanged(ctx, a, c, id, o.before[id], func(options ...client.Option) (apiv1.Post, error) {
			return c.UnschedulePost(ctx, id, options...)
		})
	}
	cmd := cli.DeclareJSON[apiv1.Post](&cobra.Command{
		Use:   "unschedule [ID...]",
		Short: "Make scheduled posts drafts again",
		Long: `Make scheduled posts drafts again. A draft has no time and is not published; it keeps
its text and its accounts, and remembers its time: "schedctl post schedule ID --restore"
schedules it for that time again. Unlike a canceled post it can be scheduled again.

Without an id, flags select posts as in "schedctl post list". The selected posts are
listed, and you confirm; without a terminal --yes is required. The exit status is 9
when some of the posts could not be changed, and 6 when the given one was changed by
someone else since this machine showed it, unless --overwrite is given.`,
		Example: `  schedctl post unschedule post_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl post unschedule --label launch --dry-run
  schedctl post unschedule --account mastodon:me --after "tomorrow 0:00" --yes`,
		Args:              cli.Args(0, cli.Unlimited, ""),
		ValidArgsFunction: CompletePost(a),
		RunE:              o.run,
	})
	o.add(cmd)
	shown.add(cmd)
	return cmd
}
