package tui

import (
	"slices"
	"time"

	"github.com/charmbracelet/bubbles/key"

	"github.com/schedctl/schedctl/tui/screen"

	tea "github.com/charmbracelet/bubbletea"
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
	case key.Matches(k, m.Keys.Grab) && m.feed() != nil:
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
	m.tab, m.notice, m.ghost = t, notice{}, slotKey{}
	m.detail.close()
	switch t {
	case tabWeek, tabMonth, tabQueues:
		m.reloadPlans()
		m.month.inDay = false
	case tabReview:
		m.reviewers.loaded = false
		if f := &m.feeds[tabReview]; f.loaded {
			f.markOutdated() // there are no events about the review of series
		}
	case tabAccounts:
		m.accounts.loaded = false
	case tabWebhooks:
		m.webhooks.markOutdated()
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
	case key.Matches(k, m.Keys.PageDown), key.Matches(k, m.Keys.Mark) && m.detail.open:
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
	switch f := m.feed(); {
	case m.detail.open:
		m.detail.scroll(by)
	case m.tab == tabMonth:
		m.stepMonthRow(sign(by))
	case m.tab == tabWeek, m.tab == tabQueues && f != nil:
		m.moveEntry(by)
	case f != nil:
		f.move(by)
	case m.tab == tabQueues:
		m.queues.selected = screen.Clamp(m.queues.selected+by, len(m.queues.list))
	case m.tab == tabAccounts:
		m.accounts.selected = screen.Clamp(m.accounts.selected+by, len(m.accounts.list))
	default:
		m.webhooks.step(by)
	}
}

// openSelected opens the details of the selected item.
func (m *Model) openSelected() {
	if f := m.feed(); f != nil {
		if p, ok := m.currentPost(); ok {
			m.detail.open, m.detail.openedFor = true, p.ID
		}
		return
	}
	switch m.tab {
	case tabWebhooks:
		m.webhooks.open()
	case tabQueues:
		m.openQueue()
	}
}

// goBack closes the details. If none are open, it resets search and filter.
func (m *Model) goBack() {
	f := m.feed()
	switch {
	case m.detail.open:
		m.detail.close()
	case m.tab == tabWebhooks:
		m.webhooks.close()
	case f != nil && filtered(m.tab, f.query):
		p, ok := f.current()
		if e := f.edited; e != nil && !f.has(e.ID) {
			p, ok = *e, true // the search no longer finds it
		}
		m.requery(func(q *screen.Query) { q.Search, q.AccountID, q.Label, q.Statuses = "", "", "", m.tab.statuses() })
		if ok {
			f.seek(p)
		}
	case m.tab == tabQueues && m.queues.opened != "":
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
	if f := m.feed(); f != nil {
		q := f.query
		change(&q)
		f.reset(q)
		m.detail.close()
	}
}

// handleQueryKey changes search, filter or sorting, and reports whether it handled
// the key.
func (m *Model) handleQueryKey(k tea.KeyMsg) bool {
	f := m.feed()
	if f == nil {
		return false
	}
	switch {
	case key.Matches(k, m.Keys.Search):
		m.dialog = m.newSearch(f.query.Search)
	case key.Matches(k, m.Keys.Filter):
		m.dialog = m.newFilter(f.query)
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
	m.week, m.ghost = m.week.AddDate(0, 0, days), slotKey{}
	m.requery(func(q *screen.Query) { q.After, q.Before = m.week, m.week.AddDate(0, 0, 7) })
}

// stepDay selects the first post or free slot of the next or previous day that has any.
func (m *Model) stepDay(by int) {
	f := m.feed()
	if len(m.ghosts()) > 0 {
		m.stepEntryDay(by)
		return
	}
	p, ok := f.current()
	if !ok || planned(p) == nil {
		return
	}
	day := dayOf(planned(p).Time, m.Zone)
	for i := f.selected + by; i >= 0 && i < f.size(); i += by {
		if q, ok := f.at(i); ok && planned(q) != nil && !dayOf(planned(q).Time, m.Zone).Equal(day) {
			f.selected = f.firstOfDay(i, m.Zone)
			return
		}
	}
	if by > 0 {
		f.move(f.size()) // the next day is on a page that is not loaded yet
	}
}

// firstOfDay returns the first post of the day of post i.
func (f *feed) firstOfDay(i int, zone *time.Location) int {
	p, _ := f.at(i)
	for ; i > 0; i-- {
		q, ok := f.at(i - 1)
		if !ok || planned(q) == nil || !dayOf(planned(q).Time, zone).Equal(dayOf(planned(p).Time, zone)) {
			break
		}
	}
	return i
}

// dayOf returns the start of the day of a time.
func dayOf(t time.Time, zone *time.Location) time.Time {
	y, m, d := t.In(zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone)
}
