package post

import (
	"context"
	"slices"

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
	"schedctl post schedule":   {schedctl.Draft},
	"schedctl post unschedule": {schedctl.Scheduled},
	"schedctl post wait":       {schedctl.Scheduled, schedctl.Publishing},
	"schedctl post watch":      {schedctl.Scheduled, schedctl.Publishing},
}

// completePost offers the ids of recent posts that are not on the command line yet,
// described by status, time and text.
func completePost(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var out []string
		a.AskDaemon(cmd, func(ctx context.Context, c *client.Client) {
			page, err := c.Posts(ctx, client.PostQuery{Statuses: CompletableStatuses[cmd.CommandPath()], Limit: 50})
			if err != nil {
				return
			}
			for _, p := range page.Results {
				if !slices.Contains(args, p.ID) {
					out = append(out, p.ID+"\t"+postInShort(a, p))
				}
			}
		})
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// postInShort describes a post briefly.
func postInShort(a *cli.App, p apiv1.Post) string {
	about := string(p.Status)
	if p.PublishAt != nil {
		about += " " + p.PublishAt.In(a.Local).Format("2 Jan 15:04") + ", " + when.Relative(p.PublishAt.Time, a.Now())
	}
	return about + ": " + cli.Clip(cli.OneLine(excerpt(p)), 50)
}
