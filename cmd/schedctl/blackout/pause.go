package blackout

import (
	"context"
	"errors"
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

With --label, only posts with this label are held, and other posts are published. Several
labels are several holds: either all of them are made, or none. The posts are listed
first, and you confirm; without a terminal --yes is required. A post that gets the label
later is held, too, and one that loses it is published. A thread of which a part is
published is finished.

Afterwards, posts whose slot has passed get new slots in their order. Other late posts
are published one after the other, unless they are later than the daemon allows. So a
pause never ends in a flood of posts. "schedctl resume --shift-missed" moves them instead.

A request that a network has already received is not stopped. If the accounts are
paused already, nothing changes.`,
		Example: `  schedctl pause --reason "the site is down"
  schedctl pause --account blog --for 2d
  schedctl pause --label launch --dry-run
  schedctl pause --label launch --label sale --until "next monday 8:00" --yes
  schedctl pause --until "next monday 8:00"`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	account.AddSeveral(a, cmd, &o.accounts, "only this `account`: an id, a name or platform:name (repeatable)")
	cmd.Flags().StringVar(&o.reason, "reason", "", "why, a `text`")
	cmd.Flags().StringVar(&o.until, "until", "", "the `time` at which posts are published again")
	cmd.Flags().Var(&o.length, "for", "the `duration` of the pause, such as 2d")
	cmd.Flags().StringArrayVar(&o.labels, "label", nil, "only posts with this label `text` (repeatable: posts with any of the labels)")
	o.bulkFlags.add(cmd, "--label", "held")
	o.when.AddZone(cmd)
	cmd.AddCommand(newPauseList(a))
	return cmd
}

func (o *pauseOptions) run(ctx context.Context) error {
	switch {
	case o.labels != nil:
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
	existing, missing, err := o.existing(ctx, c, request)
	if err != nil {
		return err
	}
	if len(missing) == 0 {
		return o.print(ctx, c, existing, "Paused already:")
	}
	if o.labels != nil {
		if err := o.tell(ctx, c, request, missing); err != nil || o.dry {
			return err
		}
	}
	made, err := o.create(ctx, c, request, missing)
	if err != nil {
		return err
	}
	for _, hold := range made {
		o.RememberID(cli.BlackoutNoun, hold.Blackout.ID)
	}
	if err := o.print(ctx, c, append(existing, made...), "Paused:"); err != nil || !o.ErrTerminal || o.Quiet || o.JSON.Given {
		return err
	}
	o.Messagef("continue with: schedctl resume%s", labelFlags(o.labels))
	return nil
}

// existing returns the open holds that a new one would repeat, and the labels for which there
// is none; the label of a hold of accounts is empty.
func (o *pauseOptions) existing(ctx context.Context, c *client.Client, request apiv1.CreateBlackout) (holds []apiv1.BlackoutEnvelope, missing []string, err error) {
	labels := slices.Compact(slices.Sorted(slices.Values(o.labels)))
	if labels == nil {
		labels = []string{""}
	}
	if request.To != nil {
		return nil, labels, nil
	}
	list, err := c.Blackouts(ctx)
	for _, label := range labels {
		i := slices.IndexFunc(list, func(b apiv1.Blackout) bool {
			return b.To == nil && b.Mode == schedctl.BlackoutHold && status(o.App, b) == "active" &&
				sameAccounts(b.SocialAccountIDs, request.SocialAccountIDs) && cli.Deref(b.Label) == label
		})
		if i < 0 {
			missing = append(missing, label)
			continue
		}
		holds = append(holds, apiv1.BlackoutEnvelope{Blackout: list[i]})
	}
	return holds, missing, err
}

// create makes a hold for each of the labels, or none after an error.
func (o *pauseOptions) create(ctx context.Context, c *client.Client, request apiv1.CreateBlackout, labels []string) (made []apiv1.BlackoutEnvelope, err error) {
	for _, label := range labels {
		request.Label = heldLabel(label)
		hold, err := c.CreateBlackout(ctx, request)
		if err != nil {
			for _, other := range made {
				if !request.DryRun {
					err = errors.Join(err, c.DeleteBlackout(ctx, other.Blackout.ID))
				}
			}
			return nil, err
		}
		made = append(made, hold)
	}
	return made, nil
}

// print prints the holds. With several labels, JSON is a list.
func (o *pauseOptions) print(ctx context.Context, c *client.Client, holds []apiv1.BlackoutEnvelope, done string) error {
	if o.JSON.Given && len(o.labels) > 1 {
		return o.PrintJSON(cli.Map(holds, func(e apiv1.BlackoutEnvelope) withScheduled {
			return withScheduled{e.Blackout, append([]string{}, e.Scheduled...)}
		}))
	}
	for _, hold := range holds {
		if err := printChanged(ctx, o.App, c, hold, done); err != nil {
			return err
		}
	}
	return nil
}

// tell lists the posts of new holds of labels, and asks the person to confirm.
func (o *pauseOptions) tell(ctx context.Context, c *client.Client, request apiv1.CreateBlackout, labels []string) error {
	posts, err := heldPosts(ctx, c, labels, request.SocialAccountIDs, endOf(request))
	if err != nil {
		return err
	}
	if o.dry {
		request.DryRun = true
		if _, err := o.create(ctx, c, request, labels); err != nil {
			return err
		}
		return printTrial(ctx, o.App, c, posts, "held")
	}
	if len(posts) == 0 {
		o.Messagef("no scheduled post has %s now; posts that get it are held", labelNames(labels))
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

func sameAccounts(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
