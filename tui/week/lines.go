package week

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// minWidth is the width from which the days fit next to each other.
const minWidth = 77

// readableFrom is the width from which each post of the week has a line for its text.
const readableFrom = 120

// previewLines is the number of lines for the selected post below the days.
const previewLines = 3

// view is the posts and free slots of a week, for rendering.
type view struct {
	postlist.Scene
	feed   *postlist.Feed
	monday time.Time        // the start of the week
	ghosts []postlist.Ghost // in order of time
	chosen *postlist.Ghost  // the selected slot, or nil if a post is selected
}

// dayCell is one day of the week as it is drawn.
type dayCell struct {
	lines   []string
	entries []postlist.Entry
	owner   []int // the index in entries of each line, or NoPost
}

func (c *dayCell) add(owner int, lines ...string) {
	for _, l := range lines {
		c.lines, c.owner = append(c.lines, l), append(c.owner, owner)
	}
}

// lines renders the days of the week next to each other, and a preview of the selected post
// or slot below.
func (v view) lines(width, height int) []string {
	cell, rows := width/7, height-headLines-previewLines
	var columns [][]string
	for _, c := range v.cells(width, rows) {
		columns = append(columns, c.lines)
	}
	lines := append([]string{v.head(cell), ""}, screen.Columns(columns, cell, max(0, rows))...)
	if v.chosen != nil {
		return append(lines, v.ghostPreview(*v.chosen, width)...)
	}
	return append(lines, v.preview(width)...)
}

// at returns the post or slot at a column and row of lines, and the number of its day.
func (v view) at(x, row, width, height int) (e postlist.Entry, day int, ok bool) {
	cells := v.cells(width, height-headLines-previewLines)
	d, line := x/max(1, width/7), row-headLines
	if d >= len(cells) || line < 0 || line >= len(cells[d].owner) || cells[d].owner[line] == postlist.NoPost {
		return postlist.Entry{}, 0, false
	}
	return cells[d].entries[cells[d].owner[line]], d, true
}

// isShaded reports whether a blackout is in the week.
func (v view) isShaded() bool {
	for d := range 7 {
		if len(v.ShadesOf(v.monday.AddDate(0, 0, d), v.feed.Query.AccountID)) > 0 {
			return true
		}
	}
	return false
}

// headLines is the number of lines above the days of the week.
const headLines = 2

// cells draws the days of the week.
func (v view) cells(width, rows int) (cells [7]dayCell) {
	f := v.feed
	days, more := weekDays(f, v.monday)
	selected := func(e postlist.Entry) bool {
		if e.Index == postlist.NoPost {
			return v.chosen != nil && e.Ghost.Key() == v.chosen.Key()
		}
		return v.chosen == nil && e.Index == f.Selected
	}
	v.addGhosts(&days)
	each, least := postlist.MaxPostLines, 1
	if width >= readableFrom {
		least = 2 // a line for the text alone
	}
	var shades [7][]postlist.Shade
	for d := range days {
		shades[d] = v.ShadesOf(v.monday.AddDate(0, 0, d), f.Query.AccountID)
		posts := 0
		for _, e := range days[d] {
			if e.Index != postlist.NoPost {
				posts++
			}
		}
		each = max(least, min(each, (rows-(len(days[d])-posts)-2*len(shades[d]))/max(1, posts)))
	}
	for d := range days {
		c := postlist.Cell{Width: width/7 - 1, Height: rows, Each: each, Day: v.monday.AddDate(0, 0, d)}
		cells[d] = weekDay(v.Scene, days[d], shades[d], selected, more[d], c)
	}
	return cells
}

// addGhosts inserts the free slots into the days of the week.
func (v view) addGhosts(days *[7][]postlist.Entry) {
	for _, g := range v.ghosts {
		for d := range days {
			if start := v.monday.AddDate(0, 0, d); g.At.Before(start) || !g.At.Before(start.AddDate(0, 0, 1)) {
				continue
			}
			i := len(days[d])
			for i > 0 && days[d][i-1].At().After(g.At.Time) {
				i--
			}
			days[d] = slices.Insert(days[d], i, postlist.Entry{Index: postlist.NoPost, Ghost: g})
		}
	}
}

