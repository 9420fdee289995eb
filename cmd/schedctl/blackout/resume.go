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
)

type resumeOptions struct {
	*cli.App
	bulkFlags
	accounts []string
	shift    bool
	when     cli.WhenFlags // for --tz
	zone     *time.Location
	still    []string // labels that other holds hold
	others   bool     // other holds hold accounts
}

// NewResume returns the command resume.
func NewResume(a *cli.App) *cobra.Command {
	o := &resumeOptions{App: a}
	cmd := cli.DeclareJSON[apiv1.Blackout](&cobra.Command{
		Use:   "resume",
		Short: "Publish again after a pause",
		Long: `End every active hold of accounts, or with --account the holds of these accounts. With
--label, end the holds of posts with this label instead. Posts whose slot has passed get
new slots in their order. Other late posts are published one after the other, unless
they are later than the daemon allows. Holds that start later are not changed.

--shift-missed first moves the posts whose time passed during the hold: by its length, and
if it was longer than a day, by whole days that keep the time of day in the zone of --tz.
Posts with a slot get new slots. If a post cannot be moved, the hold stays.

With --label or --shift-missed, the posts that waited are listed, and you confirm; without
a terminal --yes is required.

If a hold cannot be ended, the others end, and the exit status is not 0: repeat the
command for those that are left. Holds that ended cannot be put back, as their posts are
published.

The command prints the holds that it ended or changed. If nothing is paused, there is
no change.`,
		Example: `  schedctl resume
  schedctl resume --account blog
  schedctl resume --label launch --label sale --dry-run
  schedctl resume --label launch --shift-missed --yes`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	account.AddSeveral(a, cmd, &o.accounts, "only this `account`: an id, a name or platform:name (repeatable)")
	cmd.Flags().StringArrayVar(&o.labels, "label", nil, "the holds of posts with this label `text` (repeatable)")
	cmd.Flags().BoolVar(&o.shift, "shift-missed", false, "first move posts whose time has passed by the length of the hold")
	o.bulkFlags.add(cmd, "--label or --shift-missed", "released")
	o.when.AddZone(cmd)
	return cmd
}

func (o *resumeOptions) run(ctx context.Context) (err error) {
	switch bulk := o.labels != nil || o.shift; {
	case bulk:
		err = o.check(o.App, "released")
	case o.yes || o.dry:
		err = cli.UsageError("--yes and --dry-run are for --label and --shift-missed").WithHint("give one of them too")
	}
	if err == nil {
		o.zone, err = o.when.Zone(o.App)
	}
	if err != nil {
		return err
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	ids, err := account.IDsOrAll(ctx, o.App, c, o.accounts)
	if err != nil {
		return err
	}
	list, err := c.Blackouts(ctx)
	if err != nil {
		return err
	}
	var ends []ending
	for _, b := range list {
		label := cli.Deref(b.Label)
		named := slices.Contains(o.labels, label) || label == "" && o.labels == nil
		if label != "" && !named && status(o.App, b) == "active" {
			o.still = append(o.still, label)
		}
		if b.Mode != schedctl.BlackoutHold || status(o.App, b) != "active" || !named {
			continue
		}
		e, err := endOfHold(b, ids)
		if err != nil {
			return err
		}
		if e != nil {
			ends = append(ends, *e)
		}
	}
	o.others = len(ends) == 0 && slices.ContainsFunc(list, func(b apiv1.Blackout) bool {
		return b.Mode == schedctl.BlackoutHold && status(o.App, b) == "active" && cli.Deref(b.Label) == ""
	})
	if len(ends) == 0 {
		o.tellNothing()
	}
	if (o.labels != nil || o.shift) && (o.dry || len(ends) > 0) {
		if goesOn, err := o.prepare(ctx, c, ends); err != nil || !goesOn {
			return err
		}
	}
	return o.end(ctx, c, ends)
}

// end ends the holds and prints them. A hold that cannot be ended keeps no other one, and is an
// error.
func (o *resumeOptions) end(ctx context.Context, c *client.Client, ends []ending) error {
	var resumed []apiv1.Blackout
	var failed cli.ErrorList
	for _, e := range ends {
		changed, err := o.apply(ctx, c, e)
		switch {
		case err == nil:
			resumed = append(resumed, changed)
		case len(ends) == 1:
			return err
		default:
			failed = append(failed, fmt.Errorf("%s: %w", blackouts.Label(e.hold), err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	if len(resumed) > 0 && !o.Quiet && !o.JSON.Given {
		o.Messagef("resumed; posts that waited get new times, see: schedctl post list")
		if o.labels == nil {
			o.tellOthers()
		}
	}
	err := named(o.App, account.Names(ctx, o.App, c)).Print(o.App, resumed...)
	if failed == nil || err != nil {
		return err
	}
	summary := &cli.Failure{Status: cli.ExitFailed, Code: cli.CodeFailed, Message: fmt.Sprintf("%d of %s did not end", len(failed), cli.Plural(len(ends), "hold")), Hint: "repeat the command"}
	return append(cli.ErrorList{summary}, failed...)
}

// tellNothing says that nothing of what the flags name is paused, and what is.
func (o *resumeOptions) tellNothing() {
	if o.Quiet || o.JSON.Given {
		return
	}
	text := "nothing is paused"
	switch {
	case o.labels != nil && len(o.accounts) > 0:
		text = fmt.Sprintf("no posts of these accounts with %s are paused", labelNames(o.labels))
	case o.labels != nil:
		text = fmt.Sprintf("no posts with %s are paused", labelNames(o.labels))
	case len(o.accounts) > 0:
		text = "none of these accounts is paused"
	case len(o.still) > 0:
		text = "no accounts are paused"
	}
	o.Messagef("%s", text)
	if o.others {
		o.Messagef("still paused: accounts; see: schedctl pause list")
	}
	o.tellOthers()
}

// tellOthers names the labels that stay paused.
func (o *resumeOptions) tellOthers() {
	slices.Sort(o.still)
	for _, label := range slices.Compact(o.still) {
		o.Messagef("still paused: posts with the label %q; publish them with: schedctl resume --label %[1]q", label)
	}
}

// ending is the end of a hold, for some or all of its accounts.
type ending struct {
	hold apiv1.Blackout
	rest []string // the accounts that stay paused; empty for none
}

// endOfHold returns the end of a hold for accounts; no accounts are all. It returns nil if
// the hold does not concern them.
func endOfHold(b apiv1.Blackout, ids []string) (*ending, error) {
	switch {
	case len(ids) == 0:
		return &ending{hold: b}, nil
	case len(b.SocialAccountIDs) == 0:
		return nil, cli.NewFailure(cli.ExitConflict, schedctl.ValidationFailed, "%s holds all accounts and cannot end for some of them", blackouts.Label(b)).
			WithHint("name the accounts that stay paused: schedctl blackout edit " + b.ID + " --account ACCOUNT, or end it for all with: schedctl resume")
	}
	rest := slices.DeleteFunc(slices.Clone(b.SocialAccountIDs), func(id string) bool { return slices.Contains(ids, id) })
	if len(rest) == len(b.SocialAccountIDs) {
		return nil, nil
	}
	return &ending{hold: b, rest: rest}, nil
}

// ended returns the accounts for which the hold ends; empty for all.
func (e *ending) ended() []string {
	return slices.DeleteFunc(slices.Clone(e.hold.SocialAccountIDs), func(id string) bool { return slices.Contains(e.rest, id) })
}

// labels returns the label of the hold, or none.
func (e *ending) labels() []string {
	if e.hold.Label == nil {
		return nil
	}
	return []string{*e.hold.Label}
}

// apply ends a hold and returns it as it is afterwards. A deleted hold is returned with its
// end set to now.
func (o *resumeOptions) apply(ctx context.Context, c *client.Client, e ending) (apiv1.Blackout, error) {
	if len(e.rest) > 0 {
		changed, err := c.EditBlackout(ctx, e.hold.ID, apiv1.EditBlackout{SocialAccountIDs: &e.rest})
		return changed.Blackout, err
	}
	e.hold.EndsAt = &apiv1.Time{Time: o.Now().UTC()}
	return e.hold, c.DeleteBlackout(ctx, e.hold.ID)
}
