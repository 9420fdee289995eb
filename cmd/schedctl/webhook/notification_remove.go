package webhook

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type notifyRemove struct {
	*cli.App
	yes bool
}

func newNotifyRemove(a *cli.App) *cobra.Command {
	o := &notifyRemove{App: a}
	cmd := cli.DeclareJSON[account.Removal](&cobra.Command{
		Use:   "remove NOTIFICATION",
		Short: "Remove a notification",
		Long: `Remove a notification and its pending messages. The account that carries its
messages stays connected. To pause it use "schedctl notify edit --disable".`,
		Example: `  schedctl notify remove on-call
  schedctl notify remove ntf_01KAK3R9ZC4VBX1D2E3F4G5H6J --yes`,
		Args:              cli.Args(1, 1, notificationArgument),
		ValidArgsFunction: notificationLookup.completeFirst(a),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return cmd
}

func (o *notifyRemove) run(ctx context.Context, ref string) error {
	c, err := o.Connect()
	if err != nil {
		return err
	}
	n, err := notificationLookup.find(ctx, o.App, c, ref)
	if err != nil {
		return err
	}
	if !o.yes {
		if err := o.Confirm(ctx, fmt.Sprintf("Remove %s to %s?", notificationLookup.label(n), cli.OneLine(notificationTarget(n)))); err != nil {
			return err
		}
	}
	if err := c.DeleteNotification(ctx, n.ID); err != nil {
		return notificationLookup.unknown(ref, err)
	}
	return account.PrintRemoval(o.App, n.ID, "Removed")
}
