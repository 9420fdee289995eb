package webhook

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

type deliveriesOptions struct {
	*cli.App
	status string
	limit  cli.ListLimit
	all    bool
}

func newDeliveries(a *cli.App) *cobra.Command {
	o := &deliveriesOptions{App: a}
	statuses := cli.Strings(schedctl.DeliveryStatuses())
	cmd := cli.DeclareJSON[apiv1.Delivery](webhooks.OnOne(a, &cobra.Command{
		Use:   "deliveries WEBHOOK",
		Short: "List the deliveries of a webhook",
		Long: `List the deliveries of a webhook, newest first, with the response to the last attempt.

A delivery is pending while it is retried, and failed after 17 hours without success;
"schedctl webhook replay" makes an attempt at once. --json shows the receiver's
response, up to 2 KiB of it.`,
		Example: `  schedctl webhook deliveries site
  schedctl webhook deliveries site --status failed --all -q
  schedctl webhook deliveries site --json=event_type,http_status,response`,
	}, func(ctx context.Context, ref string) error { return o.run(ctx, ref, statuses) }))
	f := cmd.Flags()
	f.StringVar(&o.status, "status", "", "only this `status`: "+strings.Join(statuses, ", "))
	o.limit.Add(cmd, "deliveries")
	f.BoolVar(&o.all, "all", false, "all deliveries")
	cmd.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(statuses, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o *deliveriesOptions) run(ctx context.Context, ref string, statuses []string) error {
	if o.status != "" && !slices.Contains(statuses, o.status) {
		return cli.UnknownValueError("--status", o.status, statuses)
	}
	if err := o.limit.Check(); err != nil {
		return err
	}
	c, id, err := webhooks.ConnectID(ctx, o.App, ref)
	if err != nil {
		return err
	}
	most := o.limit.Max(o.App, o.all)
	q := client.DeliveryQuery{Status: schedctl.DeliveryStatus(o.status), Limit: min(most, post.PageSize)}
	deliveries, more, err := cli.Collect(c.EachDelivery(ctx, id, q), most)
	if err != nil {
		return webhooks.Unknown(ref, err)
	}
	if err := printDeliveries(o.App, deliveries...); err != nil {
		return err
	}
	switch {
	case more && o.OutTerminal:
		o.Messagef("there are more; use --limit or --all")
	case len(deliveries) == 0 && o.ErrTerminal:
		o.Messagef("no deliveries; try it with: schedctl webhook test %s", ref)
	}
	return nil
}
