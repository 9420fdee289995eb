package month

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
	minWidth = 28 // from which the days of a week are next to each other
	minText  = 10 // columns of a day from which it shows posts
)

// Lines renders the month, and the posts of the selected day below it.
func (s *Screen) Lines(width, height int) []string {
	sc, f := s.frame.PostScene(), &s.Posts
	if f.Err != nil && f.Size() == 0 {
		return screen.EmptyMessage(sc.Scene, false, f.Err, "", width)
	}
	start, _ := period(s.first)
	days := postsByDay(f, start)
	title := sc.Theme.Title.Render(s.first.Format("January 2006"))
	if width < minWidth || sc.Theme.Plain {
		return append([]string{title}, s.list(sc, days, start, width, height-1)...)
	}
	weeks, rows := s.size(height)
	cell := width / 7
	lines := []string{head(sc, s.first, cell)}
	for w := range weeks {
		var cells [7][]string
		for d := range cells {
			day := start.AddDate(0, 0, 7*w+d)
			cells[d] = s.cell(sc, days[7*w+d], day, cell-1, rows)
		}
		lines = append(lines, screen.Columns(cells[:], cell, rows)...)
	}
	if room := height - len(lines) - 1; room > 0 {
		lines = append(lines, s.frame.Current().Theme.RuleLine(width))
		lines = append(lines, s.dayPane(sc, days, start, width, room)...)
	}
	return lines
}

// size returns how many weeks the month shows, and how many lines each has.
func (s *Screen) size(height int) (weeks, rows int) {
	start, _ := period(s.first)
	weeks = maxWeeks
	for weeks > 4 && !postlist.MonthOf(start.AddDate(0, 0, 7*(weeks-1)), s.frame.Current().Zone).Equal(s.first) {
		weeks-- // it has no day of the month
	}
	const headLines, leastPane = 1, 4
	return weeks, max(1, (height-headLines-max(leastPane, height/4))/weeks)
}

// head renders the names of the weekdays.
func head(sc postlist.Scene, first time.Time, cell int) string {
	var line strings.Builder
	for d := range 7 {
		name := postlist.WeekOf(first, sc.Zone).AddDate(0, 0, d).Format("Mon")
		line.WriteString(screen.PadRight("  "+sc.Theme.Title.Render(name), cell-1) + " ")
	}
	return strings.TrimRight(line.String(), " ")
}

// cell renders a day: its number, the number of its posts, and the first of them.
func (s *Screen) cell(sc postlist.Scene, d dayList, day time.Time, width, rows int) []string {
	selected := day.Equal(s.day)
	number := day.Format("2")
	if day.Day() == 1 && width > minText {
		number = day.Format("2 Jan")
	}
	switch {
	case day.Equal(postlist.DayOf(sc.Now, sc.Zone)):
		number = sc.Theme.Today(number)
	case postlist.MonthOf(day, sc.Zone).Equal(s.first):
		number = sc.Theme.Title.Render(number)
	default:
		number = sc.Theme.Faint.Render(number)
	}
	head := sc.Theme.Mark(selected) + number
	lines := []string{s.cellHead(sc, head, d, day, width)}
	if width < minText {
		return lines
	}
	room := rows - 1
	if len(d.posts) > room && room > 2 {
		room-- // for the number of the others
	}
	shown := postsAround(d.posts, s.Posts.Selected, room)
	for _, p := range shown {
		here := selected && p.index == s.Posts.Selected
		c := postlist.Cell{Width: width, Height: 1, Each: 1, Day: day}
		lines = append(lines, postlist.CellLines(sc, *p.Post, here, c)...)
	}
	if left := len(d.posts) - len(shown); left > 0 && room < rows-1 {
		lines = append(lines, sc.Theme.Faint.Render(screen.Clip(fmt.Sprintf("  +%d more", left), width)))
	}
	return lines
}

// cellHead renders the first line of a day: its number, blackouts, failures and the
// number of posts.
func (s *Screen) cellHead(sc postlist.Scene, head string, d dayList, day time.Time, width int) string {
	count := ""
	switch {
	case d.more:
		count = "…"
	case len(d.posts) > 0:
		count = fmt.Sprint(len(d.posts))
	}
	if slices.ContainsFunc(d.posts, func(p dayPost) bool { return p.Status == schedctl.Failed }) {
		count = sc.Theme.Status(schedctl.Failed) + count
	}
	signs, shades := "", s.frame.PostScene().ShadesOf(day, s.Posts.Query.AccountID)
	for _, hold := range []bool{false, true} {
		if slices.ContainsFunc(shades, func(sh postlist.Shade) bool { return sh.Hold == hold }) {
			draw, sign := postlist.Shading(sc.Theme, hold)
			signs += draw.Render(strings.Repeat(sign, 2))
		}
	}
	if signs != "" {
		head += " " + postlist.Truncate(signs, width-ansi.StringWidth(head)-ansi.StringWidth(count)-2)
	}
	return screen.Justify(head, count, width)
}

