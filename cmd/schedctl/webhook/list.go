package webhook

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newWebhookList(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.Webhook](&cobra.Command{
		Use:   "list",
		Short: "List webhooks",
		Long: `List webhooks, oldest first. A failing webhook has not accepted an event since the
time shown; after three days without a success the daemon disables it.`,
		Example: `  schedctl webhook list
  schedctl webhook list --jq '.[] | select(.enabled | not) | .id'`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return listWebhooks(cmd.Context(), a) },
	})
}

func listWebhooks(ctx context.Context, a *cli.App) error {
	c, err := a.Connect()
	if err != nil {
		return err
	}
	webhooks, err := c.Webhooks(ctx)
	if err != nil {
		return err
	}
	if len(webhooks) == 0 && a.ErrTerminal {
		a.Messagef("no webhooks; %s", webhookLookup.advice)
	}
	return printWebhooks(a, webhooks)
}
