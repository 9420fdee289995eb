package post

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// NewLabel returns "schedctl label".
func NewLabel(a *cli.App) *cobra.Command {
	cmd := cli.ParentCommand(&cobra.Command{
		Use:   "label",
		Short: "Show the labels of posts",
		Long: `Show the labels of posts. A campaign is a label: commands select its posts with --label,
"schedctl post edit" with --where-label, and "schedctl pause --label" holds them.`,
		Example: `  schedctl label list
  schedctl label list --json`,
	})
	cmd.AddCommand(newLabelList(a))
	return cmd
}

func newLabelList(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.Label](&cobra.Command{
		Use:   "list",
		Short: "List labels with the number and the dates of their posts",
		Long: `List the labels of posts by name, with the number of posts and their first and last time.
Posts that are canceled or archived do not count.`,
		Example: `  schedctl label list
  schedctl label list --jq '.[] | [.label, .posts] | @tsv'`,
		Args: cli.Args(0, 0, ""),
		RunE: a.WithClient(func(ctx context.Context, c *client.Client, _ []string) error {
			list, err := c.Labels(ctx)
			if err != nil {
				return err
			}
			if len(list.Results) == 0 && a.ErrTerminal {
				a.Messagef("no labels; add one with: schedctl post edit ID --label TEXT")
			}
			if !list.Complete && !a.Quiet {
				a.Messagef("warning: there are more posts or labels than the daemon counts; only the newest posts were counted")
			}
			table := cli.Table{Header: []string{"LABEL", "POSTS", "FIRST", "LAST"}}
			return cli.PrintList(a, list.Results, func(l apiv1.Label) string { return l.Label }, table, func(l apiv1.Label) []string {
				return []string{l.Label, fmt.Sprint(l.Posts), a.TimeText(l.FirstAt), a.TimeText(l.LastAt)}
			})
		}),
	})
}
