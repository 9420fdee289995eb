package access

import (
	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func NewWorkspace(a *cli.App) *cobra.Command {
	cmd := cli.ParentCommand(&cobra.Command{
		Use:   "workspace",
		Short: "Add, edit and list workspaces",
		Long: `Add, edit and list the workspaces of a daemon. Workspaces are separate: each has its own
accounts, posts, webhooks and API keys.

These commands need a key with the scope workspaces:write, which the first key of
the daemon has. To edit the workspace of your own key, keys:write is enough.`,
		Example: `  schedctl workspace add "Second team" --tz Europe/Berlin --secret-out second.key
  schedctl workspace list`,
	})
	cmd.AddCommand(newWorkspaceAdd(a), newWorkspaceEdit(a), newWorkspaceList(a))
	return cmd
}

func workspaceRow(w apiv1.Workspace) []string { return []string{w.ID, w.Name, w.Timezone, w.Plan} }

// printWorkspaces prints workspaces as a list.
func printWorkspaces(a *cli.App, workspaces []apiv1.Workspace) error {
	id := func(w apiv1.Workspace) string { return w.ID }
	row := func(w apiv1.Workspace) []string { return append(workspaceRow(w), approvalWords(w)) }
	layout := cli.Table{Header: []string{"ID", "NAME", "TIME ZONE", "PLAN", "APPROVALS"}, Status: -1, Excerpt: true}
	return cli.PrintList(a, workspaces, id, layout, row)
}
