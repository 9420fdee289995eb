package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
)

func newNotifyList(a *app) *cobra.Command {
	return prints[apiv1.Notification](&cobra.Command{
		Use:   "list",
		Short: "List notifications",
		Long: `List notifications, the oldest first. The status failing means that the last message
could not be sent.`,
		Example: `  schedctl notify list
  schedctl notify list --jq '.[] | select(.failing_since) | .last_error'`,
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.listNotifications(cmd.Context()) },
	})
}

func (a *app) listNotifications(ctx context.Context) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	list, err := c.Notifications(ctx)
	if err != nil {
		return err
	}
	if len(list) == 0 && a.errTerminal {
		a.tell("no notifications; %s", notificationLookup.advice)
	}
	return a.printNotifications(list)
}
