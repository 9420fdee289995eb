package account

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newList(a *cli.App) *cobra.Command {
	var all bool
	cmd := cli.DeclareJSON[apiv1.Account](&cobra.Command{
		Use:   "list",
		Short: "List accounts",
		Long:  "List the accounts that posts can go to. --all also lists removed accounts.",
		Example: `  schedctl account list
  schedctl account list --json=id,name,status`,
		Args: cli.Args(0, 0, ""),
		RunE: a.WithClient(func(ctx context.Context, c *client.Client, _ []string) error {
			var q client.AccountQuery
			if all {
				q.Status = "all"
			}
			accounts, err := c.Accounts(ctx, q)
			if err != nil {
				return err
			}
			if len(accounts) == 0 && a.ErrTerminal {
				a.Messagef("no accounts; %s", AddAdvice)
			}
			return printList(a, accounts...)
		}),
	})
	cmd.Flags().BoolVar(&all, "all", false, "disconnected accounts too")
	return cmd
}
