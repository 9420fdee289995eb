package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

type webhookDelete struct {
	*app
	yes bool
}

func newWebhookDelete(a *app) *cobra.Command {
	o := &webhookDelete{app: a}
	cmd := prints[removal](&cobra.Command{
		Use:   "delete WEBHOOK",
		Short: "Delete a webhook",
		Long: `Delete a webhook for good, with the log of its deliveries and with those that still
wait. One that is only to pause can be disabled: schedctl webhook edit --disable.`,
		Example: `  schedctl webhook delete site
  schedctl webhook delete wh_01KAK3R9ZC4VBX1D2E3F4G5H6J --yes`,
		Args:              takes(1, 1, webhookArgument),
		ValidArgsFunction: webhookLookup.completeFirst(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0])
		},
	})
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return cmd
}

func (o *webhookDelete) run(ctx context.Context, ref string) error {
	c, err := o.connect()
	if err != nil {
		return err
	}
	w, err := webhookLookup.find(ctx, o.app, c, ref)
	if err != nil {
		return err
	}
	if !o.yes {
		if err := o.confirm(ctx, fmt.Sprintf("Delete %s to %s for good?", webhookLookup.label(w), oneLine(w.URL))); err != nil {
			return err
		}
	}
	if err := c.DeleteWebhook(ctx, w.ID); err != nil {
		return webhookLookup.unknown(ref, err)
	}
	return o.printRemoval(w.ID, "Deleted")
}
