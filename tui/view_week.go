package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// minGridWidth is the width from which the days of the week are shown next to each
// other.
const minGridWidth = 77

// readableFrom is the width from which each post of the week has a line for its text.
const readableFrom = 120

// previewLines is the number of lines for the selected post below the days.
const previewLines = 3

// maxPostLines is the maximum number of lines of a post in the week.
const maxPostLines = 4

// weekEntry is a post and its position in the feed, or a free slot.
type weekEntry struct {
	post  apiv1.Post
	index int            // of the post, or noPost
	ghost postlist.Ghost // if index is noPost
}

func (e weekEntry) at() time.Time {
	if e.index == postlist.NoPost {
		return e.ghost.At.Time
	}
	return postlist.Planned(e.post).Time
}

// weekCell is one day of the week as it is drawn.
type weekCell struct {
	lines   []string
	entries []weekEntry
	owner   []int // the index in entries of each line, or noPost
}

func (c *weekCell) add(owner int, lines ...string) {
	for _, l := range lines {
		c.lines, c.owner = append(c.lines, l), append(c.owner, owner)
	}
}

// weekGrid renders the days of the week next to each other, and a preview of the
// selected post or slot below.
func (m *Model) weekGrid(width, height int) []string {
	s, f := m.PostScene(), m.feed()
	cell, rows := width/7, height-weekHeadLines-previewLines
	var columns [][]string
	for _, c := range m.weekCells(s, width, rows) {
		columns = append(columns, c.lines)
	}
	lines := append([]string{weekHead(s, m.week, cell), ""}, besides(columns, cell, max(0, rows))...)
	if chosen, isGhost := m.selectedGhost(); isGhost {
		return append(lines, m.ghostPreview(chosen, width)...)
	}
	return append(lines, weekPreview(s, f, width)...)
}

// weekHeadLines is the number of lines above the days of the week.
const weekHeadLines = 2

// weekCells draws the days of the week.
func (m *Model) weekCells(s postlist.Scene, width, rows int) (cells [7]weekCell) {
	f := m.feed()
	days, more := weekDays(f, m.week)
	chosen, isGhost := m.selectedGhost()
	selected := func(e weekEntry) bool {
		if e.index == postlist.NoPost {
			return isGhost && e.ghost.Key() == chosen.Key()
		}
		return !isGhost && e.index == f.Selected
	}
	m.addGhosts(&days)
	each, least := maxPostLines, 1
	if width >= readableFrom {
		least = 2 // a line for the text alone
	}
	var shades [7][]postlist.Shade
	for d := range days {
		shades[d] = m.shadesOf(m.week.AddDate(0, 0, d), f.Query.AccountID)
		posts := 0
		for _, e := range days[d] {
			if e.index != postlist.NoPost {
				posts++
			}
		}
		each = max(least, min(each, (rows-(len(days[d])-posts)-2*len(shades[d]))/max(1, posts)))
	}
	for d := range days {
		c := column{width: width/7 - 1, height: rows, each: each, day: m.week.AddDate(0, 0, d)}
		cells[d] = weekDay(s, days[d], shades[d], selected, more[d], c)
	}
	return cells
}

// addGhosts inserts the free slots into the days of the week.
func (m *Model) addGhosts(days *[7][]weekEntry) {
	for _, g := range m.ghosts() {
		for d := range days {
			if start := m.week.AddDate(0, 0, d); g.At.Before(start) || !g.At.Before(start.AddDate(0, 0, 1)) {
				continue
			}
			i := len(days[d])
			for i > 0 && days[d][i-1].at().After(g.At.Time) {
				i--
			}
			days[d] = slices.Insert(days[d], i, weekEntry{index: postlist.NoPost, ghost: g})
		}
	}
}

// weekIsShaded reports whether a blackout is in the displayed week.
func (m *Model) weekIsShaded() bool {
	for d := range 7 {
		if len(m.shadesOf(m.week.AddDate(0, 0, d), m.feeds[tabWeek].Query.AccountID)) > 0 {
			return true
		}
	}
	return false
}

