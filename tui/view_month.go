package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

const (
	minMonthWidth = 28 // from which the days of a week are next to each other
	minMonthText  = 10 // columns of a day from which it shows posts
)

// monthLines renders the month, and the posts of the selected day below it.
func (m *Model) monthLines(width, height int) []string {
	s, f := m.PostScene(), m.feed()
	start, _ := monthPeriod(m.month.first)
	days := monthDays(f, start)
	title := s.Theme.Title.Render(m.month.first.Format("January 2006"))
	if width < minMonthWidth || s.Theme.Plain {
		return append([]string{title}, m.monthList(s, days, start, width, height-1)...)
	}
	weeks, rows := m.monthSize(height)
	cell := width / 7
	lines := []string{monthHead(s, m.month.first, cell)}
	for w := range weeks {
		var cells [7][]string
		for d := range cells {
			day := start.AddDate(0, 0, 7*w+d)
			cells[d] = m.monthCell(s, days[7*w+d], day, cell-1, rows)
		}
		lines = append(lines, besides(cells[:], cell, rows)...)
	}
	if room := height - len(lines) - 1; room > 0 {
		lines = append(lines, m.ruleLine(width))
		lines = append(lines, m.dayPane(s, days, start, width, room)...)
	}
	return lines
}

// monthSize returns how many weeks the month shows, and how many lines each has.
func (m *Model) monthSize(height int) (weeks, rows int) {
	start, _ := monthPeriod(m.month.first)
	weeks = monthWeeks
	for weeks > 4 && !monthOf(start.AddDate(0, 0, 7*(weeks-1)), m.Zone).Equal(m.month.first) {
		weeks-- // it has no day of the month
	}
	const headLines, leastPane = 1, 4
	return weeks, max(1, (height-headLines-max(leastPane, height/4))/weeks)
}

// besides puts columns next to each other.
func besides(columns [][]string, width, height int) []string {
	lines := make([]string, height)
	for row := range lines {
		var line strings.Builder
		for _, c := range columns {
			text := ""
			if row < len(c) {
				text = c[row]
			}
			line.WriteString(screen.PadRight(text, width-1) + " ")
		}
		lines[row] = strings.TrimRight(line.String(), " ")
	}
	return lines
}

// monthHead renders the names of the weekdays.
func monthHead(s postlist.Scene, first time.Time, cell int) string {
	var line strings.Builder
	for d := range 7 {
		name := weekOf(first, s.Zone).AddDate(0, 0, d).Format("Mon")
		line.WriteString(screen.PadRight("  "+s.Theme.Title.Render(name), cell-1) + " ")
	}
	return strings.TrimRight(line.String(), " ")
}

// monthCell renders a day: its number, the number of its posts, and the first of them.
func (m *Model) monthCell(s postlist.Scene, d monthDay, day time.Time, width, rows int) []string {
	selected := day.Equal(m.month.day)
	number := day.Format("2")
	if day.Day() == 1 && width > minMonthText {
		number = day.Format("2 Jan")
	}
	switch {
	case day.Equal(postlist.DayOf(s.Now, s.Zone)):
		number = s.Theme.Today(number)
	case monthOf(day, s.Zone).Equal(m.month.first):
		number = s.Theme.Title.Render(number)
	default:
		number = s.Theme.Faint.Render(number)
	}
	head := s.Theme.Mark(selected) + number
	lines := []string{m.monthCellHead(s, head, d, day, width)}
	if width < minMonthText {
		return lines
	}
	room := rows - 1
	if len(d.posts) > room && room > 2 {
		room-- // for the number of the others
	}
	shown := postsAround(d.posts, m.feed().Selected, room)
	for _, p := range shown {
		here := selected && p.index == m.feed().Selected
		c := column{width: width, height: 1, each: 1, day: day}
		lines = append(lines, weekPost(s, *p.Post, here, c)...)
	}
	if left := len(d.posts) - len(shown); left > 0 && room < rows-1 {
		lines = append(lines, s.Theme.Faint.Render(screen.Clip(fmt.Sprintf("  +%d more", left), width)))
	}
	return lines
}

