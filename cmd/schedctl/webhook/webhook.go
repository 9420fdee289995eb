package webhook

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func NewWebhook(a *cli.App) *cobra.Command {
	cmd := cli.ParentCommand(&cobra.Command{
		Use:   "webhook",
		Short: "Have events sent to a URL",
		Long: `Send events to a URL. The daemon posts each event as JSON, signed as Standard
Webhooks describes (https://www.standardwebhooks.com). It retries for 17 hours until
the receiver responds with a 2xx status.

Give the id or the name of a webhook. To test events on your own machine see
"schedctl listen" and "schedctl trigger".`,
		Example: `  schedctl webhook create --url https://example.com/hooks --event post.published --event post.failed
  schedctl webhook deliveries wh_01KAK3R9ZC4VBX1D2E3F4G5H6J --status failed`,
	})
	cmd.AddCommand(
		newWebhookCreate(a), newWebhookList(a), newWebhookShow(a), newWebhookEdit(a), newWebhookDelete(a),
		newWebhookTest(a), newWebhookRotate(a), newWebhookDeliveries(a), newWebhookReplay(a),
	)
	return cmd
}

// webhookArgument names the argument of commands about a webhook.
const webhookArgument = "a webhook: its id or its name"

var webhookLookup = lookup[apiv1.Webhook]{
	Noun:   cli.WebhookNoun,
	advice: "make one with: schedctl webhook create --url URL --event post.published",
	get:    (*client.Client).Webhook,
	list:   (*client.Client).Webhooks,
	id:     func(w apiv1.Webhook) string { return w.ID },
	name:   func(w apiv1.Webhook) *string { return w.Name },
	target: func(w apiv1.Webhook) string { return w.URL },
}

// hookStatus returns the status that is shown for a webhook or a notification.
func hookStatus(enabled bool, failingSince *apiv1.Time) string {
	switch {
	case !enabled:
		return "disabled"
	case failingSince != nil:
		return "failing"
	}
	return "enabled"
}

func webhookRow(w apiv1.Webhook) []string {
	return []string{w.ID, hookStatus(w.Enabled, w.FailingSince), cli.Deref(w.Name), w.URL, cli.JoinStrings(w.EventTypes, ",")}
}

// printWebhooks prints webhooks as a list.
func printWebhooks(a *cli.App, webhooks []apiv1.Webhook) error {
	switch {
	case a.JSON.Given:
		return a.PrintJSON(append([]apiv1.Webhook{}, webhooks...))
	case a.Quiet:
		ids := make([]string, len(webhooks))
		for i := range webhooks {
			ids[i] = webhooks[i].ID
		}
		return a.PrintIDs(ids...)
	}
	t := cli.Table{Header: []string{"ID", "STATUS", "NAME", "URL", "EVENTS"}, Status: 1, Excerpt: true}
	for _, w := range webhooks {
		t.Rows = append(t.Rows, webhookRow(w))
	}
	return a.WriteList(a.RenderTable(t))
}

// webhookSentence says what a webhook does.
func webhookSentence(a *cli.App, w apiv1.Webhook) string {
	text := fmt.Sprintf("%s receives %s", cli.OneLine(w.URL), cli.Enumerate(strings.Split(cli.JoinStrings(w.EventTypes, " "), " ")))
	if !w.Enabled {
		text += " once it is enabled"
	}
	return text
}
