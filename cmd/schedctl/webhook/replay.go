package webhook

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

type replayOptions struct {
	*cli.App
	since string
	zone  cli.WhenFlags
}

// replayed has the deliveries that were queued again. For --since, only their number
// is known.
type replayed struct {
	WebhookID  string           `json:"webhook_id"`
	Since      *apiv1.Time      `json:"since"`
	Count      int              `json:"count"`
	Deliveries []apiv1.Delivery `json:"deliveries"`
}

func newReplay(a *cli.App) *cobra.Command {
	o := &replayOptions{App: a}
	cmd := cli.DeclareJSON[replayed](&cobra.Command{
		Use:   "replay WEBHOOK [DELIVERY...]",
		Short: "Send events to a webhook again",
		Long: `Send events to a webhook again, at once and with all retries. Give the ids of
deliveries in any status, or --since for all failed deliveries that were created at
this time or later.

The header webhook-id stays the same, so that the receiver recognizes an event that it
already has.`,
		Example: `  schedctl webhook replay site whd_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl webhook replay site --since "yesterday 18:00"`,
		Args:              cli.Args(1, cli.Unlimited, "a webhook, and the ids of deliveries or --since"),
		ValidArgsFunction: completeReplay(a),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0], args[1:]) },
	})
	cmd.Flags().StringVar(&o.since, "since", "", "all failed deliveries created since this `time`")
	o.zone.AddZone(cmd)
	return cmd
}

func (o *replayOptions) run(ctx context.Context, ref string, ids []string) error {
	switch {
	case o.since == "" && len(ids) == 0:
		return cli.UsageError("schedctl webhook replay needs the ids of deliveries, or --since").WithHint("see: schedctl webhook deliveries " + ref)
	case o.since != "" && len(ids) > 0:
		return cli.UsageError("--since and the ids of deliveries exclude each other: give one")
	}
	since, err := o.sinceTime()
	if err != nil {
		return err
	}
	c, id, err := webhooks.ConnectID(ctx, o.App, ref)
	if err != nil {
		return err
	}
	if o.since != "" {
		again, err := c.ReplayWebhook(ctx, id, since)
		if err != nil {
			return webhooks.Unknown(ref, err)
		}
		return o.print(replayed{WebhookID: id, Since: apiv1.NewTime(since), Count: again.Count})
	}
	result, failed := replayEach(ctx, c, id, ids)
	if err := o.print(result); err != nil {
		return err
	}
	return failed
}

// sinceTime parses --since, which must be in the past.
func (o *replayOptions) sinceTime() (time.Time, error) {
	if o.since == "" {
		return time.Time{}, nil
	}
	loc, err := o.zone.Zone(o.App)
	if err != nil {
		return time.Time{}, err
	}
	now := o.Now()
	m, err := when.Parse(o.since, now, loc)
	if err != nil {
		return time.Time{}, err
	}
	o.Messagef("since %s", m.Echo(now, loc))
	if m.Time.After(now) {
		return time.Time{}, cli.UsageError("--since %q is in the future: no delivery can have failed since then", o.since)
	}
	return m.Time, nil
}

// replayEach queues deliveries again, even after an error.
func replayEach(ctx context.Context, c *client.Client, webhookID string, ids []string) (replayed, error) {
	result := replayed{WebhookID: webhookID, Deliveries: []apiv1.Delivery{}}
	var failed cli.ErrorList
	for _, id := range ids {
		d, err := c.ReplayDelivery(ctx, webhookID, id)
		switch {
		case schedctl.CodeOf(err) == schedctl.NotFound:
			message := fmt.Sprintf("%s has no delivery %q whose event is kept; see: schedctl webhook deliveries %s", webhookID, id, webhookID)
			failed = append(failed, cli.WithMessage(err, message))
		case err != nil:
			failed = append(failed, post.WithPostID(id, ids, err))
		default:
			result.Deliveries = append(result.Deliveries, d)
		}
	}
	if result.Count = len(result.Deliveries); failed == nil {
		return result, nil
	}
	return result, failed
}

func (o *replayOptions) print(r replayed) error {
	switch {
	case o.JSON.Given:
		return o.PrintJSON(r)
	case r.Since != nil && o.Quiet:
		return nil
	case r.Since != nil && !o.OutTerminal:
		return o.Write(o.RenderTable(cli.Table{Rows: [][]string{{r.WebhookID, fmt.Sprint(r.Count)}}}))
	case r.Since != nil || o.OutTerminal && !o.Quiet:
		return o.Linef("Queued %s again", deliveryCount(r.Count))
	}
	return printDeliveries(o.App, r.Deliveries...)
}

func deliveryCount(n int) string {
	if n == 1 {
		return "1 delivery"
	}
	return fmt.Sprintf("%d deliveries", n)
}

// completeReplay offers webhooks and then their deliveries.
func completeReplay(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, text string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return webhooks.Complete(a)(cmd, args, text)
		}
		return a.CompleteFrom(cli.Unlimited, cobra.ShellCompDirectiveNoFileComp, func(ctx context.Context, c *client.Client) ([]string, error) {
			id, err := webhooks.FindID(ctx, a, c, args[0])
			if err != nil {
				return nil, err
			}
			page, err := c.Deliveries(ctx, id, client.DeliveryQuery{Limit: 50})
			return cli.Map(page.Results, func(d apiv1.Delivery) string { return fmt.Sprintf("%s\t%s: %s", d.ID, d.Status, d.EventType) }), err
		})(cmd, args, text)
	}
}
