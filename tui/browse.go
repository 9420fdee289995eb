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
		m.dialog = m.newHelp()
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
	m.detail().Close()
	m.tab, m.notice = t, notice{}
	if m.traits().Plans {
		m.reloadPlans()
	}
	m.room().Arrive()
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
	case key.Matches(k, m.Keys.PageDown), key.Matches(k, m.Keys.Mark) && m.detail().Open:
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
	if m.detail().Open {
		m.detail().Scroll(by)
		return
	}
	m.room().Move(by)
}

// openSelected opens the details of the selected item.
func (m *Model) openSelected() {
	if p, ok := m.CurrentPost(); ok {
		m.detail().Show(p.ID)
		return
	}
	m.room().Open()
}

// goBack closes the details. If none are open, it resets search and filter.
func (m *Model) goBack() {
	switch h := m.holder(); {
	case m.detail().Open:
		m.detail().Close()
	case h == nil || !h.IsFiltered():
		m.room().Back()
	default:
		f := h.Feed()
		p, ok := f.Current()
		if e := f.Edited; e != nil && !f.Has(e.ID) {
			p, ok = *e, true // the search no longer finds it
		}
		m.requery(func(q *screen.Query) {
			q.Search, q.AccountID, q.Label, q.Statuses = "", "", "", h.Traits().Query.Statuses
		})
		if ok {
			f.Seek(p)
		}
	}
}

// requery changes the query of the current tab and reloads it.
func (m *Model) requery(change func(*screen.Query)) {
	if f := m.Feed(); f != nil {
		q := f.Query
		change(&q)
		f.Reset(q)
		m.detail().Close()
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
			sorts := m.traits().Sorts
			q.Sort = sorts[(slices.Index(sorts, q.Sort)+1)%len(sorts)]
			m.ShowNotice("sorted: " + postlist.SortName(q.Sort))
		})
	default:
		return false
	}
	return true
}
