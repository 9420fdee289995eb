package access

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// approvalPolicies are the values of --approvals.
var approvalPolicies = []string{"off", "agents", "all"}

func newWorkspaceEdit(a *cli.App) *cobra.Command {
	var approvals string
	cmd := cli.DeclareJSON[apiv1.Workspace](&cobra.Command{
		Use:   "edit [ID]",
		Short: "Change which posts need an approval",
		Long: `Change which posts of a workspace need an approval before they are published. Without an
id it is the workspace of your key, and the key needs the scope keys:write. Another
workspace needs workspaces:write.

--approvals is off, agents or all. With agents, posts that an agent wrote or starts need
an approval. The policy is also checked when a post is due: a scheduled post that is not
approved then fails. Approve such posts before, with "schedctl post unschedule",
"schedctl post submit" and "schedctl post approve". A post that has failed so can still
be submitted and approved; then retry it with "schedctl post retry".`,
		Example: `  schedctl workspace edit --approvals agents
  schedctl workspace edit ws_01KAK3R9ZC4VBX1D2E3F4G5H6J --approvals all`,
		Args:              cli.Args(0, 1, "the id of a workspace"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(approvalPolicies, approvals) {
				if approvals == "" {
					return cli.UsageError("schedctl workspace edit needs --approvals").WithHint("give --approvals off, agents or all")
				}
				return cli.UnknownValueError("--approvals", approvals, approvalPolicies)
			}
			return editWorkspace(cmd.Context(), a, args, approvals)
		},
	})
	cmd.Flags().StringVar(&approvals, "approvals", "", "which posts need an approval: the `choice` off, agents or all")
	cmd.RegisterFlagCompletionFunc("approvals", cobra.FixedCompletions(approvalPolicies, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func editWorkspace(ctx context.Context, a *cli.App, args []string, approvals string) error {
	c, err := a.Connect()
	if err != nil {
		return err
	}
	var id string
	if len(args) > 0 {
		id = args[0]
	} else {
		me, err := c.Me(ctx)
		if err != nil {
			return err
		}
		id = me.Workspace.ID
	}
	w, err := c.EditWorkspace(ctx, id, apiv1.EditWorkspace{Approvals: approvals})
	if err != nil {
		return err
	}
	sentence := fmt.Sprintf("Approvals of %s: %s", a.Bold(cli.OneLine(w.Name)), w.Approvals)
	return cli.PrintOne(a, w, sentence, func(a *cli.App, list ...apiv1.Workspace) error { return printWorkspaces(a, list) })
}
