package webhook

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type notifyAdd struct {
	notificationFlags
	disabled bool
}

func newNotifyAdd(a *cli.App) *cobra.Command {
	o := &notifyAdd{notificationFlags: notificationFlags{App: a}}
	cmd := cli.DeclareJSON[apiv1.Notification](&cobra.Command{
		Use:   "add",
		Short: "Add a notification",
		Long: `Add a notification about future events. Without --event it reports problems: what
"schedctl notify --help" lists. "--event review" reports the steps of reviews, and
"--event all" both.

A notification belongs to your API key. With "--about mine" it reports only posts that
this key has made or submitted, and not what you do yourself: that is the default for
keys without posts:approve. After the end of the key, messages come without texts.

"--review-link NAME" is for "--event review": a message about a submitted post has an
address at which the person reads this post in a browser, and decides about it if your
key has posts:approve. Anyone who gets the message can open it, for 7 days; see
"schedctl share list". The daemon needs --public-url.

Give --to to send messages through a connected account of Discord, Matrix, Slack,
Telegram or http. The account never reports that its own login was refused: use a
second notification for that.

Give --email and --smtp to send e-mail. The password of --user is asked for, or read
from --secret-file, from standard input with "--secret-file -", or from
SCHEDCTL_SECRET; never give it as the value of a flag. The connection is encrypted
with STARTTLS on port 587. Use "--tls implicit" for TLS on port 465. "--tls none" is
for mail servers in your own network, without a password, and needs a daemon that was
started with --allow-private-networks.`,
		Example: `  schedctl notify add --to demo --name on-call
  schedctl notify add --to demo --event post.failed --event social_account.error
  schedctl notify add --email vera@example.com --smtp smtp.example.com --from schedctl@example.com --event review
  schedctl notify add --email ops@example.com --smtp smtp.example.com --user schedctl@example.com --secret-file secret.txt`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	o.add(cmd)
	cmd.Flags().BoolVar(&o.disabled, "disabled", false, "send nothing yet; see: schedctl notify edit --enable")
	return cmd
}

func (o *notifyAdd) run(ctx context.Context) error {
	request, err := o.request()
	if err != nil {
		return err
	}
	if o.byMail() && o.to == "" {
		if request.Email, err = o.settings(ctx, nil); err != nil {
			return err
		}
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	if request.SocialAccountID, err = o.account(ctx, c); err != nil {
		return err
	}
	added, err := c.CreateNotification(ctx, request)
	if err != nil {
		return err
	}
	o.App.RememberID(cli.NotificationNoun, added.ID)
	return printNotification(o.App, added, "Added")
}

// request returns the request that the flags describe, without the way to send
// messages.
func (o *notifyAdd) request() (r apiv1.CreateNotification, err error) {
	if o.to == "" && !o.byMail() {
		return r, cli.UsageError("schedctl notify add needs --to or --email").WithHint("name an account with --to, or give --email and --smtp")
	}
	types, err := o.events.types(schedctl.NotificationEvents())
	if err != nil {
		return r, err
	}
	if types != nil {
		r.EventTypes = &types
	}
	if r.About, err = o.concern(); err != nil {
		return r, err
	}
	r.ReviewLink = o.reviewLink
	if o.name != "" {
		r.Name = &o.name
	}
	if o.disabled {
		r.Enabled = new(false)
	}
	return r, nil
}
