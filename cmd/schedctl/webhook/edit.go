package webhook

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type editOptions struct {
	*cli.App
	url    hookURL
	events eventFlags
	name   string
	enable enableFlags
}

func newEdit(a *cli.App) *cobra.Command {
	o := &editOptions{App: a}
	cmd := cli.DeclareJSON[apiv1.Webhook](webhooks.OnOne(a, &cobra.Command{
		Use:   "edit WEBHOOK",
		Short: "Change a webhook",
		Long: `Change the URL, the event types or the name of a webhook, enable or disable it. Other
settings stay as they are; --event replaces all types.

A webhook that is enabled again receives later events only. Change its secret with
"schedctl webhook rotate-secret".

` + daemonURLHelp,
		Example: `  schedctl webhook edit site --url https://example.com/new
  schedctl webhook edit site --event post.published --event post.failed
  schedctl webhook edit wh_01KAK3R9ZC4VBX1D2E3F4G5H6J --enable`,
	}, o.run))
	o.url.add(cmd)
	o.events.add(cmd, schedctl.EventTypes(), "what to send: the type of an `event`, review, or all (repeatable)")
	cmd.Flags().StringVar(&o.name, "name", "", "a new `name`")
	o.enable.add(cmd, "send events from now on", "send nothing more")
	return cmd
}

func (o *editOptions) run(ctx context.Context, ref string) error {
	change, err := o.change()
	if err != nil {
		return err
	}
	c, id, err := webhooks.ConnectID(ctx, o.App, ref)
	if err != nil {
		return err
	}
	w, err := c.EditWebhook(ctx, id, change)
	if err != nil {
		return webhooks.Unknown(ref, err)
	}
	return webhooks.PrintOne(o.App, w, "Changed "+o.Bold(webhooks.Label(w))+": "+webhookSummary(o.App, w))
}

// change returns the change that the flags describe.
func (o *editOptions) change() (w apiv1.EditWebhook, err error) {
	address, err := o.url.value()
	if err != nil {
		return w, err
	}
	types, err := o.events.types(schedctl.EventTypes())
	if err != nil {
		return w, err
	}
	if address != "" {
		w.URL = &address
	}
	if types != nil {
		w.EventTypes = &types
	}
	if o.name != "" {
		w.Name = &o.name
	}
	w.Enabled = o.enable.value()
	if w == (apiv1.EditWebhook{}) {
		return w, cli.UsageError("schedctl webhook edit has nothing to change").WithHint("give --url, --event, --name, --enable or --disable")
	}
	return w, nil
}

// enableFlags are the flags of edit commands that enable and disable.
type enableFlags struct{ enable, disable bool }

func (e *enableFlags) add(cmd *cobra.Command, enable, disable string) {
	cmd.Flags().BoolVar(&e.enable, "enable", false, enable)
	cmd.Flags().BoolVar(&e.disable, "disable", false, disable)
}

// value returns nil if neither flag is given.
func (e *enableFlags) value() *bool {
	if e.enable || e.disable {
		return &e.enable
	}
	return nil
}
