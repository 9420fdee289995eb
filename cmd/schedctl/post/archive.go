package post

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newArchive(a *cli.App) *cobra.Command {
	o := &changeOptions{
		App: a, op: schedctl.OpArchive,
		words: changeTexts{noun: "post", infinitive: "archive", participle: "archived", ask: "Archive %s?"},
		apply: func(ctx context.Context, c *client.Client, id string) (apiv1.Post, error) {
			return c.ArchivePost(ctx, id)
		},
	}
	return archiving(o, &cobra.Command{
		Use:   "archive [ID...]",
		Short: "Put posts away whose work is over",
		Long: `Archive posts that are published, failed or canceled. Lists leave archived posts out;
"schedctl post list --archived" shows them. Nothing changes on the networks.

Without an id, flags select posts as in "schedctl post list". The selected posts are
listed, and you confirm; without a terminal --yes is required. The exit status is 9
when some of the posts could not be archived.`,
		Example: `  schedctl post archive post_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl post archive --status failed --before "yesterday 0:00" --yes`,
	})
}

func newUnarchive(a *cli.App) *cobra.Command {
	o := &changeOptions{
		App: a, op: schedctl.OpUnarchive, filter: FilterFlags{archived: onlyArchived},
		words: changeTexts{noun: "post", infinitive: "unarchive", participle: "unarchived", ask: "List %s again?"},
		apply: func(ctx context.Context, c *client.Client, id string) (apiv1.Post, error) {
			return c.UnarchivePost(ctx, id)
		},
	}
	return archiving(o, &cobra.Command{
		Use:   "unarchive [ID...]",
		Short: "List archived posts again",
		Long: `List archived posts again.

Without an id, flags select archived posts as in "schedctl post list". The selected
posts are listed, and you confirm; without a terminal --yes is required. The exit status
is 9 when some of the posts could not be changed.`,
		Example: `  schedctl post unarchive post_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl post unarchive --label launch --dry-run`,
	})
}

// archiving completes a command that archives posts, or lists them again.
func archiving(o *changeOptions, cmd *cobra.Command) *cobra.Command {
	o.plan, o.report = o.tellSelected, o.printChanged
	cli.DeclareJSON[apiv1.Post](cmd)
	cmd.Args, cmd.ValidArgsFunction, cmd.RunE = cli.Args(0, cli.Unlimited, ""), CompletePost(o.App), o.run
	o.add(cmd)
	return cmd
}
