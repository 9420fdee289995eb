package blackout

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newPauseList(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.Blackout](&cobra.Command{
		Use:   "list",
		Short: "List what is paused",
		Long: `List the holds that are active or planned: of accounts, and of posts with a label. They
are also in "schedctl blackout list", with the other blackouts.`,
		Example: `  schedctl pause list
  schedctl pause list --json=label,social_account_ids,to`,
		Args: cli.Args(0, 0, ""),
		RunE: a.WithClient(func(ctx context.Context, c *client.Client, _ []string) error {
			list, err := c.Blackouts(ctx)
			if err != nil {
				return err
			}
			shown := []apiv1.Blackout{}
			for _, b := range list {
				if b.Mode == schedctl.BlackoutHold && !ended(a, b) {
					shown = append(shown, b)
				}
			}
			if len(shown) == 0 && a.ErrTerminal {
				a.Messagef("nothing is paused")
			}
			return named(a, account.Names(ctx, a, c)).Print(a, shown...)
		}),
	})
}
