package calendar

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

type options struct {
	*cli.App
	week, month bool
	from        string
	apart       cli.DurationFlag
	accounts    []string
	when        cli.WhenFlags // for --tz
}

// defaultApart is the default of --apart.
const defaultApart = 15 * time.Minute

// maxPosts is the maximum number of posts of a calendar.
const maxPosts = 10_000

func New(a *cli.App) *cobra.Command {
	o := &options{App: a, apart: cli.DurationFlag(defaultApart)}
	cmd := cli.DeclareJSON[plan](&cobra.Command{
		Use:   "calendar",
		Short: "Show planned posts in a calendar",
		Long: `Show planned posts by day and account: this week from Monday on, or with --month this
month. Future days without a post are shown too. Posts to one account that are closer
together than --apart are marked with an exclamation mark, as are posts beyond the number
that the network of the account accepts in a period. Canceled posts and drafts are left
out, except drafts that wait for an approval: they are shown as "proposed", at the time
that they propose.

A circle (○) is a free slot of the account's queue, ↻ marks a post of a series, ? a
proposal, and ░ a blackout. --json has them as free_slots, series_id and blackouts.

Without a terminal there is a line for each post and account: the day, the time, the
account, the status, "clash" or an empty field, the id of the post, the text.`,
		Example: `  schedctl calendar
  schedctl calendar --month --account blog --account @brand
  schedctl calendar --from 2027-12-06 --apart 1h --json=days`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	f := cmd.Flags()
	f.BoolVar(&o.week, "week", false, "seven days from Monday on (the default)")
	f.BoolVar(&o.month, "month", false, "a month")
	f.StringVar(&o.from, "from", "", "the week or month of this `time`, which may be a date alone")
	account.AddFilter(a, cmd, &o.accounts)
	f.Var(&o.apart, "apart", "mark posts to one account that are closer together than this `duration`")
	o.when.AddZone(cmd)
	cmd.AddCommand(newFeed(a))
	return cmd
}

func (o *options) run(ctx context.Context) error {
	days, err := o.span()
	if err != nil {
		return err
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	q := client.PostQuery{
		After: days.first, Before: days.end(), Sort: "publish_at", Limit: post.PageSize, Proposed: true,
		Statuses: []schedctl.Status{schedctl.Scheduled, schedctl.Publishing, schedctl.Published, schedctl.Failed},
	}
	if q.Accounts, err = account.FilterIDs(ctx, o.App, c, o.accounts); err != nil {
		return err
	}
	posts, more, err := cli.Collect(c.EachPost(ctx, q), maxPosts)
	if err != nil {
		return err
	}
	if more {
		o.Messagef("there are more than %d posts; the first are shown", maxPosts)
	}
	shown := shownAccounts(post.AccountsByID(ctx, c), q.Accounts)
	var times timetable
	if o.JSON.Given || o.OutTerminal && !o.Quiet {
		if times, err = readTimetable(ctx, c, days, shown, o.Now()); err != nil {
			return err
		}
	}
	return o.print(newPlan(days, posts, shown, times, time.Duration(o.apart), o.Now()))
}

// span reads the flags that choose the days.
func (o *options) span() (dateRange, error) {
	loc, err := o.when.Zone(o.App)
	if err != nil {
		return dateRange{}, err
	}
	day := o.Now().In(loc)
	if o.from != "" {
		if day, err = time.ParseInLocation(time.DateOnly, o.from, loc); err != nil {
			m, _, err := when.ParseBound(o.from, o.Now(), loc)
			if err != nil {
				return dateRange{}, err
			}
			day = m.Time.In(loc)
		}
	}
	if o.month {
		return monthOf(day), nil
	}
	return weekOf(day), nil
}

// shownAccounts returns the accounts that the calendar shows even without posts.
func shownAccounts(names post.Accounts, only []string) (shown []apiv1.Account) {
	for id, acct := range names {
		if slices.Contains(only, id) || len(only) == 0 && acct.Status != schedctl.AccountDisconnected {
			shown = append(shown, acct)
		}
	}
	if len(only) > 0 && shown == nil {
		shown = cli.Map(only, func(id string) apiv1.Account { return apiv1.Account{ID: id, Name: id} })
	}
	return shown
}

func (o *options) print(c plan) error {
	switch {
	case o.JSON.Given:
		return o.PrintJSON(c)
	case o.Quiet:
		return o.PrintIDs(c.postIDs()...)
	case o.OutTerminal:
		return o.WriteList([]byte(drawing{width: o.Width, paint: o.Paint, apart: o.apart}.draw(c)))
	}
	var b strings.Builder
	for _, row := range c.rows() {
		b.WriteString(strings.Join(row, "\t") + "\n")
	}
	return o.Write([]byte(b.String()))
}

// postIDs returns the ids of all posts in publishing order.
func (c plan) postIDs() (ids []string) {
	for _, e := range c.entries() {
		if !slices.Contains(ids, e.PostID) {
			ids = append(ids, e.PostID)
		}
	}
	return ids
}

// rows are the lines for programs.
func (c plan) rows() (rows [][]string) {
	for _, e := range c.entries() {
		clash := ""
		if e.Clash {
			clash = "clash"
		}
		rows = append(rows, []string{e.day, e.At.String(), cli.OneLine(e.account), string(e.Status), clash, e.PostID, cli.OneLine(e.Content)})
	}
	return rows
}
