package post

import (
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// groupByDay is the value of --group.
const groupByDay = "day"

// checkGroup sets the order of a grouped list.
func (o *listOptions) checkGroup() error {
	switch {
	case o.group == "":
		return nil
	case o.group != groupByDay:
		return cli.UnknownValueError("--group", o.group, []string{groupByDay})
	case o.sort == "":
		o.sort = "publish_at"
	case o.sort != "publish_at" && o.sort != "-publish_at":
		return cli.UsageError("--group day needs posts in publishing order: leave out --sort %s", o.sort)
	}
	return nil
}

// printDays prints posts as a list under headings, or with the day as the first
// field.
func (o *listOptions) printDays(posts []apiv1.Post, names func() Accounts) error {
	loc, err := o.filter.when.Zone(o.App)
	if err != nil || len(posts) == 0 {
		return err
	}
	o.RememberShown(posts...)
	t := postTable(o.App, posts, names())
	if o.OutTerminal {
		for _, p := range posts {
			t.Groups = append(t.Groups, dayHeading(p.PublishAt, o.Now().In(loc)))
		}
		return o.WriteList(o.RenderTable(t))
	}
	for i, p := range posts {
		day := ""
		if p.PublishAt != nil {
			day = p.PublishAt.In(loc).Format(time.DateOnly)
		}
		t.Rows[i] = append([]string{day}, t.Rows[i]...)
	}
	t.Status++
	return o.Write(o.RenderTable(t))
}

// dayHeading formats a day for people.
func dayHeading(t *apiv1.Time, now time.Time) string {
	if t == nil {
		return "No time"
	}
	return cli.DayHeading(t.In(now.Location()), now)
}
