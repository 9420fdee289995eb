package post

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// CompletableStatuses are the statuses of the posts that a command can change.
// Commands without an entry accept posts of every status.
var CompletableStatuses = map[string][]schedctl.Status{
	"schedctl post cancel":     {schedctl.Scheduled, schedctl.Publishing},
	"schedctl post delete":     {schedctl.Draft},
	"schedctl post edit":       {schedctl.Draft, schedctl.Scheduled},
	"schedctl post publish":    {schedctl.Draft, schedctl.Scheduled},
	"schedctl post retry":      {schedctl.Failed},
	"schedctl post resend":     {schedctl.Failed},
	"schedctl post archive":    {schedctl.Published, schedctl.Failed, schedctl.Canceled},
	"schedctl post schedule":   {schedctl.Draft},
	"schedctl post unschedule": {schedctl.Scheduled},
	"schedctl post wait":       {schedctl.Scheduled, schedctl.Publishing},
	"schedctl post watch":      {schedctl.Scheduled, schedctl.Publishing},
}

// CompletePost offers the ids of recent posts that are not on the command line yet,
// described by status, time and text.
func CompletePost(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		q := client.PostQuery{Statuses: CompletableStatuses[cmd.CommandPath()], Limit: 50}
		return a.CompleteFrom(cli.Unlimited, cli.CompleteInOrder, func(ctx context.Context, c *client.Client) ([]string, error) {
			page, err := c.Posts(ctx, q)
			return cli.Map(page.Results, func(p apiv1.Post) string { return p.ID + "\t" + postInShort(a, p) }), err
		})(cmd, args, typed)
	}
}

// postInShort describes a post briefly.
func postInShort(a *cli.App, p apiv1.Post) string {
	about := string(p.Status)
	if p.PublishAt != nil {
		about += " " + p.PublishAt.In(a.Local).Format("2 Jan 15:04") + ", " + when.Relative(p.PublishAt.Time, a.Now())
	}
	return about + ": " + cli.Clip(cli.OneLine(Excerpt(p)), 50)
}
