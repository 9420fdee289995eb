package account

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type removeOptions struct {
	*cli.App
	yes bool
}

func newRemove(a *cli.App) *cobra.Command {
	o := &removeOptions{App: a}
	cmd := cli.DeclareJSON[cli.Removal](onAccount(a, &cobra.Command{
		Use:   "remove ACCOUNT",
		Short: "Disconnect an account",
		Long: `Disconnect an account and erase its secrets. Published posts stay published;
posts that wait for the account will fail.`,
		Example: `  schedctl account remove demo
  schedctl account remove mastodon:me --yes`,
	}, o.run))
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return cmd
}

func (o *removeOptions) run(ctx context.Context, ref string) error {
	c, acct, err := connect(ctx, o.App, ref)
	if err != nil {
		return err
	}
	if !o.yes {
		if err := o.Confirm(ctx, fmt.Sprintf("Disconnect %s (%s) and erase its secrets?", cli.OneLine(acct.Name), acct.Platform)); err != nil {
			return err
		}
	}
	if err := c.RemoveAccount(ctx, acct.ID); err != nil {
		return err
	}
	return o.PrintRemoval(acct.ID, "Disconnected")
}
