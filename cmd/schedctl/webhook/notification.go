package webhook

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func NewNotify(a *cli.App) *cobra.Command {
	cmd := cli.ParentCommand(&cobra.Command{
		Use:   "notify",
		Short: "Get messages when something fails",
		Long: `Get a message when something fails: through a connected account of Discord, Matrix,
Slack, Telegram or http, or by e-mail. The daemon reports

  post.failed           a post was not published
  post.unconfirmed      a post may or may not have been published
  social_account.error  a platform refused the login of an account
  webhook.disabled      a webhook failed for three days

At most one message a minute is sent. If more happens, the message has the number of
problems and describes the first five. A message that cannot be sent is tried again,
at least once an hour. Rarely, after a crash, a message is sent twice.

Name a notification by its id or by its name.`,
		Example: `  schedctl notify add --to demo --name on-call
  schedctl notify test on-call`,
	})
	cmd.AddCommand(newNotifyAdd(a), newNotifyList(a), newNotifyShow(a), newNotifyEdit(a), newNotifyRemove(a), newNotifyTest(a))
	return cmd
}

// notificationArgument names the argument of commands about a notification.
const notificationArgument = "a notification: its id or its name"

var notificationLookup = lookup[apiv1.Notification]{
	Noun:   cli.NotificationNoun,
	advice: "add one with: schedctl notify add --to ACCOUNT",
	get:    (*client.Client).Notification,
	list:   (*client.Client).Notifications,
	id:     func(n apiv1.Notification) string { return n.ID },
	name:   func(n apiv1.Notification) *string { return n.Name },
	target: notificationTarget,
}

// notificationTarget returns where messages go.
func notificationTarget(n apiv1.Notification) string {
	if n.Email != nil {
		return strings.Join(n.Email.To, ",")
	}
	return cli.Deref(n.SocialAccountID)
}

// printNotifications prints notifications as a list.
func printNotifications(a *cli.App, list []apiv1.Notification) error {
	switch {
	case a.JSON.Given:
		return a.PrintJSON(append([]apiv1.Notification{}, list...))
	case a.Quiet:
		ids := make([]string, len(list))
		for i := range list {
			ids[i] = list[i].ID
		}
		return a.PrintIDs(ids...)
	}
	t := cli.Table{Header: []string{"ID", "STATUS", "NAME", "TO", "EVENTS"}, Status: 1, Excerpt: true}
	for _, n := range list {
		t.Rows = append(t.Rows, []string{n.ID, hookStatus(n.Enabled, n.FailingSince), cli.Deref(n.Name), notificationTarget(n), cli.JoinStrings(n.EventTypes, ",")})
	}
	return a.WriteList(a.RenderTable(t))
}

// printNotification prints a notification that was added or changed.
func printNotification(a *cli.App, n apiv1.Notification, done string) error {
	switch {
	case a.JSON.Given:
		return a.PrintJSON(n)
	case a.Quiet || !a.OutTerminal:
		return printNotifications(a, []apiv1.Notification{n})
	}
	text := fmt.Sprintf("%s %s: messages go to %s\n", done, a.Bold(notificationLookup.label(n)), cli.OneLine(notificationTarget(n)))
	if err := a.Write([]byte(text)); err != nil {
		return err
	}
	a.Messagef("send a test message: schedctl notify test %s", n.ID)
	return nil
}
