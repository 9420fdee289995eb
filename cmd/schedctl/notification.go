package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

func newNotify(a *app) *cobra.Command {
	cmd := group(&cobra.Command{
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
	noun:   notificationNoun,
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
	return deref(n.SocialAccountID)
}

// printNotifications prints notifications as a list.
func (a *app) printNotifications(list []apiv1.Notification) error {
	switch {
	case a.json.set:
		return a.printJSON(append([]apiv1.Notification{}, list...))
	case a.quiet:
		ids := make([]string, len(list))
		for i := range list {
			ids[i] = list[i].ID
		}
		return a.printIDs(ids...)
	}
	t := table{header: []string{"ID", "STATUS", "NAME", "TO", "EVENTS"}, status: 1, excerpt: true}
	for _, n := range list {
		t.rows = append(t.rows, []string{n.ID, hookStatus(n.Enabled, n.FailingSince), deref(n.Name), notificationTarget(n), wordsOf(n.EventTypes, ",")})
	}
	return a.writeList(a.render(t))
}

// printNotification prints a notification that was added or changed.
func (a *app) printNotification(n apiv1.Notification, done string) error {
	switch {
	case a.json.set:
		return a.printJSON(n)
	case a.quiet || !a.outTerminal:
		return a.printNotifications([]apiv1.Notification{n})
	}
	text := fmt.Sprintf("%s %s: messages go to %s\n", done, a.bold(notificationLookup.label(n)), oneLine(notificationTarget(n)))
	if err := a.write([]byte(text)); err != nil {
		return err
	}
	a.tell("send a test message: schedctl notify test %s", n.ID)
	return nil
}
