package webhook

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

type testOptions struct {
	*cli.App
	wait bool
}

func newTest(a *cli.App) *cobra.Command {
	o := &testOptions{App: a}
	cmd := cli.DeclareJSON[apiv1.Delivery](webhooks.OnOne(a, &cobra.Command{
		Use:   "test WEBHOOK",
		Short: "Send a test event to a webhook",
		Long: `Send an event of type webhook.test to a webhook, even if the webhook is disabled or
does not subscribe to that type. Only this webhook receives it. To test a receiver on
your own machine, use "schedctl listen" and "schedctl trigger".

With --wait the command waits for the response. The exit status is 9 when the receiver
does not respond with a 2xx status, although the daemon will retry, and 8 when
--timeout ends first.`,
		Example: `  schedctl webhook test site --wait
  schedctl webhook test wh_01KAK3R9ZC4VBX1D2E3F4G5H6J --wait --timeout 30s`,
	}, o.run))
	cmd.Flags().BoolVar(&o.wait, "wait", false, "wait for the response")
	return cmd
}

func (o *testOptions) run(ctx context.Context, ref string) error {
	c, id, err := webhooks.ConnectID(ctx, o.App, ref)
	if err != nil {
		return err
	}
	made, err := c.TestWebhook(ctx, id)
	switch {
	case err != nil:
		return webhooks.Unknown(ref, err)
	case !o.wait:
		if o.OutTerminal && !o.Quiet && !o.JSON.Given {
			defer o.Messagef("see its response: schedctl webhook deliveries %s", id)
		}
		return printDelivery(o.App, made.Delivery)
	}
	d, waited := o.attempted(ctx, c, id, made.Delivery)
	if err := printDelivery(o.App, d); err != nil {
		return err
	}
	if waited != nil {
		return waited
	}
	return failedDelivery(d)
}

// failedDelivery returns the error for a delivery that was not accepted, or nil.
func failedDelivery(d apiv1.Delivery) error {
	if d.Status == schedctl.DeliveryDelivered {
		return nil
	}
	return cli.NewFailure(cli.ExitFailed, cli.CodeFailed, "the webhook did not accept %s: %s", d.ID, responseText(d)).
		WithHint("a receiver must respond with a 2xx status within 10 seconds")
}

// attempted waits for the first attempt of a delivery and returns its last known
// state.
func (o *testOptions) attempted(ctx context.Context, c *client.Client, webhookID string, d apiv1.Delivery) (apiv1.Delivery, error) {
	waiting := ctx
	if o.Timeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, time.Duration(o.Timeout), post.ErrTimedOut)
		defer cancel()
		waiting = limited
	}
	for pause := post.FirstLook; post.Pause(waiting, pause); pause = min(2*pause, post.LastLook) {
		seen, err := findDelivery(waiting, c, webhookID, d.ID)
		switch {
		case errors.Is(err, post.ErrTimedOut):
		case err != nil && !post.IsTemporary(err):
			return d, err
		case err == nil && seen.Attempt > 0:
			return seen, nil
		}
	}
	if ctx.Err() != nil {
		return d, context.Cause(ctx)
	}
	return d, cli.NewFailure(cli.ExitTimedOut, cli.CodeTimedOut, "there is no attempt for %s after %s", d.ID, &o.Timeout).
		WithHint("check again with: schedctl webhook deliveries " + webhookID)
}

// findDelivery searches the log of deliveries, newest first.
func findDelivery(ctx context.Context, c *client.Client, webhookID, id string) (apiv1.Delivery, error) {
	for d, err := range c.EachDelivery(ctx, webhookID, client.DeliveryQuery{Limit: post.PageSize}) {
		switch {
		case err != nil:
			return d, err
		case d.ID == id:
			return d, nil
		case d.ID < id:
			return apiv1.Delivery{}, deliveryGone(id)
		}
	}
	return apiv1.Delivery{}, deliveryGone(id)
}

func deliveryGone(id string) error {
	return &cli.Failure{Status: cli.ExitNotFound, Code: schedctl.NotFound, Message: "there is no delivery " + id + " any more"}
}
