package postlist

import (
	"slices"

	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/tui/screen"
)

// EntryRows is a rendered list of posts and slots.
type EntryRows struct {
	Lines   []string
	Entries []Entry
	Owner   []int // the index in Entries of each line, or NoPost
}

// Add adds lines of an entry, or of none.
func (d *EntryRows) Add(owner int, lines ...string) {
	for _, l := range lines {
		d.Lines, d.Owner = append(d.Lines, l), append(d.Owner, owner)
	}
}

// Cut keeps at most height lines around the line at, and returns how many were above them.
func (d *EntryRows) Cut(at, height int) (above int) {
	first := max(0, min(at-height/2, len(d.Lines)-height))
	end := min(len(d.Lines), first+height)
	d.Lines, d.Owner = d.Lines[first:end], d.Owner[first:end]
	return first
}

// Title adds lines above all others.
func (d *EntryRows) Title(lines []string) {
	d.Lines, d.Owner = append(lines, d.Lines...), append(slices.Repeat([]int{NoPost}, len(lines)), d.Owner...)
}

// ClickEntry selects the post or slot on a line. It reports whether that is a post that was
// selected before.
func (l *List) ClickEntry(d EntryRows, row int) (again bool) {
	if row >= len(d.Owner) || d.Owner[row] == NoPost || !d.Entries[d.Owner[row]].Selectable() {
		return false
	}
	e := d.Entries[d.Owner[row]]
	_, ghost := l.SelectedGhost()
	again = e.Index != NoPost && e.Index == l.Posts.Selected && !ghost
	l.selectEntry(d.Entries, d.Owner[row])
	return again
}

// EntryStyle is how a list of posts and slots is rendered.
type EntryStyle struct {
	Post   RowsFunc
	Layout string // of the times of slots
	Named  bool   // slots show the names of their queues
}

// Lines renders a post or a slot.
func (y EntryStyle) Lines(s Scene, e Entry, selected bool, width int) []string {
	switch {
	case e.Index == NoPost:
		return []string{y.ghostRow(s, e.Ghost, selected, width)}
	case !e.Loaded:
		return []string{s.Theme.Mark(selected) + s.Theme.Faint.Render("…")}
	}
	return y.Post(s, e.Post, selected, width)
}

// ghostRow renders a slot without a post.
func (y EntryStyle) ghostRow(s Scene, g Ghost, selected bool, width int) string {
	layout, what := y.Layout, ""
	switch {
	case s.Theme.Plain && g.IsFree():
		layout, what = "", "Free slot "+g.At.In(s.Zone).Format("Mon 2 Jan 15:04")+" of "+screen.OneLine(g.Queue)
	case s.Theme.Plain:
		layout, what = "", "Slot "+g.At.In(s.Zone).Format("Mon 2 Jan 15:04")+": "+GhostState(g)
	case !g.IsFree():
		what = "░ " + GhostState(g)
	case y.Named:
		what = "+ free, " + screen.OneLine(g.Queue)
	default:
		what = "+ free"
	}
	text := screen.Clip(g.At.In(s.Zone).Format(layout)+what+NoteText(g.Note), width-2)
	if selected {
		return s.Theme.Mark(true) + s.Theme.Row(text, true)
	}
	return s.Theme.Mark(false) + s.Theme.Faint.Render(text)
}

// GhostPane renders the details of a slot.
func GhostPane(s Scene, g Ghost, width int) []string {
	lines := []string{s.Theme.Title.Render("Free slot")}
	lines = append(lines, screen.Wrap(when.Format(g.At.In(s.Zone))+", "+screen.RelativeTime(g.At.Sub(s.Now))+NoteText(g.Note), width)...)
	q, ok := s.Queue(g.QueueID)
	if !ok {
		return lines
	}
	lines = append(lines, screen.Wrap("queue "+screen.OneLine(q.Name)+", "+s.QueueAccounts(q), width)...)
	return append(lines, "", s.Theme.Hint.Render("n writes a post for it"))
}
