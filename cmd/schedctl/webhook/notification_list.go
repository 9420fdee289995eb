package webhook

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newNotifyList(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.Notification](&cobra.Command{
		Use:   "list",
		Short: "List notifications",
		Long: `List notifications, the oldest first. The status failing means that the last message
could not be sent.`,
		Example: `  schedctl notify list
  schedctl notify list --jq '.[] | select(.failing_since) | .last_error'`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return listNotifications(cmd.Context(), a) },
	})
}

func listNotifications(ctx context.Context, a *cli.App) error {
	c, err := a.Connect()
	if err != nil {
		return err
	}
	list, err := c.Notifications(ctx)
	if err != nil {
		return err
	}
	if len(list) == 0 && a.ErrTerminal {
		a.Messagef("no notifications; %s", notificationLookup.advice)
	}
	return printNotifications(a, list)
}
