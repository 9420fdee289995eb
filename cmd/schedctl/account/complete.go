package account

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// Complete offers the names of accounts.
func Complete(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 && cmd.ValidArgsFunction != nil && cmd.Parent().Name() == "account" {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var out []string
		a.AskDaemon(cmd, func(ctx context.Context, c *client.Client) {
			list, err := c.Accounts(ctx, client.AccountQuery{})
			if err != nil {
				return
			}
			for _, acct := range list {
				about := acct.Platform
				if acct.Status != schedctl.AccountConnected {
					about += ", " + string(acct.Status)
				}
				out = append(out, cli.OneLine(acct.Name)+"\t"+about)
			}
		})
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}