func weekHead(s postlist.Scene, week time.Time, cell int) string {
	var line strings.Builder
	for d := range 7 {
		day := week.AddDate(0, 0, d)
		name := s.Theme.Title.Render(screen.Clip(day.Format("Mon _2"), cell-1))
		if day.Equal(postlist.DayOf(s.Now, s.Zone)) {
			name = s.Theme.Today(day.Format("Mon _2"))
		}
		line.WriteString(screen.PadRight(name, cell-1) + " ")
	}
	return strings.TrimRight(line.String(), " ")
}

// weekDays returns the posts of each day, and the days with posts that are not
// loaded.
func weekDays(f *postlist.Feed, week time.Time) (days [7][]weekEntry, more [7]bool) {
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
	for _, pg := range f.Pages {
		gap = gap || !pg.Loaded
		for j, p := range pg.Posts {
			if postlist.Planned(p) == nil {
				continue
			}
			for d := range days {
				if at := postlist.Planned(p); !at.Before(starts[d]) && at.Before(starts[d+1]) {
					mark(d)
					days[d], last, gap = append(days[d], weekEntry{post: p, index: index + j}), d, false
				}
			}
		}
		index += pg.Count
	}
	gap = gap || f.Next != ""
	mark(len(days) - 1)
	for d := range days { // a post that is being moved is not at its place yet
		slices.SortStableFunc(days[d], func(a, b weekEntry) int { return a.at().Compare(b.at()) })
	}
	return days, more
}

// column is the space for one day.
type column struct {
	width, height int
	each          int // maximum lines per post
	day           time.Time
}

// weekDay renders the posts, free slots and blackouts of one day. If they do not fit, it
// renders those near the selected one.
func weekDay(s postlist.Scene, entries []weekEntry, shades []postlist.Shade, selected func(weekEntry) bool, more bool, c column) weekCell {
	cell := weekCell{entries: entries}
	at, posts, next := 0, 0, 0
	shadeUntil := func(t time.Time) {
		for ; next < len(shades) && !shades[next].From.After(t); next++ {
			cell.add(postlist.NoPost, weekShade(s, shades[next], c)...)
		}
	}
	chosen := max(0, slices.IndexFunc(entries, selected))
	for i, e := range entries {
		if e.index != postlist.NoPost {
			posts++
		}
		if i < chosen-c.height || i > chosen+c.height {
			continue // too far from the selected one to be seen
		}
		shadeUntil(e.at())
		if selected(e) {
			at = len(cell.lines)
		}
		if e.index == postlist.NoPost {
			cell.add(i, weekGhost(s, e.ghost, selected(e), c))
			continue
		}
		cell.add(i, weekPost(s, e.post, selected(e), c)...)
	}
	shadeUntil(c.day.AddDate(0, 0, 1))
	if !more && len(cell.lines) <= c.height && posts <= c.height || c.height < 2 {
		cell.add(postlist.NoPost, fillShade(s, cell.lines, shades, c)[len(cell.lines):]...)
		return cell
	}
	count := fmt.Sprintf("%d posts", posts)
	switch {
	case more && posts == 0:
		count = "…"
	case more:
		count = fmt.Sprintf("%d+ posts", posts)
	case posts < len(entries):
		count = fmt.Sprintf("%d+%d free", posts, len(entries)-posts)
	}
	cell.lines, cell.owner = screen.LinesAround(cell.lines, at, c.height-1), screen.LinesAround(cell.owner, at, c.height-1)
	cell.add(postlist.NoPost, s.Theme.Faint.Render(screen.Clip(count, c.width)))
	return cell
}

// weekGhost renders a free slot.
func weekGhost(s postlist.Scene, g postlist.Ghost, selected bool, c column) string {
	const least = 6 // columns for the name of the queue
	text := g.At.In(s.Zone).Format("15:04")
	if room := c.width - len("+ 15:04 "); room >= least {
		text += " " + screen.Clip(screen.OneLine(g.Queue), room)
	}
	text = postlist.Truncate(text, c.width-2)
	if selected {
		return s.Theme.Mark(true) + s.Theme.Row(text, true)
	}
	return s.Theme.Faint.Render("+ " + text)
}