// postsAround returns at most n posts of a day around the selected one, or the first ones.
func postsAround(posts []dayPost, selected, n int) []dayPost {
	at := max(0, slices.IndexFunc(posts, func(p dayPost) bool { return p.index == selected }))
	first := max(0, min(at-n/2, len(posts)-n))
	return posts[first:min(len(posts), first+max(0, n))]
}

// dayPane renders the posts of the selected day.
func (s *Screen) dayPane(sc postlist.Scene, days [7 * maxWeeks]dayList, start time.Time, width, height int) []string {
	day := s.day
	i := dayIndex(start, day)
	if i < 0 {
		return nil
	}
	title := sc.Heading(day) + ", " + screen.Plural(len(days[i].posts), "post")
	if days[i].more {
		title = sc.Heading(day) + ", loading …"
	}
	lines := []string{sc.Theme.Title.Render(screen.Clip(title, width))}
	for _, sh := range s.frame.PostScene().ShadesOf(day, s.Posts.Query.AccountID) {
		lines = append(lines, postlist.ShadeLine(sc, sh, sh.Sentence(day), width))
	}
	shown, first := s.dayPosts(days, start, height)
	lines = lines[:min(len(lines), first)]
	for _, p := range shown {
		lines = append(lines, postlist.AgendaRow(sc, *p.Post, p.index == s.Posts.Selected, width)...)
	}
	return lines
}

// dayPosts returns the posts of the selected day that fit below its heading and blackouts,
// and the line of the first one.
func (s *Screen) dayPosts(days [7 * maxWeeks]dayList, start time.Time, height int) (shown []dayPost, first int) {
	i := dayIndex(start, s.day)
	if i < 0 || height < 1 {
		return nil, 0
	}
	first = min(1+len(s.frame.PostScene().ShadesOf(s.day, s.Posts.Query.AccountID)), max(1, height/2))
	return postsAround(days[i].posts, s.Posts.Selected, height-first), first
}

// dayIndex returns the position of a day in the days of a month, or -1.
func dayIndex(start, day time.Time) int {
	for d := range 7 * maxWeeks {
		if start.AddDate(0, 0, d).Equal(day) {
			return d
		}
	}
	return -1
}

// list renders the days with posts below each other, and the posts of the selected day.
func (s *Screen) list(sc postlist.Scene, days [7 * maxWeeks]dayList, start time.Time, width, height int) []string {
	var lines []string
	at := 0
	for d, list := range days {
		day := start.AddDate(0, 0, d)
		here := day.Equal(s.day)
		if !here && (len(list.posts) == 0 || !postlist.MonthOf(day, sc.Zone).Equal(s.first)) {
			continue
		}
		if here {
			at = len(lines)
		}
		text := day.Format("Monday 2 January") + ": " + screen.Plural(len(list.posts), "post")
		lines = append(lines, screen.Clip(sc.Theme.Mark(here)+sc.Theme.Row(text, here), width))
		if !here {
			continue
		}
		for _, sh := range s.frame.PostScene().ShadesOf(day, s.Posts.Query.AccountID) {
			lines = append(lines, screen.Wrap(sh.Sentence(day), width)...)
		}
		for _, p := range postsAround(list.posts, s.Posts.Selected, height) {
			selected := p.index == s.Posts.Selected
			if selected && s.inDay {
				at = len(lines)
			}
			lines = append(lines, postlist.AgendaRow(sc, *p.Post, selected, width)...)
		}
	}
	return screen.LinesAround(lines, at, height)
}

// Scroll implements [postlist.Holder]: the lines are always around the selection.
func (s *Screen) Scroll(int, int) { s.Posts.Top = s.Posts.Selected }

// Click selects a day, or a post of the selected day below the month.
func (s *Screen) Click(x, row, width, height int) (again bool) {
	switch day, index := s.at(x, row, width, height); {
	case !day.IsZero():
		s.GoTo(day)
	case index != postlist.NoPost:
		again = s.ClickPost(index)
		s.inDay = true
	}
	return again
}

// at returns what is at a column and row of Lines: a day, or the position of a post of the
// selected day in the feed.
func (s *Screen) at(x, row, width, height int) (day time.Time, index int) {
	if width < minWidth || s.frame.Current().Theme.Plain {
		return time.Time{}, postlist.NoPost
	}
	start, _ := period(s.first)
	weeks, rows := s.size(height)
	d, line := x/max(1, width/7), row-1
	if week := line / rows; line >= 0 && week < weeks && d < 7 {
		return start.AddDate(0, 0, 7*week+d), postlist.NoPost
	}
	days := postsByDay(&s.Posts, start)
	pane := row - 1 - weeks*rows - 1 // below the rule
	shown, first := s.dayPosts(days, start, height-1-weeks*rows-1)
	if i := pane - first; i >= 0 && i < len(shown) {
		return time.Time{}, shown[i].index
	}
	return time.Time{}, postlist.NoPost
}
