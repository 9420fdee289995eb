package blackout

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

type pauseOptions struct {
	*cli.App
	bulkFlags
	accounts      []string
	reason, until string
	length        cli.SpanFlag
	when          cli.WhenFlags // for --tz
}

// NewPause returns the command pause.
func NewPause(a *cli.App) *cobra.Command {
	o := &pauseOptions{App: a}
	cmd := cli.DeclareJSON[withScheduled](&cobra.Command{
		Use:   "pause",
		Short: "Publish nothing until you resume",
		Long: `Publish nothing from now on, for all accounts or for those of --account, until
"schedctl resume", or until the time of --until or --for. Posts can still be created and
scheduled.

With --label, only posts with this label are held, and other posts are published. The
posts are listed first, and you confirm; without a terminal --yes is required. A post that
gets the label later is held, too, and one that loses it is published. A thread of which a
part is published is finished.

Afterwards, posts whose slot has passed get new slots in their order. Other late posts
are published one after the other, unless they are later than the daemon allows. So a
pause never ends in a flood of posts. "schedctl resume --shift-missed" moves them instead.

A request that a network has already received is not stopped. If the accounts are
paused already, nothing changes.`,
		Example: `  schedctl pause --reason "the site is down"
  schedctl pause --account blog --for 2d
  schedctl pause --label launch --dry-run
  schedctl pause --label launch --until "next monday 8:00" --yes
  schedctl pause --until "next monday 8:00"`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	account.AddSeveral(a, cmd, &o.accounts, "only this `account`: an id, a name or platform:name (repeatable)")
	cmd.Flags().StringVar(&o.reason, "reason", "", "why, a `text`")
	cmd.Flags().StringVar(&o.until, "until", "", "the `time` at which posts are published again")
	cmd.Flags().Var(&o.length, "for", "the `duration` of the pause, such as 2d")
	cmd.Flags().Var(labelValue{&o.label}, "label", "only posts with this label `text`")
	o.bulkFlags.add(cmd, "--label", "held")
	o.when.AddZone(cmd)
	cmd.AddCommand(newPauseList(a))
	return cmd
}

func (o *pauseOptions) run(ctx context.Context) error {
	switch {
	case o.label != "":
		if err := o.check(o.App, "held"); err != nil {
			return err
		}
	case o.yes || o.dry:
		return cli.UsageError("--yes and --dry-run are for --label").WithHint("give --label with the label of the posts to hold")
	}
	request, err := o.request()
	if err != nil {
		return err
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	if request.SocialAccountIDs, err = account.IDsOrAll(ctx, o.App, c, o.accounts); err != nil {
		return err
	}
	if request.To == nil {
		held, err := o.alreadyPaused(ctx, c, request)
		if err != nil {
			return err
		}
		if held != nil {
			return printChanged(ctx, o.App, c, *held, "Paused already:")
		}
	}
	if o.label != "" {
		if err := o.tell(ctx, c, request); err != nil || o.dry {
			return err
		}
	}
	made, err := c.CreateBlackout(ctx, request)
	if err != nil {
		return err
	}
	o.RememberID(cli.BlackoutNoun, made.Blackout.ID)
	if err := printChanged(ctx, o.App, c, made, "Paused:"); err != nil || !o.ErrTerminal || o.Quiet || o.JSON.Given {
		return err
	}
	if o.label != "" {
		o.Messagef("continue with: schedctl resume --label %q", o.label)
		return nil
	}
	o.Messagef("continue with: schedctl resume")
	return nil
}

// tell lists the posts of a new hold of a label, and asks the person to confirm.
func (o *pauseOptions) tell(ctx context.Context, c *client.Client, request apiv1.CreateBlackout) error {
	posts, err := heldPosts(ctx, c, o.label, request.SocialAccountIDs, endOf(request))
	if err != nil {
		return err
	}
	if o.dry {
		request.DryRun = true
		if _, err := c.CreateBlackout(ctx, request); err != nil {
			return err
		}
		return printTrial(ctx, o.App, c, posts, "held")
	}
	if len(posts) == 0 {
		o.Messagef("no scheduled post has the label %q now; posts that get it are held", o.label)
	}
	names := post.AccountsByID(ctx, c)
	for _, p := range posts {
		o.Messagef("%s", post.Describe(o.App, p, names))
	}
	if o.yes {
		return nil
	}
	return o.Confirm(ctx, fmt.Sprintf("Hold %s?", cli.Plural(len(posts), "post")))
}

// endOf returns the instant at which a new hold ends, zero for an open end.
func endOf(request apiv1.CreateBlackout) time.Time {
	b := schedctl.Blackout{From: schedctl.LocalTime(request.From), To: schedctl.LocalTime(cli.Deref(request.To)), Timezone: request.Timezone, Mode: request.Mode}
	if b.Resolve() != nil {
		return time.Time{} // the daemon refuses it
	}
	return b.EndsAt
}

// request returns the hold that the flags describe, without its accounts.
func (o *pauseOptions) request() (b apiv1.CreateBlackout, err error) {
	loc, err := o.when.Zone(o.App)
	if err != nil {
		return b, err
	}
	b = apiv1.CreateBlackout{Mode: schedctl.BlackoutHold}
	if o.label != "" {
		b.Label = &o.label
	}
	if o.reason != "" {
		b.Reason = &o.reason
	}
	var end time.Time
	switch {
	case o.length.Given:
		if o.length.IsZero() {
			return b, cli.InvalidError(schedctl.ValidationFailed, "the pause would end at once").WithHint("give a longer duration with --for, such as 2d, or leave it out to pause until: schedctl resume")
		}
		end = o.length.From(o.Now().In(loc)).Time.Add(time.Minute - 1) // local times have no seconds
	default:
		if end, err = o.when.ParseBound(o.App, "until", o.until); err != nil {
			return b, err
		}
	}
	if !end.IsZero() && !end.After(o.Now()) {
		return b, cli.InvalidError(schedctl.ValidationFailed, "the pause would end in the past").WithHint("give a time in the future with --until")
	}
	var to string
	if b.From, to, b.Timezone, err = localPeriod(o.App, o.Now(), end, loc); to != "" {
		b.To = &to
	}
	return b, err
}

// alreadyPaused returns the open hold of exactly these accounts and this label, or nil.
func (o *pauseOptions) alreadyPaused(ctx context.Context, c *client.Client, request apiv1.CreateBlackout) (*apiv1.BlackoutEnvelope, error) {
	list, err := c.Blackouts(ctx)
	if err != nil {
		return nil, err
	}
	for _, b := range list {
		if b.To == nil && b.Mode == schedctl.BlackoutHold && status(o.App, b) == "active" &&
			sameAccounts(b.SocialAccountIDs, request.SocialAccountIDs) && cli.Deref(b.Label) == o.label {
			return &apiv1.BlackoutEnvelope{Blackout: b}, nil
		}
	}
	return nil, nil
}

func sameAccounts(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
