package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
)

func newWebhookList(a *app) *cobra.Command {
	return prints[apiv1.Webhook](&cobra.Command{
		Use:   "list",
		Short: "List webhooks",
		Long: `List webhooks, the oldest first. One that is failing has answered nothing right
since some time; after three days without any success the daemon disables it.`,
		Example: `  schedctl webhook list
  schedctl webhook list --jq '.[] | select(.enabled | not) | .id'`,
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.listWebhooks(cmd.Context()) },
	})
}

func (a *app) listWebhooks(ctx context.Context) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	webhooks, err := c.Webhooks(ctx)
	if err != nil {
		return err
	}
	if len(webhooks) == 0 && a.errTerminal {
		a.tell("no webhooks; %s", webhookLookup.advice)
	}
	return a.printWebhooks(webhooks)
}