// monthCellHead renders the first line of a day: its number, blackouts, failures and the
// number of posts.
func (m *Model) monthCellHead(s postlist.Scene, head string, d monthDay, day time.Time, width int) string {
	count := ""
	switch {
	case d.more:
		count = "…"
	case len(d.posts) > 0:
		count = fmt.Sprint(len(d.posts))
	}
	if slices.ContainsFunc(d.posts, func(p monthPost) bool { return p.Status == schedctl.Failed }) {
		count = s.Theme.Status(schedctl.Failed) + count
	}
	signs, shades := "", m.shadesOf(day, m.feed().Query.AccountID)
	for _, hold := range []bool{false, true} {
		if slices.ContainsFunc(shades, func(sh postlist.Shade) bool { return sh.Hold == hold }) {
			draw, sign := shading(s.Theme, hold)
			signs += draw.Render(strings.Repeat(sign, 2))
		}
	}
	if signs != "" {
		head += " " + postlist.Truncate(signs, width-ansi.StringWidth(head)-ansi.StringWidth(count)-2)
	}
	return screen.Justify(head, count, width)
}

// postsAround returns at most n posts of a day around the selected one, or the first ones.
func postsAround(posts []monthPost, selected, n int) []monthPost {
	at := max(0, slices.IndexFunc(posts, func(p monthPost) bool { return p.index == selected }))
	first := max(0, min(at-n/2, len(posts)-n))
	return posts[first:min(len(posts), first+max(0, n))]
}

// dayPane renders the posts of the selected day.
func (m *Model) dayPane(s postlist.Scene, days [7 * monthWeeks]monthDay, start time.Time, width, height int) []string {
	day := m.month.day
	i := dayIndex(start, day)
	if i < 0 {
		return nil
	}
	title := s.Heading(day) + ", " + screen.Plural(len(days[i].posts), "post")
	if days[i].more {
		title = s.Heading(day) + ", loading …"
	}
	lines := []string{s.Theme.Title.Render(screen.Clip(title, width))}
	for _, sh := range m.shadesOf(day, m.feed().Query.AccountID) {
		lines = append(lines, shadeLine(s, sh, sh.Sentence(day), width))
	}
	shown, first := m.dayPosts(days, start, height)
	lines = lines[:min(len(lines), first)]
	for _, p := range shown {
		lines = append(lines, postlist.AgendaRow(s, *p.Post, p.index == m.feed().Selected, width)...)
	}
	return lines
}

// dayPosts returns the posts of the selected day that fit below its heading and blackouts,
// and the line of the first one.
func (m *Model) dayPosts(days [7 * monthWeeks]monthDay, start time.Time, height int) (shown []monthPost, first int) {
	i := dayIndex(start, m.month.day)
	if i < 0 || height < 1 {
		return nil, 0
	}
	first = min(1+len(m.shadesOf(m.month.day, m.feed().Query.AccountID)), max(1, height/2))
	return postsAround(days[i].posts, m.feed().Selected, height-first), first
}

// dayIndex returns the position of a day in the days of a month, or -1.
func dayIndex(start, day time.Time) int {
	for d := range 7 * monthWeeks {
		if start.AddDate(0, 0, d).Equal(day) {
			return d
		}
	}
	return -1
}

// monthList renders the days with posts below each other, and the posts of the selected day.
func (m *Model) monthList(s postlist.Scene, days [7 * monthWeeks]monthDay, start time.Time, width, height int) []string {
	var lines []string
	at := 0
	for d, list := range days {
		day := start.AddDate(0, 0, d)
		here := day.Equal(m.month.day)
		if !here && (len(list.posts) == 0 || !monthOf(day, s.Zone).Equal(m.month.first)) {
			continue
		}
		if here {
			at = len(lines)
		}
		text := day.Format("Monday 2 January") + ": " + screen.Plural(len(list.posts), "post")
		lines = append(lines, screen.Clip(s.Theme.Mark(here)+s.Theme.Row(text, here), width))
		if !here {
			continue
		}
		for _, sh := range m.shadesOf(day, m.feed().Query.AccountID) {
			lines = append(lines, screen.Wrap(sh.Sentence(day), width)...)
		}
		for _, p := range postsAround(list.posts, m.feed().Selected, height) {
			selected := p.index == m.feed().Selected
			if selected && m.month.inDay {
				at = len(lines)
			}
			lines = append(lines, postlist.AgendaRow(s, *p.Post, selected, width)...)
		}
	}
	return screen.LinesAround(lines, at, height)
}
