package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
)

func newNotifyTest(a *app) *cobra.Command {
	return prints[apiv1.NotificationTest](&cobra.Command{
		Use:   "test NOTIFICATION",
		Short: "Send a test message",
		Long: `Send a test message at once, also when the notification is disabled, and report
whether it was sent. The exit status is 9 when it was not.`,
		Example: `  schedctl notify test on-call
  schedctl notify test ntf_01KAK3R9ZC4VBX1D2E3F4G5H6J --json=sent,error`,
		Args:              takes(1, 1, notificationArgument),
		ValidArgsFunction: notificationLookup.completeFirst(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.testNotification(cmd.Context(), args[0])
		},
	})
}

func (a *app) testNotification(ctx context.Context, ref string) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	n, err := notificationLookup.find(ctx, a, c, ref)
	if err != nil {
		return err
	}
	result, err := c.TestNotification(ctx, n.ID)
	if err != nil {
		return notificationLookup.unknown(ref, err)
	}
	if err := a.printTest(result); err != nil || result.Sent {
		return err
	}
	return &failure{
		status: exitFailed, code: codeFailed,
		message: fmt.Sprintf("the test message was not sent: %s", deref(result.Error)),
		hint:    "change the notification with: schedctl notify edit " + n.ID,
	}
}

// printTest prints the result of a test.
func (a *app) printTest(result apiv1.NotificationTest) error {
	switch {
	case a.json.set:
		return a.printJSON(result)
	case a.quiet || !a.outTerminal:
		return a.printIDs(result.Notification.ID)
	case result.Sent:
		return a.write([]byte("Sent a test message to " + oneLine(notificationTarget(result.Notification)) + "\n"))
	}
	return nil
}
