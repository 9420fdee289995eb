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
		Short: "Get messages about failures and reviews",
		Long: `Get a message when something fails, or when a post waits for your approval: through a
connected account of Discord, Matrix, Slack, Telegram or http, or by e-mail. The daemon
reports

  post.failed              a post was not published
  post.unconfirmed         a post may or may not have been published
  social_account.error     a platform refused the login of an account
  social_account.expiring  the credentials of an account end soon
  forecast.appeared        posts of the next day will fail or be late
  source.held              a source makes no posts until a person decides
  source.failed            the feed of a source could not be read for a day
  webhook.disabled         a webhook failed for three days

and with "--event review" also each step of a review: that a post was submitted,
approved, given back, withdrawn or noted, with its text, its accounts and its time.

At most one message a minute is sent. If more happens, the message has the number of
problems and describes the first five. A message that cannot be sent is tried again,
at least once an hour. Rarely, after a crash, a message is sent twice.

Name a notification by its id or by its name.`,
		Example: `  schedctl notify add --to demo --name on-call
  schedctl notify test on-call`,
	})
	cmd.AddCommand(newNotifyAdd(a), newNotifyEdit(a), newNotifyTest(a))
	cmd.AddCommand(cli.DeclareJSON[apiv1.Notification](notifications.OnList(a, &cobra.Command{
		Use:   "list",
		Short: "List notifications",
		Long: `List notifications, the oldest first. The status failing means that the last message
could not be sent; key ended means that the API key of the notification was revoked or
has expired, so that messages have no texts. Make it yours with "schedctl notify edit
NOTIFICATION --about all".`,
		Example: `  schedctl notify list
  schedctl notify list --jq '.[] | select(.failing_since) | .last_error'`,
	})))
	cmd.AddCommand(cli.DeclareJSON[apiv1.Notification](notifications.OnShow(a, &cobra.Command{
		Use:   "show NOTIFICATION",
		Short: "Show a notification",
		Long: `Show everything about a notification except its password: where messages go, when
the last one was sent, and why messages fail.`,
		Example: `  schedctl notify show on-call
  schedctl notify show ntf_01KAK3R9ZC4VBX1D2E3F4G5H6J --json=sent_at,last_error`,
	})))
	ask := func(n apiv1.Notification) string {
		return fmt.Sprintf("Remove %s to %s?", notifications.Label(n), cli.OneLine(notificationTarget(n)))
	}
	cmd.AddCommand(cli.DeclareJSON[cli.Removal](notifications.OnRemoval(a, &cobra.Command{
		Use:   "remove NOTIFICATION",
		Short: "Remove a notification",
		Long: `Remove a notification and its pending messages. The account that carries its
messages stays connected. To pause it use "schedctl notify edit --disable".`,
		Example: `  schedctl notify remove on-call
  schedctl notify remove ntf_01KAK3R9ZC4VBX1D2E3F4G5H6J --yes`,
	}, ask, "Removed")))
	return cmd
}

var notifications = cli.Kind[apiv1.Notification]{
	Noun:   cli.NotificationNoun,
	Advice: "add one with: schedctl notify add --to ACCOUNT",
	Get:    (*client.Client).Notification,
	List:   (*client.Client).Notifications,
	ID:     func(n apiv1.Notification) string { return n.ID },
	Name:   func(n apiv1.Notification) *string { return n.Name },
	About:  notificationTarget,
	Remove: (*client.Client).DeleteNotification,
	Header: []string{"ID", "STATUS", "NAME", "TO", "EVENTS"},
	Row:    notificationRow,
	Detail: notificationPairs,
}

// notificationTarget returns where messages go.
func notificationTarget(n apiv1.Notification) string {
	if n.Email != nil {
		return strings.Join(n.Email.To, ",")
	}
	return cli.Deref(n.SocialAccountID)
}

func notificationRow(_ *cli.App, n apiv1.Notification) []string {
	return []string{n.ID, notificationStatus(n), cli.Deref(n.Name), notificationTarget(n), strings.Join(eventNames(n.EventTypes), ",")}
}

// notificationStatus returns the status of a notification, which says if its key has ended.
func notificationStatus(n apiv1.Notification) string {
	if n.Enabled && n.FailingSince == nil && n.APIKey != nil && n.APIKey.Ended {
		return "key ended"
	}
	return hookStatus(n.Enabled, n.FailingSince)
}

// keyText returns the key of a notification, and says if it has ended.
func keyText(n apiv1.Notification) string {
	switch k := n.APIKey; {
	case k == nil:
		return ""
	case k.Ended:
		return k.Name + " (ended: messages have no texts and no addresses)"
	default:
		return k.Name
	}
}

func notificationPairs(a *cli.App, n apiv1.Notification) []cli.Property {
	pairs := []cli.Property{{Name: "ID", Value: n.ID}, {Name: "Name", Value: cli.Deref(n.Name)}, {Name: "Account", Value: cli.Deref(n.SocialAccountID)}}
	if e := n.Email; e != nil {
		pairs = append(pairs,
			cli.Property{Name: "Recipients", Value: strings.Join(e.To, " ")}, cli.Property{Name: "Sender", Value: e.From}, cli.Property{Name: "Server", Value: fmt.Sprintf("%s:%d", e.Host, e.Port)},
			cli.Property{Name: "User", Value: cli.Deref(e.Username)}, cli.Property{Name: "Encryption", Value: string(e.TLS)},
		)
	}
	pairs = append(pairs,
		cli.Property{Name: "Events", Value: strings.Join(eventNames(n.EventTypes), " ")}, cli.Property{Name: "About", Value: string(n.About)}, cli.Property{Name: "Review link", Value: cli.Deref(n.ReviewLink)}, cli.Property{Name: "API key", Value: keyText(n)},
		cli.Property{Name: "Status", Value: notificationStatus(n)}, cli.Property{Name: "Error", Value: cli.Deref(n.LastError)},
		cli.Property{Name: "Failing since", Value: a.TimeText(n.FailingSince)}, cli.Property{Name: "Last message", Value: a.TimeText(n.SentAt)},
		cli.Property{Name: "Created", Value: a.TimeText(n.CreatedAt)}, cli.Property{Name: "Updated", Value: a.TimeText(n.UpdatedAt)},
	)
	switch {
	case !a.OutTerminal:
	case !n.Enabled:
		pairs = append(pairs, cli.Property{Name: "Next", Value: "schedctl notify edit " + n.ID + " --enable"})
	case n.APIKey != nil && n.APIKey.Ended:
		pairs = append(pairs, cli.Property{Name: "Next", Value: "schedctl notify edit " + n.ID + " --about " + string(n.About)})
	case n.FailingSince != nil:
		pairs = append(pairs, cli.Property{Name: "Next", Value: "schedctl notify test " + n.ID})
	}
	return pairs
}

// printNotification prints a notification that was added or changed.
func printNotification(a *cli.App, n apiv1.Notification, done string) error {
	err := notifications.PrintOne(a, n, fmt.Sprintf("%s %s: messages go to %s", done, a.Bold(notifications.Label(n)), cli.OneLine(notificationTarget(n))))
	if err == nil && a.OutTerminal && !a.Quiet && !a.JSON.Given {
		a.Messagef("send a test message: schedctl notify test %s", n.ID)
	}
	return err
}
