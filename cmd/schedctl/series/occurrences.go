package series

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type occurrencesOptions struct {
	*cli.App
	after, before string
	when          cli.WhenFlags // for --tz
	limit         int
}

func newOccurrences(a *cli.App) *cobra.Command {
	o := &occurrencesOptions{App: a}
	cmd := cli.DeclareJSON[apiv1.Occurrence](All.OnOne(a, &cobra.Command{
		Use:   "occurrences SERIES",
		Short: "List the occurrences of a series",
		Long: `List the next occurrences of a series, in the order of their times. The state is that of
its post, or, if the occurrence has no post,

  planned   its post will be made 14 days ahead, or as many as the series says
  skipped   you skipped, canceled or deleted it, or the series could not make its
            post, for example because of a duplicate guard or a full queue
  blocked   it is in a blackout

Without a terminal there is a line for each occurrence: the time, its local time in the
zone of the series, the state, the id of the post, "alone" if the post was changed alone,
and "skipped" or "repeated" if clocks change then.`,
		Example: `  schedctl series occurrences questions
  schedctl series occurrences questions --after 2026-01-01 --limit 100 --json`,
	}, o.run))
	f := cmd.Flags()
	f.StringVar(&o.after, "after", "", "from this `time` on; a day alone means its start. The default is now")
	f.StringVar(&o.before, "before", "", "before this `time`")
	f.IntVar(&o.limit, "limit", 20, "at most this `number` of occurrences")
	o.when.AddZone(cmd)
	return cmd
}

func (o *occurrencesOptions) run(ctx context.Context, ref string) (err error) {
	if o.limit < 1 {
		return cli.UsageError("--limit %d: give at least 1", o.limit)
	}
	q := client.OccurrenceQuery{Limit: min(o.limit, 100)}
	if q.After, err = o.when.ParseBound(o.App, "at", o.after); err != nil {
		return err
	}
	if q.Before, err = o.when.ParseBound(o.App, "at", o.before); err != nil {
		return err
	}
	c, id, err := All.ConnectID(ctx, o.App, ref)
	if err != nil {
		return err
	}
	list, _, err := cli.Collect(c.EachOccurrence(ctx, id, q), o.limit)
	if err != nil {
		return All.Unknown(ref, err)
	}
	return o.print(list)
}

func (o *occurrencesOptions) print(list []apiv1.Occurrence) error {
	switch {
	case o.JSON.Given:
		return o.PrintJSON(append([]apiv1.Occurrence{}, list...))
	case o.Quiet:
		var ids []string
		for _, one := range list {
			if one.PostID != nil {
				ids = append(ids, *one.PostID)
			}
		}
		return o.PrintIDs(ids...)
	case len(list) == 0 && o.ErrTerminal:
		o.Messagef("no occurrences in this period")
	}
	t := cli.Table{Header: []string{"WHEN", "OCCURRENCE", "STATE", "POST", "CHANGED", "NOTE"}, Status: 2}
	for _, one := range list {
		alone := ""
		if one.Detached {
			alone = "alone"
		}
		t.Rows = append(t.Rows, []string{o.ShortTime(&one.At), one.Occurrence, string(one.State), cli.Deref(one.PostID), alone, o.ClockText(one.Note)})
	}
	return o.WriteList(o.RenderTable(t))
}

// nextOccurrence is the argument that names the next occurrence.
const nextOccurrence = "next"

// upcoming are the states of occurrences that are still to be published.
var upcoming = map[apiv1.OccurrenceState]bool{apiv1.OccurrencePlanned: true, apiv1.OccurrenceState(schedctl.Scheduled): true}

