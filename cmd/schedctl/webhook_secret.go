package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
)

// webhookWithSecret is a webhook and the secret that was made for it; null when
// it is not to be shown.
type webhookWithSecret struct {
	apiv1.Webhook
	Secret *string `json:"secret"`
}

// printWebhook prints a webhook with its new secret; done begins the sentence.
func (o *onceSecret) printWebhook(made apiv1.WebhookSecret, done string) error {
	secret, err := o.save(made.Secret)
	w := made.Webhook
	return errors.Join(o.print(result{
		id: w.ID, sentence: done + o.bold(webhookLookup.label(w)) + ": " + o.webhookSentence(w), row: webhookRow(w),
		object: webhookWithSecret{Webhook: w, Secret: secret}, secret: secret,
	}), err)
}

func newWebhookRotate(a *app) *cobra.Command {
	o := &onceSecret{app: a}
	cmd := prints[webhookWithSecret](&cobra.Command{
		Use:   "rotate-secret WEBHOOK",
		Short: "Give a webhook a new secret",
		Long: `Give a webhook a new secret. For a day events are signed with the former one as
well, so that there is time to tell the receiver; to rotate again before that ends
the former one at once.

` + secretHelp,
		Example: `  schedctl webhook rotate-secret wh_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl webhook rotate-secret site --secret-out hook.key`,
		Args:              takes(1, 1, webhookArgument),
		ValidArgsFunction: webhookLookup.completeFirst(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.rotate(cmd.Context(), args[0])
		},
	})
	o.add(cmd)
	return cmd
}

func (o *onceSecret) rotate(ctx context.Context, ref string) error {
	c, err := o.connect()
	if err != nil {
		return err
	}
	id, err := webhookLookup.findID(ctx, o.app, c, ref)
	if err != nil {
		return err
	}
	end, err := o.open()
	if err != nil {
		return err
	}
	defer end()
	made, err := c.RotateWebhookSecret(ctx, id)
	if err != nil {
		return webhookLookup.unknown(ref, err)
	}
	return o.printWebhook(made, "New secret of ")
}
