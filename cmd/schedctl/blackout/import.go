package blackout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/icalendar"
)

type importOptions struct {
	*cli.App
	until     string
	when      cli.WhenFlags // for --tz
	accounts  []string
	hold, dry bool
}

func newImport(a *cli.App) *cobra.Command {
	o := &importOptions{App: a}
	cmd := cli.DeclareJSON[apiv1.Blackout](&cobra.Command{
		Use:   "import FILE|-",
		Short: "Add blackouts from a calendar of holidays",
		Long: `Add a blackout for each event of an iCalendar file (.ics) that has not ended yet and
starts within a year, or before --until. Events for whole days keep these days free in
the zone of --tz. The title of an event becomes the reason.

Moved and canceled occurrences, additional dates and exceptions of events are read, and
times in the zones of the calendar, also by the names of Windows. An event in a zone
that is not known refuses the file, unless --tz says which zone such times are in.

You can import a file again at any time: a blackout with the same period, accounts and
mode is not added twice. Canceled events are left out, and whatever else is left out is
reported. With --dry-run no blackout is added; the command lists those that would be.`,
		Example: `  schedctl blackout import holidays.ics --dry-run
  schedctl blackout import holidays.ics --tz Europe/Berlin
  cat holidays.ics | schedctl blackout import - --account blog --until 2027-06-30`,
		Args: cli.Args(1, 1, "one file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	account.AddSeveral(a, cmd, &o.accounts, "only for this `account`: an id, a name or platform:name (repeatable)")
	cmd.Flags().StringVar(&o.until, "until", "", "only events that start before this `time`; the default is in a year")
	cmd.Flags().BoolVar(&o.hold, "hold", false, "publish nothing in these periods, not even posts with a fixed time")
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "create nothing; list the blackouts that would be added")
	o.when.AddZone(cmd)
	return cmd
}

func (o *importOptions) run(ctx context.Context, name string) error {
	periods, zone, err := o.read(ctx, name)
	if err != nil {
		return err
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	accounts, err := account.IDsOrAll(ctx, o.App, c, o.accounts)
	if err != nil {
		return err
	}
	slices.Sort(accounts)
	known, err := c.Blackouts(ctx)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, b := range known {
		seen[keyOf(b.From, cli.Deref(b.To), b.Timezone, b.Mode, b.SocialAccountIDs)] = true
	}
	var wanted []apiv1.CreateBlackout
	for _, p := range periods {
		b := o.blackout(p, zone, accounts)
		key := keyOf(b.From, *b.To, b.Timezone, b.Mode, accounts)
		if !seen[key] {
			wanted = append(wanted, b)
		}
		seen[key] = true
	}
	return o.add(ctx, c, wanted, len(periods)-len(wanted))
}

// read returns the periods of the calendar, and the name of their zone.
func (o *importOptions) read(ctx context.Context, name string) (periods []icalendar.Period, zone string, err error) {
	loc, err := o.when.Zone(o.App)
	if err != nil {
		return nil, "", err
	}
	if zone, err = o.ZoneName(loc); err != nil {
		return nil, "", err
	}
	until, err := o.when.ParseBound(o.App, "until", o.until)
	if err != nil {
		return nil, "", err
	}
	if until.IsZero() {
		until = o.Now().AddDate(1, 0, 0)
	}
	var in io.Reader
	if name == "-" {
		if err := o.MayType(); err != nil {
			return nil, "", err
		}
		data, err := cli.ReadInterruptibly(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(o.In, icalendar.MaxBytes+1)) })
		if err != nil {
			return nil, "", fmt.Errorf("read standard input: %w", err)
		}
		in = strings.NewReader(string(data))
	} else {
		file, err := os.Open(name)
		if err != nil {
			return nil, "", fmt.Errorf("read the calendar: %w", err)
		}
		defer file.Close()
		in = file
	}
	options := icalendar.ReadOptions{Zone: loc, From: localOf(o.Now(), loc), Until: localOf(until, loc)}
	if o.when.TZ != "" {
		options.Unknown = loc
	}
	reading, err := icalendar.ReadPeriods(in, options)
	if err != nil {
		refused := cli.InvalidError(schedctl.ValidationFailed, "%s: %v", name, err)
		if _, ok := errors.AsType[*icalendar.UnknownZone](err); ok {
			return nil, "", refused.WithHint("say with --tz in which zone such times are, for example --tz Europe/Berlin")
		}
		return nil, "", refused.WithHint("give a calendar in the iCalendar format (.ics)")
	}
	for _, line := range reading.LeftOut {
		o.Messagef("left out: %s", line)
	}
	for _, unknown := range reading.Replaced {
		o.Messagef("warning: the zone %q is not known; its times were read in %s", cli.Clip(unknown, 80), zone)
	}
	return reading.Periods, zone, nil
}

func localOf(t time.Time, loc *time.Location) schedctl.LocalTime {
	return schedctl.LocalTimeOf(t.In(loc))
}

func (o *importOptions) blackout(p icalendar.Period, zone string, accounts []string) apiv1.CreateBlackout {
	b := apiv1.CreateBlackout{From: string(p.From), To: new(string(p.To)), Timezone: zone, SocialAccountIDs: accounts, Mode: schedctl.BlackoutAvoid}
	if p.UTC {
		b.Timezone = "UTC"
	}
	if o.hold {
		b.Mode = schedctl.BlackoutHold
	}
	if reason := cli.Clip(cli.OneLine(p.Summary), schedctl.MaxBlackoutReason); strings.TrimSpace(reason) != "" {
		b.Reason = &reason
	}
	return b
}

// keyOf identifies what a blackout does: two with the same key are the same.
func keyOf(from, to, zone string, mode schedctl.BlackoutMode, accounts []string) string {
	return strings.Join(append([]string{from, to, zone, string(mode)}, slices.Sorted(slices.Values(accounts))...), "\n")
}

// add adds the blackouts one after the other. After an error, running the command again
// adds the rest.
func (o *importOptions) add(ctx context.Context, c *client.Client, wanted []apiv1.CreateBlackout, existing int) error {
	added := []apiv1.Blackout{}
	scheduled := 0
	var failed error
	for _, b := range wanted {
		if o.dry {
			added = append(added, apiv1.Blackout{From: b.From, To: b.To, Timezone: b.Timezone, SocialAccountIDs: b.SocialAccountIDs, Reason: b.Reason, Mode: b.Mode, StartsAt: o.startOf(b)})
			continue
		}
		made, err := c.CreateBlackout(ctx, b)
		if err != nil {
			failed = fmt.Errorf("%s: %w", cli.FirstNonEmpty(cli.Deref(b.Reason), b.From), err)
			break
		}
		scheduled += len(made.Scheduled)
		added = append(added, made.Blackout)
	}
	err := named(o.App, account.Names(ctx, o.App, c)).Print(o.App, added...)
	if !o.Quiet {
		verb := map[bool]string{true: "would be added", false: "added"}[o.dry]
		o.Messagef("%s %s, %d existed already", cli.Plural(len(added), "blackout"), verb, existing)
		if scheduled > 0 {
			o.Messagef("warning: %s scheduled in these periods and will be published; see: schedctl calendar --month", cli.IsOrAre(scheduled, "post"))
		}
	}
	if failed != nil {
		return failed
	}
	return err
}

// startOf returns the instant at which a blackout would start.
func (o *importOptions) startOf(b apiv1.CreateBlackout) apiv1.Time {
	loc, err := time.LoadLocation(b.Timezone)
	if err != nil {
		return apiv1.Time{}
	}
	at, _ := schedctl.LocalTime(b.From).In(loc)
	return apiv1.Time{Time: at}
}
