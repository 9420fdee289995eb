package webhook

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func New(a *cli.App) *cobra.Command {
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
		newCreate(a), newEdit(a),
		newTest(a), newRotateSecret(a), newDeliveries(a), newReplay(a),
	)
	cmd.AddCommand(cli.DeclareJSON[apiv1.Webhook](webhooks.OnList(a, &cobra.Command{
		Use:   "list",
		Short: "List webhooks",
		Long: `List webhooks, oldest first. A failing webhook has not accepted an event since the
time shown; after three days without a success the daemon disables it.`,
		Example: `  schedctl webhook list
  schedctl webhook list --jq '.[] | select(.enabled | not) | .id'`,
	})))
	cmd.AddCommand(cli.DeclareJSON[apiv1.Webhook](webhooks.OnShow(a, &cobra.Command{
		Use:   "show WEBHOOK",
		Short: "Show a webhook",
		Long: `Show everything about a webhook except its secret. If the daemon has disabled it, the
reason is shown.`,
		Example: `  schedctl webhook show site
  schedctl webhook show wh_01KAK3R9ZC4VBX1D2E3F4G5H6J --json=url,enabled`,
	})))
	ask := func(w apiv1.Webhook) string {
		return fmt.Sprintf("Delete %s to %s for good?", webhooks.Label(w), cli.OneLine(w.URL))
	}
	cmd.AddCommand(cli.DeclareJSON[cli.Removal](webhooks.OnRemoval(a, &cobra.Command{
		Use:   "delete WEBHOOK",
		Short: "Delete a webhook",
		Long: `Delete a webhook with its log of deliveries and its pending deliveries. This cannot be
undone. To pause a webhook, disable it: schedctl webhook edit --disable.`,
		Example: `  schedctl webhook delete site
  schedctl webhook delete wh_01KAK3R9ZC4VBX1D2E3F4G5H6J --yes`,
	}, ask, "Deleted")))
	return cmd
}

var webhooks = cli.Kind[apiv1.Webhook]{
	Noun:   cli.WebhookNoun,
	Advice: "make one with: schedctl webhook create --url URL --event post.published",
	Get:    (*client.Client).Webhook,
	List:   (*client.Client).Webhooks,
	ID:     func(w apiv1.Webhook) string { return w.ID },
	Name:   func(w apiv1.Webhook) *string { return w.Name },
	About:  func(w apiv1.Webhook) string { return w.URL },
	Remove: (*client.Client).DeleteWebhook,
	Header: []string{"ID", "STATUS", "NAME", "URL", "EVENTS"},
	Row:    webhookRow,
	Detail: properties,
}

// hookStatus returns the status of a webhook or a notification for people.
func hookStatus(enabled bool, failingSince *apiv1.Time) string {
	switch {
	case !enabled:
		return "disabled"
	case failingSince != nil:
		return "failing"
	}
	return "enabled"
}

func webhookRow(_ *cli.App, w apiv1.Webhook) []string {
	return []string{w.ID, hookStatus(w.Enabled, w.FailingSince), cli.Deref(w.Name), w.URL, cli.JoinStrings(w.EventTypes, ",")}
}

func properties(a *cli.App, w apiv1.Webhook) []cli.Property {
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

// webhookSummary describes a webhook.
func webhookSummary(a *cli.App, w apiv1.Webhook) string {
	text := fmt.Sprintf("%s receives %s", cli.OneLine(w.URL), cli.Enumerate(cli.Strings(w.EventTypes)))
	if !w.Enabled {
		text += " once it is enabled"
	}
	return text
}
