package access

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newWorkspaceList(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.Workspace](&cobra.Command{
		Use:   "list",
		Short: "List workspaces",
		Long: `List all workspaces of the daemon, oldest first. "schedctl me" shows the workspace of
your own key.`,
		Example: `  schedctl workspace list
  schedctl workspace list --json=id,name`,
		Args: cli.Args(0, 0, ""),
		RunE: a.WithClient(func(ctx context.Context, c *client.Client, _ []string) error {
			workspaces, err := c.Workspaces(ctx)
			if err != nil {
				return err
			}
			return printWorkspaces(a, workspaces)
		}),
	})
}
