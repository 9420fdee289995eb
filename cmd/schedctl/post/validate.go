package post

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/content"
)

type validateOptions struct {
	*cli.App
	text           cli.TextSource
	file           string
	to             []string
	content        content.Flags
	when           cli.WhenFlags // for --tz
	slot           slotFlags
	repeat         repeatFlags
	allowDuplicate bool
}

func newValidate(a *cli.App) *cobra.Command {
	o := &validateOptions{App: a}
	cmd := cli.DeclareJSON[apiv1.Validation](&cobra.Command{
		Use:   "validate [TEXT]",
		Short: "Check whether networks would accept a text",
		Long: `Check for each account whether its network would accept a text. The result also shows
the length as the network counts it, and the limit. The command stores and publishes no
post. The exit status is 5 when any network would refuse the text.

Give the text in the same way as for "schedctl post create". Without a terminal there
is a line for each account: its id, its name, its platform, the result (ok, warning or
refused), the length, the limit, the unit, and the problem. Then there is a line for
each file and account: the id of the asset, the account, the platform, the result, two
empty fields, what the daemon does so that the file fits (none, resize or convert), and
the problem. For a post with several parts, a line for each part and account follows,
with "part 1", "part 2" and so on, or "comment", instead of an id.

Threads, first comments, polls and the other settings are checked as well; the flags are
those of "schedctl post create". --thread-split shows the parts and asks nothing.

The post is checked as if it were published now. With --next-slot or --queue it is checked
for the next free slot, which is not reserved, and with --repeat for its first time.

Files of --media are uploaded, because the daemon checks them. The daemon deletes files
that no post uses after a week.`,
		Example: `  schedctl post validate "Hello, world" --to all
  schedctl post validate -F news.txt --to mastodon:me --override mastodon:me=@short.txt
  schedctl post validate "My cat" --media cat.png --alt "A cat on a sofa" --to all
  schedctl post validate "Hello, world" --to demo --repeat "weekly on tue at 9:00"
  schedctl post validate "Hello, world" --to demo --json=allowed,accounts`,
		Args: cli.Args(0, 1, "one text"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.text, err = cli.NewTextSource(args, o.file); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	})
	f := cmd.Flags()
	f.StringVarP(&o.file, "file", "F", "", "`file` that holds the text, - for standard input")
	addToOrAccount(a, cmd, &o.to)
	o.content.Add(a, cmd)
	o.content.AddNotes(cmd)
	o.slot.add(a, cmd)
	o.repeat.add(cmd, "series-name")
	cmd.Flag("series-name").Hidden = true
	o.when.AddZone(cmd)
	AddAllowDuplicate(cmd, &o.allowDuplicate)
	return cmd
}

func (o *validateOptions) run(ctx context.Context) error {
	switch {
	case !o.text.Given() && !o.content.Media.Attached() && o.InTerminal:
		return noText()
	case len(o.to) == 0:
		return cli.InvalidError(schedctl.InvalidSocialAccounts, "no account is given, and each network has its own rules").WithHint("give --to ACCOUNT, or --to all")
	}
	publishAt, err := o.publishAt()
	if err != nil {
		return err
	}
	if err := o.content.Check(); err != nil {
		return err
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	var text string
	if o.text.Given() || !o.content.Media.Attached() {
		if text, err = o.ReadText(ctx, o.text); err != nil {
			return err
		}
	}
	booked, err := o.slot.book(ctx, o.App, c, &o.when)
	if err != nil {
		return err
	}
	post := apiv1.CreatePost{
		Content: text, PublishAt: publishAt, QueueID: booked.QueueID, NotBefore: booked.NotBefore,
		AllowBlackout: o.slot.allowBlackout || o.repeat.given(), AllowDuplicate: o.allowDuplicate,
	}
	if post.SocialAccountIDs, err = account.Recipients(ctx, o.App, c, o.to); err != nil {
		return err
	}
	if post.TargetOverrides, err = o.content.Overrides.Read(ctx, o.App, c, nil, post.SocialAccountIDs); err != nil {
		return err
	}
	change, err := o.content.Change(ctx, o.App, c, content.Subject{
		Text: &text, New: true, Dry: true, Post: func() (apiv1.CreatePost, error) { return post, nil },
	})
	if err != nil {
		return err
	}
	fields.Apply(change, &post)
	v, err := c.ValidatePost(ctx, post)
	if err != nil {
		return err
	}
	for _, r := range v.Refusals { // another key may create the post
		o.App.Messagef("with this API key: %s", cli.MessageLine(r.Message))
	}
	return concludeValidation(ctx, o.App, c, v)
}

// publishAt returns the time for which the post is checked.
func (o *validateOptions) publishAt() (*apiv1.PublishTime, error) {
	switch {
	case o.repeat.given() && (o.slot.given() || o.slot.notBefore != ""):
		return nil, cli.UsageError("--repeat excludes --next-slot, --queue and --not-before: give one")
	case o.repeat.given():
		if err := o.repeat.read(o.App, &o.when, o.Now()); err != nil {
			return nil, err
		}
		return apiv1.At(o.repeat.first()), nil
	}
	at, err := o.slot.publishAt(o.App, &o.when)
	if at == nil {
		at = apiv1.Now()
	}
	return at, err
}