// weekPost renders a post: its time with tags and marks, and its text next to it or below.
func weekPost(s postlist.Scene, p apiv1.Post, selected bool, c column) []string {
	sign := s.Theme.Status(p.Status) + " "
	if selected || s.Marks.Has(p.ID) {
		sign = s.RowMark(p.ID, selected)
	}
	clock, room := postlist.Planned(p).In(s.Zone).Format("15:04"), c.width-2
	text := screen.Excerpt(postlist.PostText(p), maxPostLines*c.width)
	if words, moving := s.Moves[p.ID]; moving {
		sign = s.Theme.Warn.Render(s.Theme.Glyphs.Moving) + " "
		text = strings.TrimSpace(words + " " + text)
	}
	if c.each == 1 {
		head := lineHead(s, p, min(room-len(clock)-1, max(leastHead, room*2/5)))
		head = clock + " " + head
		if left := room - ansi.StringWidth(head) - 1; left > 1 {
			head += " " + postlist.Truncate(text, left)
		}
		return []string{sign + s.Theme.Row(head, selected)}
	}
	head, tagged := cellHead(s, p, room-len(clock)-1)
	lines := []string{sign + s.Theme.Row(clock+" "+head, selected)}
	indent := "" // of the first line of the text
	if !tagged {
		indent = strings.Repeat("_", screen.TagWidth+1)
	}
	for i, l := range screen.Wrap(indent+text, room) {
		if i == c.each-1 {
			break
		}
		if rest, ok := strings.CutPrefix(l, indent); i == 0 && ok && !tagged {
			l = s.PostTags(p, screen.TagWidth) + " " + rest
		}
		lines = append(lines, "  "+s.Theme.Row(l, selected))
	}
	return lines
}

// leastHead is the number of columns for tags and marks next to the text of a post.
const leastHead = 5

// cellHead renders the tags of the accounts of a post and its marks, in at most width
// columns. If only one of both fits, it is the marks; tagged reports whether the tags fit.
func cellHead(s postlist.Scene, p apiv1.Post, width int) (head string, tagged bool) {
	marks := s.CellMarks(p)
	room := width
	if marks != "" {
		room -= ansi.StringWidth(marks) + 1
	}
	tags := s.PostTags(p, room)
	switch {
	case tags == "":
		return postlist.Truncate(marks, width), len(p.SocialAccountIDs) == 0
	case marks == "":
		return tags, true
	}
	return tags + " " + marks, true
}

// lineHead renders tags and marks of a post that has one line, in at most width columns. If
// not all fit, marks are left out before tags.
func lineHead(s postlist.Scene, p apiv1.Post, width int) string {
	room := width
	if len(p.SocialAccountIDs) > 0 {
		room -= screen.TagWidth + 1
	}
	marks := postlist.Truncate(s.CellMarks(p), room)
	if marks != "" {
		width -= ansi.StringWidth(marks) + 1
	}
	return strings.TrimSpace(s.PostTags(p, width) + " " + marks)
}

// weekPreview renders more of the selected post.
func weekPreview(s postlist.Scene, f *postlist.Feed, width int) []string {
	lines := []string{"", "", ""}
	p, ok := f.Current()
	if !ok || postlist.Planned(p) == nil {
		return lines
	}
	state := postlist.StateWord(p)
	if p.Status == schedctl.Scheduled {
		state += " " + screen.RelativeTime(p.PublishAt.Sub(s.Now))
	}
	if _, changing := s.Busy[p.ID]; changing {
		state = "saving…"
	}
	when := s.Theme.Title.Render(postlist.Planned(p).In(s.Zone).Format("Monday 15:04")) + "  " + s.Theme.Status(p.Status) + postlist.ReviewMarks(s.Theme, p) + " " + strings.Join(append([]string{state}, s.KindWords(p)...), ", ")
	if p.QueueID != nil {
		state = ", queue " + s.QueueName(*p.QueueID)
		when += state
	}
	lines[1] = screen.Clip(when+"  "+"to "+s.TaggedAccounts(p.SocialAccountIDs), width)
	lines[2] = screen.Excerpt(postlist.PostText(p), width)
	return lines
}
