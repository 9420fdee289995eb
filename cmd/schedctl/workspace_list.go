package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
)

func newWorkspaceList(a *app) *cobra.Command {
	return prints[apiv1.Workspace](&cobra.Command{
		Use:   "list",
		Short: "List workspaces",
		Long: `List all workspaces of the daemon, the oldest first. Which of them the key in use
belongs to is in "schedctl me".`,
		Example: `  schedctl workspace list
  schedctl workspace list --json=id,name`,
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.listWorkspaces(cmd.Context()) },
	})
}

func (a *app) listWorkspaces(ctx context.Context) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	workspaces, err := c.Workspaces(ctx)
	if err != nil {
		return err
	}
	return a.printWorkspaces(workspaces)
}
