package main

import (
	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
)

func newWorkspace(a *app) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "workspace",
		Short: "Add and list workspaces",
		Long: `Add and list the workspaces of a daemon. Workspaces see nothing of each other: each
has its own accounts, posts, webhooks and API keys.

These commands need a key with the scope workspaces:write, which the first key of
the daemon has.`,
		Example: `  schedctl workspace add "Second team" --tz Europe/Berlin --secret-out second.key
  schedctl workspace list`,
	})
	cmd.AddCommand(newWorkspaceAdd(a), newWorkspaceList(a))
	return cmd
}

func workspaceRow(w apiv1.Workspace) []string { return []string{w.ID, w.Name, w.Timezone, w.Plan} }

// printWorkspaces prints workspaces as a list.
func (a *app) printWorkspaces(workspaces []apiv1.Workspace) error {
	switch {
	case a.json.set:
		return a.printJSON(append([]apiv1.Workspace{}, workspaces...))
	case a.quiet:
		ids := make([]string, len(workspaces))
		for i := range workspaces {
			ids[i] = workspaces[i].ID
		}
		return a.printIDs(ids...)
	}
	t := table{header: []string{"ID", "NAME", "TIME ZONE", "PLAN"}, status: -1, excerpt: true}
	for _, w := range workspaces {
		t.rows = append(t.rows, workspaceRow(w))
	}
	return a.writeList(a.render(t))
}
