package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// webhookArgument is what commands about a webhook take.
const webhookArgument = "a webhook: its id or its name"

// webhookByName returns the webhook that an argument names.
func (a *app) webhookByName(ctx context.Context, c *client.Client, ref string) (apiv1.Webhook, error) {
	if ref == lastRef {
		var err error
		if ref, err = a.last(lastWebhook, schedctl.WebhookPrefix); err != nil {
			return apiv1.Webhook{}, err
		}
	}
	if isWebhookID(ref) {
		w, err := c.Webhook(ctx, ref)
		return w, unknownWebhook(ref, err)
	}
	all, err := c.Webhooks(ctx)
	if err != nil {
		return apiv1.Webhook{}, err
	}
	return pickWebhook(all, ref)
}

// webhookID is webhookByName for who needs no more than the id.
func (a *app) webhookID(ctx context.Context, c *client.Client, ref string) (string, error) {
	if isWebhookID(ref) {
		return ref, nil
	}
	w, err := a.webhookByName(ctx, c, ref)
	return w.ID, err
}

func isWebhookID(ref string) bool {
	_, ok := schedctl.ParseID(schedctl.WebhookPrefix, ref)
	return ok
}

// unknownWebhook says of which webhook a refusal is.
func unknownWebhook(ref string, err error) error {
	if schedctl.CodeOf(err) != schedctl.NotFound {
		return err
	}
	return reworded(err, fmt.Sprintf("there is no webhook %q; see: schedctl webhook list", ref))
}

// pickWebhook returns the one webhook of this name: exactly, else without regard
// to case, else by an abbreviated id.
func pickWebhook(webhooks []apiv1.Webhook, name string) (apiv1.Webhook, error) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		var found []apiv1.Webhook
		for _, w := range webhooks {
			if w.Name != nil && same(*w.Name, name) {
				found = append(found, w)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			f := invalid(schedctl.ValidationFailed, "%q could be several webhooks", name)
			f.hint = "use one of " + webhookCandidates(found)
			return apiv1.Webhook{}, f
		}
	}
	found := abbreviated(webhooks, schedctl.WebhookPrefix, name, func(w apiv1.Webhook) string { return w.ID })
	switch len(found) {
	case 0:
	case 1:
		return found[0], nil
	default:
		return apiv1.Webhook{}, ambiguous(name, "webhooks", []string{webhookCandidates(found)})
	}
	f := &failure{status: exitNotFound, code: schedctl.NotFound, message: fmt.Sprintf("there is no webhook %q", name)}
	if f.hint = webhookAdvice; len(webhooks) > 0 {
		f.hint = "the webhooks are " + webhookCandidates(webhooks)
	}
	return apiv1.Webhook{}, f
}

const webhookAdvice = "make one with: schedctl webhook create --url URL --event post.published"

func webhookCandidates(webhooks []apiv1.Webhook) string {
	var labels []string
	for i, w := range webhooks {
		if i == maxCandidates {
			labels = append(labels, fmt.Sprintf("%d more", len(webhooks)-i))
			break
		}
		labels = append(labels, webhookLabel(w))
	}
	return strings.Join(labels, ", ")
}

// completeWebhook offers the ids of webhooks.
func (a *app) completeWebhook(cmd *cobra.Command, _ []string, _ string) (out []string, _ cobra.ShellCompDirective) {
	a.ask(cmd, func(ctx context.Context, c *client.Client) {
		list, err := c.Webhooks(ctx)
		if err != nil {
			return
		}
		for _, w := range list {
			out = append(out, w.ID+"\t"+clip(oneLine(first(deref(w.Name), w.URL)), 50))
		}
	})
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeOneWebhook offers the ids of webhooks for the first argument.
func (a *app) completeOneWebhook(cmd *cobra.Command, args []string, text string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeWebhook(cmd, args, text)
}
