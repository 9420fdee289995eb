package webhook

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/publish/signing"
)

type createOptions struct {
	cli.OneTimeSecret
	url              hookURL
	events           eventFlags
	name, secretFile string
	disabled         bool
}

func newCreate(a *cli.App) *cobra.Command {
	o := &createOptions{OneTimeSecret: cli.OneTimeSecret{App: a}}
	cmd := cli.DeclareJSON[withSecret](&cobra.Command{
		Use:   "create",
		Short: "Have events sent to a URL",
		Long: `Send events to a URL. The types are

` + eventTypesText(schedctl.EventTypes()) + `

"review" selects those of reviews, and "all" all of them. Check the webhook with
"schedctl webhook test".

The daemon signs its requests with a secret. It generates the secret, unless you give
yours: whsec_ and the base64 of 24 to 64 bytes, from --secret-file, from standard
input with "--secret-file -", or from SCHEDCTL_SECRET, never from the value of a flag.
A secret that you give is not printed.

` + cli.SecretHelp("secret") + `

` + daemonURLHelp,
		Example: `  schedctl webhook create --url https://example.com/hooks --event post.published --event post.failed
  schedctl webhook create --url https://example.com/hooks --event all --name site --secret-out hook.key
  schedctl webhook create --url https://example.com/hooks --event all --json=id,secret`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	f := cmd.Flags()
	o.url.add(cmd)
	o.events.add(cmd, schedctl.EventTypes(), "what to send: the type of an `event`, review, or all (repeatable)")
	f.StringVar(&o.name, "name", "", "a `name` for the webhook")
	f.StringVar(&o.secretFile, "secret-file", "", "`file` that holds the secret, - for standard input")
	f.BoolVar(&o.disabled, "disabled", false, "send nothing yet; see: schedctl webhook edit --enable")
	o.OneTimeSecret.Add(cmd)
	return cmd
}

func (o *createOptions) run(ctx context.Context) error {
	request, err := o.request(ctx)
	if err != nil {
		return err
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	end, err := o.Open()
	if err != nil {
		return err
	}
	defer end()
	made, err := c.CreateWebhook(ctx, request)
	if err != nil {
		return err
	}
	o.App.RememberID(cli.WebhookNoun, made.Webhook.ID)
	return printWithSecret(&o.OneTimeSecret, made, "Created ")
}

// request returns the request that the flags describe.
func (o *createOptions) request(ctx context.Context) (r apiv1.CreateWebhook, err error) {
	if r.URL, err = o.url.value(); err != nil {
		return r, err
	}
	if r.EventTypes, err = o.events.types(schedctl.EventTypes()); err != nil {
		return r, err
	}
	switch {
	case r.URL == "":
		return r, cli.UsageError("schedctl webhook create needs --url, which says where to send events").WithHint("give it with --url https://example.com/hooks")
	case r.EventTypes == nil:
		return r, cli.UsageError("schedctl webhook create needs --event, which says what to send").WithHint("give it with --event post.published, or --event all")
	}
	if o.name != "" {
		r.Name = &o.name
	}
	if o.disabled {
		r.Enabled = new(false)
	}
	secret, err := signingSecret(ctx, o.App, o.secretFile)
	if err != nil || secret == "" {
		return r, err
	}
	r.Secret = &secret
	return r, o.Known()
}

// signingSecret returns the secret from --secret-file or SCHEDCTL_SECRET, or empty.
func signingSecret(ctx context.Context, a *cli.App, file string) (string, error) {
	secret, source := a.Getenv("SCHEDCTL_SECRET"), "SCHEDCTL_SECRET"
	if file != "" {
		var err error
		if secret, err = account.ReadSecretFile(ctx, a, file); err != nil {
			return "", err
		}
		source = file
	}
	if secret == "" {
		return "", nil
	}
	if _, err := signing.ParseSecret(secret); err != nil {
		return "", cli.InvalidError(schedctl.ValidationFailed, "%s: %v", source, err)
	}
	return secret, nil
}
