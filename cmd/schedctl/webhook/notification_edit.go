package webhook

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type notifyEdit struct {
	notificationFlags
	enable enableFlags
}

func newNotifyEdit(a *cli.App) *cobra.Command {
	o := &notifyEdit{notificationFlags: notificationFlags{App: a}}
	cmd := cli.DeclareJSON[apiv1.Notification](notifications.OnOne(a, &cobra.Command{
		Use:   "edit NOTIFICATION",
		Short: "Change a notification",
		Long: `Change a notification. Settings that you do not give stay as they are; --event and
--email replace the whole list.

The stored password is kept only while server, port, user and encryption stay the
same. After it is enabled again, a notification reports future events only.

A change of --to, of e-mail, of --about or of --review-link makes the notification that
of your API key. --review-link "" sends no more addresses.`,
		Example: `  schedctl notify edit on-call --event post.failed
  schedctl notify edit on-call --disable
  schedctl notify edit ntf_01KAK3R9ZC4VBX1D2E3F4G5H6J --to demo`,
	}, o.run))
	o.add(cmd)
	o.enable.add(cmd, "send messages from now on", "send no more messages")
	return cmd
}

func (o *notifyEdit) run(ctx context.Context, ref string) error {
	change, err := o.change()
	if err != nil {
		return err
	}
	c, before, err := notifications.Connect(ctx, o.App, ref)
	if err != nil {
		return err
	}
	if err := o.way(ctx, c, &change, before); err != nil {
		return err
	}
	n, err := c.EditNotification(ctx, before.ID, change)
	if err != nil {
		return notifications.Unknown(ref, err)
	}
	return printNotification(o.App, n, "Changed")
}

// way adds the way to send messages, if the flags change it.
func (o *notifyEdit) way(ctx context.Context, c *client.Client, change *apiv1.EditNotification, before apiv1.Notification) (err error) {
	if change.SocialAccountID, err = o.account(ctx, c); err != nil || !o.byMail() {
		return err
	}
	change.Email, err = o.settings(ctx, before.Email)
	return err
}

// change returns the change that the flags describe, without the way to send messages.
func (o *notifyEdit) change() (n apiv1.EditNotification, err error) {
	types, err := o.events.types(schedctl.NotificationEvents())
	if err != nil {
		return n, err
	}
	if types != nil {
		n.EventTypes = &types
	}
	if n.About, err = o.concern(); err != nil {
		return n, err
	}
	n.ReviewLink = o.reviewLink
	if o.name != "" {
		n.Name = &o.name
	}
	n.Enabled = o.enable.value()
	if n == (apiv1.EditNotification{}) && o.to == "" && !o.byMail() {
		return n, cli.UsageError("schedctl notify edit has nothing to change").WithHint("give --to, --email, --event, --about, --review-link, --name, --enable or --disable")
	}
	return n, nil
}
