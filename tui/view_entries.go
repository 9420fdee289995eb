package tui

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// listsEntries reports whether the view is a list of posts and slots.
func (m *Model) listsEntries() bool {
	return m.tab == tabQueues && m.queues.Opened != "" || m.tab == tabWeek && !m.isGrid() && (len(m.ghosts()) > 0 || m.weekView().IsShaded())
}

// drawnEntries is a rendered list of posts and slots.
type drawnEntries struct {
	lines []string
	list  []postlist.Entry
	owner []int // the index in list of each line, or NoPost
}

func (d *drawnEntries) add(owner int, lines ...string) {
	for _, l := range lines {
		d.lines, d.owner = append(d.lines, l), append(d.owner, owner)
	}
}

// listTitle renders the lines above the posts of an open queue.
func (m *Model) listTitle(width int) []string {
	if m.tab != tabQueues {
		return nil
	}
	return m.queues.Title(width)
}

// drawEntries renders the posts and slots near the selection, below a title.
func (m *Model) drawEntries(width, height int) drawnEntries {
	title := m.listTitle(width)
	room := max(1, height-len(title))
	d := drawnEntries{}
	list, selected := m.entries(room)
	d.list = list
	at, day := 0, time.Time{}
	if m.tab == tabWeek {
		day = m.week.AddDate(0, 0, -1)
	}
	for i, e := range list {
		if its := postlist.DayOf(e.At(), m.Zone); m.tab == tabWeek && !e.At().IsZero() && !its.Equal(day) {
			m.addDays(&d, day.AddDate(0, 0, 1), its, i > 0 || len(d.lines) > 0, width)
			day = its
		}
		if i == selected {
			at = len(d.lines)
		}
		d.add(i, m.entryLines(e, i == selected, width)...)
	}
	if m.tab == tabWeek && m.Feed().Next == "" {
		m.addDays(&d, day.AddDate(0, 0, 1), m.week.AddDate(0, 0, 7), len(d.lines) > 0, width)
	}
	first := max(0, min(at-room/2, len(d.lines)-room))
	end := min(len(d.lines), first+room)
	d.lines, d.owner = d.lines[first:end], d.owner[first:end]
	if m.tab == tabWeek && first > 0 && len(d.owner) > 1 && d.owner[0] != selected && d.owner[0] != postlist.NoPost {
		d.lines[0], d.owner[0] = postlist.DayLines(m.PostScene(), postlist.DayOf(list[d.owner[0]].At(), m.Zone), false, width)[0], postlist.NoPost
	}
	above := slices.Repeat([]int{postlist.NoPost}, len(title))
	d.lines, d.owner = append(title, d.lines...), append(above, d.owner...)
	return d
}

// addDays adds the blackouts of the days from first on, and the heading of the day last if
// it is in the week.
func (m *Model) addDays(d *drawnEntries, first, last time.Time, apart bool, width int) {
	s := m.PostScene()
	for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
		shades := m.PostScene().ShadesOf(day, m.Feed().Query.AccountID)
		if len(shades) == 0 && !day.Equal(last) || !day.Before(m.week.AddDate(0, 0, 7)) || day.Before(m.week) {
			continue
		}
		d.add(postlist.NoPost, postlist.DayLines(s, day, apart, width)...)
		apart = true
		for _, sh := range shades {
			if m.Theme.Plain {
				d.add(postlist.NoPost, screen.Wrap(sh.Sentence(day), width)...)
				continue
			}
			d.add(postlist.NoPost, postlist.ShadeLine(s, sh, sh.Sentence(day), width))
		}
	}
}

// entryLines renders a post or a slot.
func (m *Model) entryLines(e postlist.Entry, selected bool, width int) []string {
	s := m.PostScene()
	switch {
	case e.Index == postlist.NoPost:
		return []string{m.ghostRow(e.Ghost, selected, width)}
	case !e.Loaded:
		return []string{s.Theme.Mark(selected) + s.Theme.Faint.Render("…")}
	case m.tab == tabWeek:
		return postlist.AgendaRow(s, e.Post, selected, width)
	}
	return postlist.QueuedRow(s, e.Post, m.queues.IsDisplaced(e.Post), selected, width)
}

// clickEntry selects the post or slot on a line, or opens it if it is selected.
func (m *Model) clickEntry(row int) {
	d := m.drawEntries(m.listWidth(), m.BodyHeight())
	if row >= len(d.owner) || d.owner[row] == postlist.NoPost || !d.list[d.owner[row]].Selectable() {
		return
	}
	if e := d.list[d.owner[row]]; e.Index != postlist.NoPost && e.Index == m.Feed().Selected && !m.isGhostSelected() {
		m.openSelected()
	}
	m.selectEntry(d.list, d.owner[row])
}
