package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
)

func newWebhookShow(a *app) *cobra.Command {
	return prints[apiv1.Webhook](&cobra.Command{
		Use:   "show WEBHOOK",
		Short: "Show a webhook",
		Long: `Show everything about a webhook but its secret, and why it is disabled when the
daemon has done so.`,
		Example: `  schedctl webhook show site
  schedctl webhook show wh_01KAK3R9ZC4VBX1D2E3F4G5H6J --json=url,enabled`,
		Args:              takes(1, 1, webhookArgument),
		ValidArgsFunction: webhookLookup.completeFirst(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.showWebhook(cmd.Context(), args[0])
		},
	})
}

func (a *app) showWebhook(ctx context.Context, ref string) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	w, err := webhookLookup.find(ctx, a, c, ref)
	switch {
	case err != nil:
		return err
	case a.json.set:
		return a.printJSON(w)
	case a.quiet:
		return a.printIDs(w.ID)
	}
	return a.write(a.describe(a.webhookPairs(w)))
}

func (a *app) webhookPairs(w apiv1.Webhook) []pair {
	pairs := []pair{
		{"ID", w.ID},
		{"Name", deref(w.Name)},
		{"URL", w.URL},
		{"Events", wordsOf(w.EventTypes, " ")},
		{"Status", hookStatus(w.Enabled, w.FailingSince)},
		{"Reason", deref(w.DisabledReason)},
		{"Failing since", a.timeText(w.FailingSince)},
		{"Created", a.timeText(w.CreatedAt)},
		{"Updated", a.timeText(w.UpdatedAt)},
	}
	if !a.outTerminal {
		return pairs
	}
	if w.FailingSince != nil {
		pairs = append(pairs, pair{"Next", "schedctl webhook deliveries " + w.ID + "   tells what it answered"})
	}
	if !w.Enabled {
		pairs = append(pairs, pair{"Next", "schedctl webhook edit " + w.ID + " --enable"})
	}
	return pairs
}
