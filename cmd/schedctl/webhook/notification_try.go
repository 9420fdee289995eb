package webhook

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newNotifyTest(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.NotificationTest](notifications.OnOne(a, &cobra.Command{
		Use:   "test NOTIFICATION",
		Short: "Send a test message",
		Long: `Send a test message at once, also when the notification is disabled, and report
whether it was sent. The exit status is 9 when it was not.`,
		Example: `  schedctl notify test on-call
  schedctl notify test ntf_01KAK3R9ZC4VBX1D2E3F4G5H6J --json=sent,error`,
	}, func(ctx context.Context, ref string) error { return testNotification(ctx, a, ref) }))
}

func testNotification(ctx context.Context, a *cli.App, ref string) error {
	c, n, err := notifications.Connect(ctx, a, ref)
	if err != nil {
		return err
	}
	result, err := c.TestNotification(ctx, n.ID)
	if err != nil {
		return notifications.Unknown(ref, err)
	}
	if err := printTest(a, result); err != nil || result.Sent {
		return err
	}
	return cli.NewFailure(cli.ExitFailed, cli.CodeFailed, "the test message was not sent: %s", cli.Deref(result.Error)).
		WithHint("change the notification with: schedctl notify edit " + n.ID)
}

// printTest prints the result of a test.
func printTest(a *cli.App, result apiv1.NotificationTest) error {
	switch {
	case a.JSON.Given:
		return a.PrintJSON(result)
	case a.Quiet || !a.OutTerminal:
		return a.PrintIDs(result.Notification.ID)
	case result.Sent:
		return a.Linef("Sent a test message to %s", notificationTarget(result.Notification))
	}
	return nil
}