// head renders the names of the days.
func (v view) head(cell int) string {
	s := v.Scene
	var line strings.Builder
	for d := range 7 {
		day := v.monday.AddDate(0, 0, d)
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
func weekDays(f *postlist.Feed, week time.Time) (days [7][]postlist.Entry, more [7]bool) {
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
					days[d], last, gap = append(days[d], postlist.Entry{Post: p, Index: index + j, Loaded: true}), d, false
				}
			}
		}
		index += pg.Count
	}
	gap = gap || f.Next != ""
	mark(len(days) - 1)
	for d := range days { // a post that is being moved is not at its place yet
		slices.SortStableFunc(days[d], func(a, b postlist.Entry) int { return a.At().Compare(b.At()) })
	}
	return days, more
}

// weekDay renders the posts, free slots and blackouts of one day. If they do not fit, it
// renders those near the selected one.
func weekDay(s postlist.Scene, entries []postlist.Entry, shades []postlist.Shade, selected func(postlist.Entry) bool, more bool, c postlist.Cell) dayCell {
	cell := dayCell{entries: entries}
	at, posts, next := 0, 0, 0
	shadeUntil := func(t time.Time) {
		for ; next < len(shades) && !shades[next].From.After(t); next++ {
			cell.add(postlist.NoPost, weekShade(s, shades[next], c)...)
		}
	}
	chosen := max(0, slices.IndexFunc(entries, selected))
	for i, e := range entries {
		if e.Index != postlist.NoPost {
			posts++
		}
		if i < chosen-c.Height || i > chosen+c.Height {
			continue // too far from the selected one to be seen
		}
		shadeUntil(e.At())
		if selected(e) {
			at = len(cell.lines)
		}
		if e.Index == postlist.NoPost {
			cell.add(i, weekGhost(s, e.Ghost, selected(e), c))
			continue
		}
		cell.add(i, postlist.CellLines(s, e.Post, selected(e), c)...)
	}
	shadeUntil(c.Day.AddDate(0, 0, 1))
	if !more && len(cell.lines) <= c.Height && posts <= c.Height || c.Height < 2 {
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
	cell.lines, cell.owner = screen.LinesAround(cell.lines, at, c.Height-1), screen.LinesAround(cell.owner, at, c.Height-1)
	cell.add(postlist.NoPost, s.Theme.Faint.Render(screen.Clip(count, c.Width)))
	return cell
}

// weekGhost renders a free slot.
func weekGhost(s postlist.Scene, g postlist.Ghost, selected bool, c postlist.Cell) string {
	const least = 6 // columns for the name of the queue
	text := g.At.In(s.Zone).Format("15:04")
	if room := c.Width - len("+ 15:04 "); room >= least {
		text += " " + screen.Clip(screen.OneLine(g.Queue), room)
	}
	text = postlist.Truncate(text, c.Width-2)
	if selected {
		return s.Theme.Mark(true) + s.Theme.Row(text, true)
	}
	return s.Theme.Faint.Render("+ " + text)
}

// preview renders more of the selected post.
func (v view) preview(width int) []string {
	s, f := v.Scene, v.feed
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

// ghostPreview renders more of the selected slot below the week.
func (v view) ghostPreview(g postlist.Ghost, width int) []string {
	s := v.Scene
	when := s.Theme.Title.Render(g.At.In(s.Zone).Format("Monday 15:04")) + fmt.Sprintf("  + free slot of %s, %s", screen.OneLine(g.Queue), screen.RelativeTime(g.At.Sub(s.Now)))
	lines := []string{"", screen.Clip(when, width), ""}
	if i := slices.IndexFunc(s.Queues, func(q apiv1.Queue) bool { return q.ID == g.QueueID }); i >= 0 {
		q := s.Queues[i]
		lines[2] = s.Theme.Hint.Render(screen.Clip("n writes a post for "+s.QueueAccounts(q)+postlist.NoteText(g.Note), width))
	}
	return lines
}
