package blackout

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// periodFlags are the flags for a period of local times.
type periodFlags struct {
	from, to string
	when     cli.WhenFlags // for --tz
}

func (p *periodFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.from, "from", "", "the start, a `time`; a day alone means its start")
	cmd.Flags().StringVar(&p.to, "to", "", "the end, a `time`: posts may be published again from then on; a day alone means its start")
	p.when.AddZone(cmd)
}

// read returns the local times of the flags and the name of their zone. An empty flag
// gives an empty time, unless the other one changes the zone of an existing blackout to UTC.
func (p *periodFlags) read(a *cli.App, before apiv1.Blackout) (from, to, zone string, err error) {
	loc, err := p.when.Zone(a)
	if err != nil {
		return "", "", "", err
	}
	start, err := p.when.ParseBound(a, "from", p.from)
	if err != nil {
		return "", "", "", err
	}
	end, err := p.when.ParseBound(a, "to", p.to)
	if err != nil {
		return "", "", "", err
	}
	if !start.IsZero() && !end.IsZero() && !end.Truncate(time.Minute).After(start.Truncate(time.Minute)) {
		return "", "", "", cli.InvalidError(schedctl.ValidationFailed, "--to is not after --from").
			WithHint("for one whole day give the next day as --to")
	}
	if _, _, in := schedctl.LocalPeriod(start, end, loc); in != loc {
		if start.IsZero() {
			start = before.StartsAt.Time
		}
		if end.IsZero() && before.EndsAt != nil {
			end = before.EndsAt.Time
		}
	}
	return localPeriod(a, start, end, loc)
}

// localPeriod returns a period as the daemon stores it: in UTC if the zone has no local times
// for it.
func localPeriod(a *cli.App, start, end time.Time, loc *time.Location) (from, to, zone string, err error) {
	name, err := a.ZoneName(loc)
	if err != nil {
		return "", "", "", err
	}
	localFrom, localTo, in := schedctl.LocalPeriod(start, end, loc)
	if in != loc {
		a.Messagef("clocks in %s show a time of the period twice, so it is stored in UTC", name)
		name = "UTC"
	}
	return string(localFrom), string(localTo), name, nil
}

type addOptions struct {
	*cli.App
	period   periodFlags
	accounts []string
	reason   string
	label    string
	hold     bool
}

func newAdd(a *cli.App) *cobra.Command {
	o := &addOptions{App: a}
	cmd := cli.DeclareJSON[withScheduled](&cobra.Command{
		Use:   "add",
		Short: "Add a blackout",
		Long: `Add a blackout, for all accounts or for those of --account. --to is the first time at
which posts are published again: "--from 2027-12-24 --to 2027-12-27" keeps three days
free.

Slots of queues and posts of series step around the period. With --hold no post is
published in it, and --to may be missing: the hold then ends with "schedctl blackout
remove" or "schedctl resume". With --hold and --label, it is about posts with this label.`,
		Example: `  schedctl blackout add --from 2027-12-24 --to 2027-12-27 --reason holidays
  schedctl blackout add --from "2027-12-24 18:00" --to "2027-12-27 8:00" --account blog --tz Europe/Berlin
  schedctl blackout add --from "in 1h" --hold --reason "the site moves"`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	o.period.add(cmd)
	account.AddSeveral(a, cmd, &o.accounts, "only this `account`: an id, a name or platform:name (repeatable)")
	cmd.Flags().StringVar(&o.reason, "reason", "", "why, a `text`; commands accept it instead of the id")
	cmd.Flags().StringVar(&o.label, "label", "", "with --hold: only posts with this label `text`")
	cmd.Flags().BoolVar(&o.hold, "hold", false, "publish nothing in the period, not even posts with a fixed time")
	return cmd
}

func (o *addOptions) run(ctx context.Context) error {
	switch {
	case o.period.from == "":
		return cli.UsageError("schedctl blackout add needs --from").WithHint("give it with --from 2027-12-24, or use: schedctl pause")
	case o.period.to == "" && !o.hold:
		return cli.UsageError("schedctl blackout add needs --to").WithHint("give it with --to 2027-12-27; only a blackout with --hold may have no end")
	}
	from, to, zone, err := o.period.read(o.App, apiv1.Blackout{})
	if err != nil {
		return err
	}
	request := apiv1.CreateBlackout{From: from, Timezone: zone, Mode: schedctl.BlackoutAvoid}
	if to != "" {
		request.To = &to
	}
	if o.hold {
		request.Mode = schedctl.BlackoutHold
	}
	if o.label != "" {
		request.Label = &o.label
	}
	if o.reason != "" {
		request.Reason = &o.reason
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	if request.SocialAccountIDs, err = account.IDsOrAll(ctx, o.App, c, o.accounts); err != nil {
		return err
	}
	made, err := c.CreateBlackout(ctx, request)
	if err != nil {
		return err
	}
	o.RememberID(cli.BlackoutNoun, made.Blackout.ID)
	return printChanged(ctx, o.App, c, made, "Added")
}
