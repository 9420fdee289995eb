package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// minGridWidth is the width from which the days of the week are shown next to each
// other.
const minGridWidth = 77

// previewLines is the number of lines for the selected post below the days.
const previewLines = 3

// maxPostLines is the maximum number of lines of a post in the week.
const maxPostLines = 4

// weekEntry is a post and its position in the feed.
type weekEntry struct {
	post  apiv1.Post
	index int
}

// weekGrid renders the days of a week next to each other, and a preview of the
// selected post below.
func weekGrid(s drawContext, f *feed, week time.Time, width, height int) []string {
	cell, rows := width/7, height-2-previewLines
	days, more := weekDays(s, f, week)
	each := maxPostLines
	for d := range days {
		each = max(1, min(each, rows/max(1, len(days[d]))))
	}
	var cells [7][]string
	for d := range days {
		cells[d] = weekDay(s, days[d], f.selected, more[d], column{width: cell - 1, height: rows, each: each})
	}
	lines := []string{weekHead(s, week, cell), ""}
	for row := range max(0, rows) {
		var line strings.Builder
		for d := range cells {
			text := ""
			if row < len(cells[d]) {
				text = cells[d][row]
			}
			line.WriteString(padRight(text, cell-1) + " ")
		}
		lines = append(lines, strings.TrimRight(line.String(), " "))
	}
	return append(lines, weekPreview(s, f, width)...)
}

func weekHead(s drawContext, week time.Time, cell int) string {
	var line strings.Builder
	for d := range 7 {
		day := week.AddDate(0, 0, d)
		name := s.theme.title.Render(clip(day.Format("Mon _2"), cell-1))
		if day.Equal(dayOf(s.now, s.zone)) {
			name = s.theme.today(day.Format("Mon _2"))
		}
		line.WriteString(padRight(name, cell-1) + " ")
	}
	return strings.TrimRight(line.String(), " ")
}

// weekDays returns the posts of each day, and the days with posts that are not
// loaded.
func weekDays(s drawContext, f *feed, week time.Time) (days [7][]weekEntry, more [7]bool) {
	index, last, gap := 0, 0, false
	var starts [8]time.Time
	for d := range starts {
		starts[d] = week.AddDate(0, 0, d)
	}
	mark := func(until int) {
		for d := last; gap && d <= until; d++ {
			more[d] = true
		}
	}
	for _, pg := range f.pages {
		gap = gap || !pg.loaded
		for j, p := range pg.posts {
			if p.PublishAt == nil {
				continue
			}
			for d := range days {
				if !p.PublishAt.Before(starts[d]) && p.PublishAt.Before(starts[d+1]) {
					mark(d)
					days[d], last, gap = append(days[d], weekEntry{p, index + j}), d, false
				}
			}
		}
		index += pg.count
	}
	gap = gap || f.next != ""
	mark(len(days) - 1)
	return days, more
}

// column is the space for one day.
type column struct {
	width, height int
	each          int // maximum lines per post
}

// weekDay renders the posts of one day. If they do not fit, it renders those near
// the selected post.
func weekDay(s drawContext, posts []weekEntry, selected int, more bool, c column) (lines []string) {
	at := 0
	for i, p := range posts {
		if p.index == selected {
			at = i
		}
		lines = append(lines, weekPost(s, p.post, p.index == selected, c)...)
	}
	if !more && len(lines) <= c.height || c.height < 2 {
		return lines
	}
	count := fmt.Sprintf("%d posts", len(posts))
	switch {
	case more && len(posts) == 0:
		count = "…"
	case more:
		count = fmt.Sprintf("%d+ posts", len(posts))
	}
	shown := linesAround(lines, at*c.each, c.height-1)
	return append(shown[:len(shown):len(shown)], s.theme.faint.Render(clip(count, c.width)))
}

// weekPost renders a post: its time and, next to it or below, its text.
func weekPost(s drawContext, p apiv1.Post, selected bool, c column) []string {
	sign := s.theme.status(p.Status) + " "
	if selected {
		sign = s.theme.mark(true)
	}
	clock, room := p.PublishAt.In(s.zone).Format("15:04"), c.width-2
	text := excerpt(postText(p), maxPostLines*c.width)
	if c.each == 1 {
		return []string{sign + s.theme.row(truncate(clock+" "+text, room), selected)}
	}
	lines := []string{sign + s.theme.row(clock, selected)}
	for i, l := range wrap(text, room) {
		if i == c.each-1 {
			break
		}
		lines = append(lines, "  "+s.theme.row(l, selected))
	}
	return lines
}

// weekPreview renders more of the selected post.
func weekPreview(s drawContext, f *feed, width int) []string {
	lines := []string{"", "", ""}
	p, ok := f.current()
	if !ok || p.PublishAt == nil {
		return lines
	}
	state := string(p.Status)
	if p.Status == schedctl.Scheduled {
		state += " " + relativeTime(p.PublishAt.Sub(s.now))
	}
	if _, changing := s.busy[p.ID]; changing {
		state = "saving…"
	}
	when := s.theme.title.Render(p.PublishAt.In(s.zone).Format("Monday 15:04")) + "  " + s.theme.status(p.Status) + " " + state
	lines[1] = clip(when+"  "+s.theme.faint.Render("to "+s.accounts(p.SocialAccountIDs)), width)
	lines[2] = excerpt(postText(p), width)
	return lines
}

// truncate shortens a text to a width, without an ellipsis.
func truncate(text string, width int) string { return ansi.Truncate(text, max(0, width), "") }