// FindOccurrence returns the local time of the occurrence that an argument names: "next",
// a local time such as 2026-12-08T09:00, a day with one occurrence, or another time in
// the zone of the series.
func FindOccurrence(ctx context.Context, a *cli.App, c *client.Client, s apiv1.Series, text string) (string, error) {
	if text == nextOccurrence && s.State == schedctl.SeriesPaused {
		return "", cli.NewFailure(cli.ExitConflict, cli.CodeOther, "%s is paused and has no next occurrence", All.Label(s)).
			WithHint("name an occurrence, or continue with: schedctl series resume " + s.ID)
	}
	if text == nextOccurrence {
		for o, err := range c.EachOccurrence(ctx, s.ID, client.OccurrenceQuery{After: a.Now(), Limit: 50}) {
			if err != nil || upcoming[o.State] {
				return o.Occurrence, err
			}
		}
		return "", cli.NewFailure(cli.ExitNotFound, schedctl.NotFound, "%s has no further occurrence", All.Label(s))
	}
	if _, err := schedctl.ParseLocalTime("occurrence", text); err == nil {
		return text, nil
	}
	loc, err := schedctl.LoadZone("timezone", s.Timezone)
	if err != nil {
		return "", err
	}
	switch at, day, err := when.ParseBound(text, a.Now(), loc); {
	case err != nil:
		return "", err
	case day:
		return onDay(ctx, c, s, at.Time.In(loc))
	default:
		return localAt(ctx, c, s, at.Time.In(loc))
	}
}

// localAt returns the local time of the occurrence at an instant. It differs from the local
// time of the instant if the clocks skip the time of the occurrence. Without an occurrence at
// the instant, it returns the local time of the instant.
func localAt(ctx context.Context, c *client.Client, s apiv1.Series, at time.Time) (string, error) {
	for o, err := range c.EachOccurrence(ctx, s.ID, client.OccurrenceQuery{After: at, Before: at.Add(time.Minute), Limit: 1}) {
		return o.Occurrence, err
	}
	return string(schedctl.LocalTimeOf(at)), nil
}

// onDay returns the only occurrence on the day that starts at this time.
func onDay(ctx context.Context, c *client.Client, s apiv1.Series, start time.Time) (string, error) {
	day := schedctl.LocalTimeOf(start).Day()
	var found []string
	q := client.OccurrenceQuery{After: start.Add(-time.Hour), Before: start.AddDate(0, 0, 1).Add(time.Hour), Limit: 50}
	for o, err := range c.EachOccurrence(ctx, s.ID, q) {
		if err != nil {
			return "", err
		}
		if schedctl.LocalTime(o.Occurrence).Day() == day {
			found = append(found, o.Occurrence)
		}
	}
	switch len(found) {
	case 0:
		return "", cli.NewFailure(cli.ExitNotFound, schedctl.NotFound, "%s has no occurrence on %s", All.Label(s), day).
			WithHint("see: schedctl series occurrences " + s.ID)
	case 1:
		return found[0], nil
	}
	return "", cli.InvalidError(schedctl.ValidationFailed, "%s has several occurrences on %s", All.Label(s), day).WithHint("use one of " + strings.Join(found, ", "))
}

// completeOccurrence offers the series for the first argument, and its next occurrences
// for the second.
func completeOccurrence(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return All.Complete(a)(cmd, args, typed)
		}
		if len(args) > 1 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return CompleteOccurrences(a, args[0])(cmd, nil, typed)
	}
}

// CompleteOccurrences offers the next occurrences of a series.
func CompleteOccurrences(a *cli.App, ref string) cobra.CompletionFunc {
	return a.CompleteFrom(cli.Unlimited, cli.CompleteInOrder, func(ctx context.Context, c *client.Client) ([]string, error) {
		id, err := All.FindID(ctx, a, c, ref)
		if err != nil {
			return nil, err
		}
		page, err := c.Occurrences(ctx, id, client.OccurrenceQuery{After: a.Now(), Limit: 20})
		return cli.Map(page.Results, func(o apiv1.Occurrence) string {
			return o.Occurrence + "\t" + string(o.State) + ", " + when.Relative(o.At.Time, a.Now())
		}), err
	})
}
