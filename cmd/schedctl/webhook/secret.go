package webhook

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// withSecret is a webhook with its new secret. The secret is null when it must not be
// shown.
type withSecret struct {
	apiv1.Webhook
	Secret *string `json:"secret"`
}

// printWithSecret prints a webhook with its new secret. done is the start of the
// sentence.
func printWithSecret(o *cli.OneTimeSecret, made apiv1.WebhookSecret, done string) error {
	secret, err := o.Save(made.Secret)
	w := made.Webhook
	return errors.Join(o.Print(cli.CreatedResult{
		ID: w.ID, Sentence: done + o.Bold(webhooks.Label(w)) + ": " + webhookSummary(o.App, w), Row: webhookRow(o.App, w),
		Object: withSecret{Webhook: w, Secret: secret}, Secret: secret,
	}), err)
}

func newRotateSecret(a *cli.App) *cobra.Command {
	o := &cli.OneTimeSecret{App: a}
	cmd := cli.DeclareJSON[withSecret](webhooks.OnOne(a, &cobra.Command{
		Use:   "rotate-secret WEBHOOK",
		Short: "Give a webhook a new secret",
		Long: `Give a webhook a new secret. For a day events are signed with the former one as
well, so that there is time to tell the receiver; to rotate again before that ends
the former one at once.

` + cli.SecretHelp("secret"),
		Example: `  schedctl webhook rotate-secret wh_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl webhook rotate-secret site --secret-out hook.key`,
	}, func(ctx context.Context, ref string) error { return rotateSecret(ctx, o, ref) }))
	o.Add(cmd)
	return cmd
}

func rotateSecret(ctx context.Context, o *cli.OneTimeSecret, ref string) error {
	c, id, err := webhooks.ConnectID(ctx, o.App, ref)
	if err != nil {
		return err
	}
	end, err := o.Open()
	if err != nil {
		return err
	}
	defer end()
	made, err := c.RotateWebhookSecret(ctx, id)
	if err != nil {
		return webhooks.Unknown(ref, err)
	}
	return printWithSecret(o, made, "New secret of ")
}
