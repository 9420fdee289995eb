package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
)

func newWebhook(a *app) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "webhook",
		Short: "Have events sent to a URL",
		Long: `Have events sent to a URL: the daemon posts each one as JSON, signed as Standard
Webhooks describes (https://www.standardwebhooks.com), and tries again for 17 hours
what is not answered with a 2xx status.

A webhook is named by its id or by its name. To try events on your own machine
see "schedctl listen" and "schedctl trigger".`,
		Example: `  schedctl webhook create --url https://example.com/hooks --event post.published --event post.failed
  schedctl webhook deliveries wh_01KAK3R9ZC4VBX1D2E3F4G5H6J --status failed`,
	})
	cmd.AddCommand(
		newWebhookCreate(a), newWebhookList(a), newWebhookShow(a), newWebhookEdit(a), newWebhookDelete(a),
		newWebhookTest(a), newWebhookRotate(a), newWebhookDeliveries(a), newWebhookReplay(a),
	)
	return cmd
}

// The statuses of webhooks, as they are shown.
const (
	webhookEnabled  = "enabled"
	webhookFailing  = "failing"
	webhookDisabled = "disabled"
)

func webhookStatus(w apiv1.Webhook) string {
	switch {
	case !w.Enabled:
		return webhookDisabled
	case w.FailingSince != nil:
		return webhookFailing
	}
	return webhookEnabled
}

// webhookLabel is what a person calls a webhook.
func webhookLabel(w apiv1.Webhook) string {
	if w.Name == nil {
		return w.ID
	}
	return fmt.Sprintf("%s (%s)", oneLine(*w.Name), w.ID)
}

func webhookRow(w apiv1.Webhook) []string {
	return []string{w.ID, webhookStatus(w), deref(w.Name), w.URL, wordsOf(w.EventTypes, ",")}
}

// wordsOf returns values of a type of text with something between them.
func wordsOf[T ~string](values []T, between string) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return strings.Join(texts, between)
}

// printWebhooks prints webhooks as a list.
func (a *app) printWebhooks(webhooks []apiv1.Webhook) error {
	switch {
	case a.json.set:
		return a.printJSON(append([]apiv1.Webhook{}, webhooks...))
	case a.quiet:
		ids := make([]string, len(webhooks))
		for i := range webhooks {
			ids[i] = webhooks[i].ID
		}
		return a.printIDs(ids...)
	}
	t := table{header: []string{"ID", "STATUS", "NAME", "URL", "EVENTS"}, status: 1, excerpt: true}
	for _, w := range webhooks {
		t.rows = append(t.rows, webhookRow(w))
	}
	return a.writeList(a.render(t))
}

// webhookSentence says what a webhook does.
func (a *app) webhookSentence(w apiv1.Webhook) string {
	text := fmt.Sprintf("%s is told of %s", oneLine(w.URL), enumerated(strings.Split(wordsOf(w.EventTypes, " "), " ")))
	if !w.Enabled {
		text += " once it is enabled"
	}
	return text
}
