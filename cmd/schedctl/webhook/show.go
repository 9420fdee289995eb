package webhook

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newWebhookShow(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.Webhook](&cobra.Command{
		Use:   "show WEBHOOK",
		Short: "Show a webhook",
		Long: `Show everything about a webhook but its secret, and why it is disabled when the
daemon has done so.`,
		Example: `  schedctl webhook show site
  schedctl webhook show wh_01KAK3R9ZC4VBX1D2E3F4G5H6J --json=url,enabled`,
		Args:              cli.Args(1, 1, webhookArgument),
		ValidArgsFunction: webhookLookup.completeFirst(a),
		RunE:              func(cmd *cobra.Command, args []string) error { return showWebhook(cmd.Context(), a, args[0]) },
	})
}

func showWebhook(ctx context.Context, a *cli.App, ref string) error {
	c, err := a.Connect()
	if err != nil {
		return err
	}
	w, err := webhookLookup.find(ctx, a, c, ref)
	switch {
	case err != nil:
		return err
	case a.JSON.Given:
		return a.PrintJSON(w)
	case a.Quiet:
		return a.PrintIDs(w.ID)
	}
	return a.Write(a.RenderProperties(webhookPairs(a, w)))
}

func webhookPairs(a *cli.App, w apiv1.Webhook) []cli.Property {
	pairs := []cli.Property{
		{Name: "ID", Value: w.ID},
		{Name: "Name", Value: cli.Deref(w.Name)},
		{Name: "URL", Value: w.URL},
		{Name: "Events", Value: cli.JoinStrings(w.EventTypes, " ")},
		{Name: "Status", Value: hookStatus(w.Enabled, w.FailingSince)},
		{Name: "Reason", Value: cli.Deref(w.DisabledReason)},
		{Name: "Failing since", Value: a.TimeText(w.FailingSince)},
		{Name: "Created", Value: a.TimeText(w.CreatedAt)},
		{Name: "Updated", Value: a.TimeText(w.UpdatedAt)},
	}
	if !a.OutTerminal {
		return pairs
	}
	if w.FailingSince != nil {
		pairs = append(pairs, cli.Property{Name: "Next", Value: "schedctl webhook deliveries " + w.ID + "   shows its responses"})
	}
	if !w.Enabled {
		pairs = append(pairs, cli.Property{Name: "Next", Value: "schedctl webhook edit " + w.ID + " --enable"})
	}
	return pairs
}
