package main

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
)

type calendarShow struct {
	*app
	week, month bool
	from        string
	apart       duration
	filter      postFilter // for --account and --tz
}

// defaultApart is how far two posts to one account should be from each other.
const defaultApart = 15 * time.Minute

// maxCalendar is how many posts a calendar shows.
const maxCalendar = 10_000

func newCalendar(a *app) *cobra.Command {
	o := &calendarShow{app: a, apart: duration(defaultApart)}
	cmd := prints[calendar](&cobra.Command{
		Use:   "calendar",
		Short: "Show what goes out when",
		Long: `Show what goes out when: this week from Monday on, or with --month this month,
for each day and account. Days to come on which an account gets nothing are shown
too, and posts to one account that are closer together than --apart are marked
with an exclamation mark. Canceled posts and drafts are left out.

Elsewhere than on a terminal there is a line for each post and account: the day,
the time, the account, the status, "clash" or nothing, the id of the post, the
text.`,
		Example: `  schedctl calendar
  schedctl calendar --month --account blog
  schedctl calendar --from 2027-12-06 --apart 1h --json=days`,
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	f := cmd.Flags()
	f.BoolVar(&o.week, "week", false, "seven days from Monday on (the default)")
	f.BoolVar(&o.month, "month", false, "a month")
	f.StringVar(&o.from, "from", "", "the week or month of this `time`, which may be a date alone")
	f.StringVar(&o.filter.account, "account", "", "only this `account`: an id, a name or platform:name")
	f.Var(&o.apart, "apart", "mark posts to one account that are closer together than this `duration`")
	o.filter.when.addZone(cmd)
	cmd.RegisterFlagCompletionFunc("account", a.completeAccount)
	return cmd
}

func (o *calendarShow) run(ctx context.Context) error {
	days, err := o.span()
	if err != nil {
		return err
	}
	c, err := o.connect()
	if err != nil {
		return err
	}
	q := client.PostQuery{
		After: days.first, Before: days.end(), Sort: "publish_at", Limit: pageSize,
		Statuses: []schedctl.Status{schedctl.Scheduled, schedctl.Publishing, schedctl.Published, schedctl.Failed},
	}
	if err := o.filter.resolve(ctx, c, &q); err != nil {
		return err
	}
	posts, err := o.collect(ctx, c, q)
	if err != nil {
		return err
	}
	return o.print(newCalendarOf(days, posts, shownAccounts(accountNames(ctx, c), q.AccountID), time.Duration(o.apart), o.now()))
}

// span reads the flags that choose the days.
func (o *calendarShow) span() (days, error) {
	if o.week && o.month {
		return days{}, usage("--week and --month exclude each other: give one")
	}
	loc, err := o.filter.when.zone(o.app)
	if err != nil {
		return days{}, err
	}
	day := o.now().In(loc)
	if o.from != "" {
		if day, err = time.ParseInLocation(time.DateOnly, o.from, loc); err != nil {
			m, err := when.Parse(o.from, o.now(), loc)
			if err != nil {
				return days{}, err
			}
			day = m.Time.In(loc)
		}
	}
	if o.month {
		return monthOf(day), nil
	}
	return weekOf(day), nil
}

func (o *calendarShow) collect(ctx context.Context, c *client.Client, q client.PostQuery) (posts []apiv1.Post, err error) {
	for p, err := range c.EachPost(ctx, q) {
		if err != nil {
			return nil, err
		}
		if len(posts) == maxCalendar {
			o.tell("there are more than %d posts; the first are shown", maxCalendar)
			break
		}
		posts = append(posts, p)
	}
	return posts, nil
}

// shownAccounts returns the accounts that have a place in the calendar even when
// they have no posts.
func shownAccounts(names accounts, only string) (shown []apiv1.Account) {
	for id, acct := range names {
		if id == only || only == "" && acct.Status != schedctl.AccountDisconnected {
			shown = append(shown, acct)
		}
	}
	if only != "" && shown == nil {
		shown = []apiv1.Account{{ID: only, Name: only}}
	}
	return shown
}

func (o *calendarShow) print(c calendar) error {
	switch {
	case o.json.set:
		return o.printJSON(c)
	case o.quiet:
		return o.printIDs(c.postIDs()...)
	case o.outTerminal:
		return o.writeList([]byte(drawing{width: o.width, paint: o.paint, apart: o.apart}.calendar(c)))
	}
	var b strings.Builder
	for _, row := range c.rows() {
		b.WriteString(strings.Join(row, "\t") + "\n")
	}
	return o.write([]byte(b.String()))
}

// postIDs returns the ids of all posts in the order in which they go out.
func (c calendar) postIDs() (ids []string) {
	for _, e := range c.entries() {
		if !slices.Contains(ids, e.PostID) {
			ids = append(ids, e.PostID)
		}
	}
	return ids
}

// rows are the lines for programs.
func (c calendar) rows() (rows [][]string) {
	for _, e := range c.entries() {
		clash := ""
		if e.Clash {
			clash = "clash"
		}
		rows = append(rows, []string{e.day, e.At.String(), oneLine(e.account), string(e.Status), clash, e.PostID, oneLine(e.Content)})
	}
	return rows
}
