package tui

import (
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// ghostRow renders a slot without a post.
func (m *Model) ghostRow(g postlist.Ghost, selected bool, width int) string {
	s := m.PostScene()
	layout, what := postlist.ClockLayout+" ", ""
	if m.tab == tabWeek {
		layout = "15:04 "
	}
	switch {
	case s.Theme.Plain && g.IsFree():
		layout, what = "", "Free slot "+g.At.In(s.Zone).Format("Mon 2 Jan 15:04")+" of "+screen.OneLine(g.Queue)
	case s.Theme.Plain:
		layout, what = "", "Slot "+g.At.In(s.Zone).Format("Mon 2 Jan 15:04")+": "+postlist.GhostState(g)
	case !g.IsFree():
		what = "░ " + postlist.GhostState(g)
	case m.tab == tabWeek:
		what = "+ free, " + screen.OneLine(g.Queue)
	default:
		what = "+ free"
	}
	text := g.At.In(s.Zone).Format(layout) + what + postlist.NoteText(g.Note)
	if layout == "" {
		text = what + postlist.NoteText(g.Note)
	}
	text = screen.Clip(text, width-2)
	if selected {
		return s.Theme.Mark(true) + s.Theme.Row(text, true)
	}
	return s.Theme.Mark(false) + s.Theme.Faint.Render(text)
}

// ghostPane renders the details of the selected slot.
func (m *Model) ghostPane(width int) []string {
	g, ok := m.selectedGhost()
	if !ok {
		return nil
	}
	lines := []string{m.Theme.Title.Render("Free slot")}
	lines = append(lines, screen.Wrap(when.Format(g.At.In(m.Zone))+", "+screen.RelativeTime(g.At.Sub(m.Now))+postlist.NoteText(g.Note), width)...)
	q, ok := m.queue(g.QueueID)
	if !ok {
		return lines
	}
	s := m.PostScene()
	lines = append(lines, screen.Wrap("queue "+screen.OneLine(q.Name)+", "+s.QueueAccounts(q), width)...)
	return append(lines, "", s.Theme.Hint.Render("n writes a post for it"))
}
