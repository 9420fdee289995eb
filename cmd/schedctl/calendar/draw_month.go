package calendar

import (
	"fmt"
	"strings"
	"time"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// month draws a grid of weeks.
func (d drawing) month(c plan) string {
	cell := d.width / 7
	var rows []string
	header := make([][]string, 7)
	for i := range header {
		name := time.Weekday((i + 1) % 7).String()
		header[i] = []string{d.paint("1", name[:min(3, max(1, cell-2))])}
	}
	rows = append(rows, d.side("", 0, cell, header)...)
	skipped := (int(c.span.first.Weekday()) + 6) % 7
	for start := -skipped; start < c.span.count; start += 7 {
		week := make([][]string, 7)
		for i := range week {
			if n := start + i; n >= 0 && n < c.span.count {
				week[i] = d.monthCell(c, n, cell-1)
			}
		}
		rows = append(rows, d.side("", 0, cell, week)...)
	}
	return strings.Join(rows, "\n") + "\n"
}

// monthCell returns a day of a month: its number and its posts.
func (d drawing) monthCell(c plan, n, room int) []string {
	head := fmt.Sprint(c.span.day(n).Day())
	if d.today(c, n) {
		head += "*"
	}
	total, free, clash, gap, shaded := 0, 0, false, len(c.Days[n].Accounts) > 0, false
	for _, acct := range c.Days[n].Accounts {
		shaded = shaded || len(acct.Blackouts) > 0
	}
	if shaded {
		head += " ░"
	}
	lines := []string{d.paint("1", cli.Clip(head, room))}
	for _, acct := range c.Days[n].Accounts {
		free += len(acct.FreeSlots)
		gap = gap && acct.Gap
		if len(acct.Posts) == 0 {
			continue
		}
		text, marked := d.accountInMonth(c, acct)
		total, clash = total+len(acct.Posts), clash || marked
		lines = append(lines, cli.Clip(text, room))
	}
	switch {
	case gap && free > 0:
		return append(lines, d.paint("2", cli.Clip(fmt.Sprintf("○ %d", free), room)))
	case gap:
		return append(lines, d.paint("2", "·"))
	case room < 8 && total > 0:
		lines = append(lines[:1], cli.Clip(fmt.Sprint(total)+markOf(clash), room))
	case len(lines) > maxLines:
		lines = append(lines[:maxLines-1], fmt.Sprintf("+%d more", len(lines)-maxLines+1))
	}
	return lines
}

// accountInMonth returns the posts of an account on a day of a month: the time or the
// number of posts, and the name.
func (d drawing) accountInMonth(c plan, acct accountPlan) (text string, clash bool) {
	repeated := ""
	for _, e := range acct.Posts {
		clash = clash || e.Clash
		if e.SeriesID != nil {
			repeated = "↻"
		}
	}
	when := acct.Posts[0].At.In(c.span.first.Location()).Format("15:04")
	if len(acct.Posts) > 1 {
		when = fmt.Sprintf("%d×", len(acct.Posts))
	}
	return when + markOf(clash) + repeated + " " + cli.OneLine(acct.Name), clash
}
