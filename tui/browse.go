package tui

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// handleBrowseKey handles a key while a list is shown.
func (m *Model) handleBrowseKey(k tea.KeyMsg) tea.Cmd {
	m.quitting = m.quitting && key.Matches(k, m.Keys.Quit, m.Keys.Kill)
	switch {
	case key.Matches(k, m.Keys.Quit, m.Keys.Kill):
		return m.quit()
	case key.Matches(k, m.Keys.Help):
		m.dialog = &help{}
	case key.Matches(k, m.Keys.Tabs):
		m.showTab(tabOfNumber(k.Runes[0]))
	case key.Matches(k, m.Keys.Next):
		m.showTab(m.tab.step(1))
	case key.Matches(k, m.Keys.Previous):
		m.showTab(m.tab.step(-1))
	case key.Matches(k, m.Keys.Reload):
		return m.reload()
	case key.Matches(k, m.Keys.Undo):
		return m.undoLast()
	case key.Matches(k, m.Keys.New), key.Matches(k, m.Keys.Open) && m.isGhostSelected():
		return m.writePost()
	case key.Matches(k, m.Keys.Grab) && m.Feed() != nil:
		return m.grabPosts()
	case key.Matches(k, m.Keys.Command):
		m.openCommandLine()
	case m.handleMarkKey(k):
		m.unsettled = false
	case m.handleCalendarKey(k), m.handleMoveKey(k):
		m.unsettled = false
		m.extendRange()
	case m.handleQueryKey(k):
	default:
		if cmd, ok := m.handleBulkKey(k); ok {
			return cmd
		}
		return m.handleActionKey(k)
	}
	return nil
}

// showTab switches to a tab. It reloads data for which the daemon sends no events.
func (m *Model) showTab(t tab) {
	m.tab, m.notice, m.ghost = t, notice{}, postlist.SlotKey{}
	m.detail.Close()
	switch t {
	case tabWeek, tabMonth, tabQueues:
		m.reloadPlans()
		m.month.InDay = false
	case tabReview:
		m.reviewers.loaded = false
	}
	if r := m.room(); r != nil {
		r.Show()
	}
}

// handleMoveKey moves the selection, and reports whether it handled the key.
func (m *Model) handleMoveKey(k tea.KeyMsg) bool {
	const far = 1 << 30
	switch page := max(1, m.BodyHeight()-2); {
	case key.Matches(k, m.Keys.Up):
		m.moveSelection(-1)
	case key.Matches(k, m.Keys.Down):
		m.moveSelection(1)
	case key.Matches(k, m.Keys.PageUp):
		m.moveSelection(-page)
	case key.Matches(k, m.Keys.PageDown), key.Matches(k, m.Keys.Mark) && m.detail.Open:
		m.moveSelection(page)
	case key.Matches(k, m.Keys.Top, m.Keys.GoTo):
		m.moveSelection(-far)
	case key.Matches(k, m.Keys.End):
		m.moveSelection(far)
	case key.Matches(k, m.Keys.Open):
		m.openSelected()
	case key.Matches(k, m.Keys.Back):
		m.goBack()
	default:
		return false
	}
	return true
}

// moveSelection moves the selection of the current view, or scrolls the details.
func (m *Model) moveSelection(by int) {
	switch f := m.Feed(); {
	case m.detail.Open:
		m.detail.Scroll(by)
	case m.tab == tabMonth:
		m.month.StepRow(sign(by))
	case m.tab == tabWeek, m.tab == tabQueues && f != nil:
		m.moveEntry(by)
	case f != nil:
		f.Move(by)
	case m.tab == tabQueues:
		m.queues.Selected = screen.Clamp(m.queues.Selected+by, len(m.queueList.list))
	default:
		m.room().Move(by)
	}
}

// openSelected opens the details of the selected item.
func (m *Model) openSelected() {
	if f := m.Feed(); f != nil {
		if p, ok := m.CurrentPost(); ok {
			m.detail.Open, m.detail.OpenedFor = true, p.ID
		}
		return
	}
	if r := m.room(); r != nil {
		r.Open()
		return
	}
	m.openQueue()
}

// goBack closes the details. If none are open, it resets search and filter.
func (m *Model) goBack() {
	f := m.Feed()
	switch {
	case m.detail.Open:
		m.detail.Close()
	case m.room() != nil:
		m.room().Back()
	case f != nil && filtered(m.tab, f.Query):
		p, ok := f.Current()
		if e := f.Edited; e != nil && !f.Has(e.ID) {
			p, ok = *e, true // the search no longer finds it
		}
		m.requery(func(q *screen.Query) { q.Search, q.AccountID, q.Label, q.Statuses = "", "", "", m.tab.statuses() })
		if ok {
			f.Seek(p)
		}
	case m.tab == tabQueues && m.queues.Opened != "":
		m.closeQueue()
	default:
		m.notice = notice{}
	}
}

// filtered reports whether a query has a search or filter.
func filtered(t tab, q screen.Query) bool {
	return q.Search != "" || q.AccountID != "" || q.Label != "" || !slices.Equal(q.Statuses, t.statuses())
}

// requery changes the query of the current tab and reloads it.
func (m *Model) requery(change func(*screen.Query)) {
	if f := m.Feed(); f != nil {
		q := f.Query
		change(&q)
		f.Reset(q)
		m.detail.Close()
	}
}

// handleQueryKey changes search, filter or sorting, and reports whether it handled
// the key.
func (m *Model) handleQueryKey(k tea.KeyMsg) bool {
	f := m.Feed()
	if f == nil {
		return false
	}
	switch {
	case key.Matches(k, m.Keys.Search):
		m.dialog = m.newSearch(f.Query.Search)
	case key.Matches(k, m.Keys.Filter):
		m.dialog = m.newFilter(f.Query)
	case key.Matches(k, m.Keys.Sort):
		m.requery(func(q *screen.Query) {
			sorts := m.tab.sorts()
			q.Sort = sorts[(slices.Index(sorts, q.Sort)+1)%len(sorts)]
			m.ShowNotice("sorted: " + sortName(q.Sort))
		})
	default:
		return false
	}
	return true
}

// stepWeek moves the week by a number of days.
func (m *Model) stepWeek(days int) {
	m.week, m.ghost = m.week.AddDate(0, 0, days), postlist.SlotKey{}
	m.requery(func(q *screen.Query) { q.After, q.Before = m.week, m.week.AddDate(0, 0, 7) })
}

// stepDay selects the first post or free slot of the next or previous day that has any.
func (m *Model) stepDay(by int) {
	f := m.Feed()
	if len(m.ghosts()) > 0 {
		m.stepEntryDay(by)
		return
	}
	p, ok := f.Current()
	if !ok || postlist.Planned(p) == nil {
		return
	}
	day := postlist.DayOf(postlist.Planned(p).Time, m.Zone)
	for i := f.Selected + by; i >= 0 && i < f.Size(); i += by {
		if q, ok := f.At(i); ok && postlist.Planned(q) != nil && !postlist.DayOf(postlist.Planned(q).Time, m.Zone).Equal(day) {
			f.Selected = f.FirstOfDay(i, m.Zone)
			return
		}
	}
	if by > 0 {
		f.Move(f.Size()) // the next day is on a page that is not loaded yet
	}
}
