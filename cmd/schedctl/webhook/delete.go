package webhook

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type webhookDelete struct {
	*cli.App
	yes bool
}

func newWebhookDelete(a *cli.App) *cobra.Command {
	o := &webhookDelete{App: a}
	cmd := cli.DeclareJSON[account.Removal](&cobra.Command{
		Use:   "delete WEBHOOK",
		Short: "Delete a webhook",
		Long: `Delete a webhook with its log of deliveries and its pending deliveries. This cannot be
undone. To pause a webhook, disable it: schedctl webhook edit --disable.`,
		Example: `  schedctl webhook delete site
  schedctl webhook delete wh_01KAK3R9ZC4VBX1D2E3F4G5H6J --yes`,
		Args:              cli.Args(1, 1, webhookArgument),
		ValidArgsFunction: webhookLookup.completeFirst(a),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return cmd
}

func (o *webhookDelete) run(ctx context.Context, ref string) error {
	c, err := o.Connect()
	if err != nil {
		return err
	}
	w, err := webhookLookup.find(ctx, o.App, c, ref)
	if err != nil {
		return err
	}
	if !o.yes {
		if err := o.Confirm(ctx, fmt.Sprintf("Delete %s to %s for good?", webhookLookup.label(w), cli.OneLine(w.URL))); err != nil {
			return err
		}
	}
	if err := c.DeleteWebhook(ctx, w.ID); err != nil {
		return webhookLookup.unknown(ref, err)
	}
	return account.PrintRemoval(o.App, w.ID, "Deleted")
}
