package main

import (
	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

func newAccountList(a *app) *cobra.Command {
	var all bool
	cmd := prints[apiv1.Account](&cobra.Command{
		Use:   "list",
		Short: "List accounts",
		Long:  "List the accounts that posts can go to, and with --all those that were removed too.",
		Example: `  schedctl account list
  schedctl account list --json=id,name,status`,
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.connect()
			if err != nil {
				return err
			}
			var q client.AccountQuery
			if all {
				q.Status = "all"
			}
			accounts, err := c.Accounts(cmd.Context(), q)
			if err != nil {
				return err
			}
			if len(accounts) == 0 && a.errTerminal {
				a.tell("no accounts; %s", addAdvice)
			}
			return a.printAccounts(accounts)
		},
	})
	cmd.Flags().BoolVar(&all, "all", false, "disconnected accounts too")
	return cmd
}
