package tui

import (
	"fmt"
	"slices"
	"time"

	"github.com/schedctl/schedctl/tui/screen"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
)

// maxSeek is how many pages are read to find a post that moved to another page.
const maxSeek = 20

// settleAfter is how long a key must rest before it changes another post than the one
// that left the selection. It is longer than terminals wait before they repeat a held key.
const settleAfter = time.Second

// settledMsg says that no key was held since the selection changed without a key.
type settledMsg struct{ seq int }

// follow keeps the selection on a post that was selected and now has another time. A
// calendar shows the week or month of the post; in a list, the page of the post is loaded.
func (m *Model) follow(p apiv1.Post) {
	f := m.feed()
	if f == nil {
		return
	}
	if at := planned(p); at != nil && m.tab.isCalendar() {
		week, month := m.week, m.month
		shown := m.showsTime(at.Time)
		m.setPeriod(at.Time)
		q := f.query
		q.After, q.Before = m.period(m.tab)
		if !matches(q, p) {
			m.week, m.month = week, month
			return
		}
		if m.tab == tabMonth {
			m.month.day = dayOf(at.Time, m.Zone)
		}
		if !shown {
			m.ghost = slotKey{}
			f.reset(q)
			f.moved, f.anchor = []apiv1.Post{p}, p.ID
			return
		}
	}
	f.seek(p)
}

// seek selects a post that the query matches. If the post is on a page that is not in
// memory, the selection moves to that page, which is then loaded.
func (f *feed) seek(p apiv1.Post) {
	if i, ok := f.find(p.ID); ok {
		f.selected, f.anchor = i, ""
		return
	}
	if !matches(f.query, p) {
		return
	}
	if len(f.pages) == 0 {
		f.anchor, f.sought, f.seeks = p.ID, &p, 0 // the first page is being loaded
		return
	}
	f.sought, f.seeks = &p, 0
	f.stepSeek()
}

// stepSeek moves the selection to the next page that may have the sought post, and gives
// up if no page has it.
func (f *feed) stepSeek() {
	p := *f.sought
	f.seeks++
	if _, found := f.find(p.ID); found || f.seeks > maxSeek {
		f.sought = nil
		return
	}
	f.anchor = p.ID
	start := 0
	for i, pg := range f.pages {
		switch {
		case !pg.loaded || pg.count == 0:
		case f.order(p, pg.posts[0]) < 0 && i > 0 && !f.pages[i-1].loaded:
			f.selected = start - 1 // on the last page that may have it
			return
		case f.order(p, pg.posts[pg.count-1]) <= 0:
			f.sought, f.anchor = nil, "" // its page is loaded and does not have it
			return
		}
		start += pg.count
	}
	if f.selected = screen.Clamp(start-1, f.size()); f.next == "" && f.pages[len(f.pages)-1].loaded {
		f.sought, f.anchor = nil, ""
	}
}

// selectedID returns the id of the selected post, empty without one.
func (m *Model) selectedID() string {
	p, _ := m.currentPost()
	return p.ID
}

// noteSelection notices that the selected post left the view without a key that moves the
// selection. before is the id of the post that was selected.
func (m *Model) noteSelection(msg tea.Msg, tab tab, before string) tea.Cmd {
	switch msg.(type) {
	case tea.KeyMsg, tea.MouseMsg, tea.WindowSizeMsg:
		return nil
	}
	if f := m.feed(); before == "" || m.tab != tab || f == nil || m.selectedID() == before || f.anchor == before {
		return nil
	}
	return m.unsettle()
}

// unsettle makes keys that change a post at once wait until no key is held.
func (m *Model) unsettle() tea.Cmd {
	m.unsettled = true
	m.settleSeq++
	seq := m.settleSeq
	return tea.Tick(settleAfter, func(time.Time) tea.Msg { return settledMsg{seq} })
}

// ifSettled does something to the selected post, unless a held key may be meant for the
// post that was selected before.
func (m *Model) ifSettled(do func() tea.Cmd) tea.Cmd {
	if !m.unsettled {
		return do()
	}
	m.ShowNotice("another post is selected now: release the key, or choose a post with ↑ and ↓")
	return m.unsettle()
}

// sayWhere adds to the notice of a change where its post went, if the current view no
// longer has it.
func (m *Model) sayWhere(p apiv1.Post) {
	f := m.feed()
	if f == nil || matches(f.query, p) {
		return
	}
	if slices.Contains(m.tab.statuses(), p.Status) {
		m.notice.text += "; this search or filter hides it (esc shows all)"
		return
	}
	for _, t := range tabOrder {
		if t < postTabs && !t.isCalendar() && slices.Contains(t.statuses(), p.Status) {
			m.notice.text += fmt.Sprintf("; it is in %s %s", t.number(), t)
			return
		}
	}
}
