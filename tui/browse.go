package tui

import (
	"slices"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// browse does what a key says while a list is shown.
func (m *Model) browse(k tea.KeyMsg) tea.Cmd {
	m.leave = m.leave && key.Matches(k, m.keys.Quit, m.keys.Kill)
	switch {
	case key.Matches(k, m.keys.Quit, m.keys.Kill):
		return m.quit()
	case key.Matches(k, m.keys.Help):
		m.dialog = &help{}
	case key.Matches(k, m.keys.Tabs):
		m.visit(tab(k.Runes[0] - '1'))
	case key.Matches(k, m.keys.Next):
		m.visit((m.tab + 1) % tabs)
	case key.Matches(k, m.keys.Previous):
		m.visit((m.tab + tabs - 1) % tabs)
	case key.Matches(k, m.keys.Reload):
		return m.reload()
	case key.Matches(k, m.keys.Undo):
		return m.takeBack()
	case key.Matches(k, m.keys.New):
		return m.compose(newDraft())
	case m.walk(k), m.find(k):
	default:
		return m.act(k)
	}
	return nil
}

// visit goes to a tab. What no event tells of is read again.
func (m *Model) visit(t tab) {
	m.tab, m.notice = t, notice{}
	m.detail.close()
	switch t {
	case tabAccounts:
		m.accounts.loaded = false
	case tabWebhooks:
		m.hooks.renew()
	}
}

// walk moves the selection, and reports whether the key was for that.
func (m *Model) walk(k tea.KeyMsg) bool {
	const far = 1 << 30
	switch page := max(1, m.bodyHeight()-2); {
	case key.Matches(k, m.keys.Up):
		m.step(-1)
	case key.Matches(k, m.keys.Down):
		m.step(1)
	case key.Matches(k, m.keys.PageUp):
		m.step(-page)
	case key.Matches(k, m.keys.PageDown):
		m.step(page)
	case key.Matches(k, m.keys.Top):
		m.step(-far)
	case key.Matches(k, m.keys.End):
		m.step(far)
	case key.Matches(k, m.keys.Open):
		m.open()
	case key.Matches(k, m.keys.Back):
		m.back()
	case m.tab == tabWeek && key.Matches(k, m.keys.Left):
		m.stepDay(-1)
	case m.tab == tabWeek && key.Matches(k, m.keys.Right):
		m.stepDay(1)
	case m.tab == tabWeek && key.Matches(k, m.keys.WeekLater):
		m.stepWeek(7)
	case m.tab == tabWeek && key.Matches(k, m.keys.WeekSooner):
		m.stepWeek(-7)
	default:
		return false
	}
	return true
}

// step moves the selection of what is shown.
func (m *Model) step(by int) {
	switch f := m.feed(); {
	case m.detail.open:
		m.detail.scroll(by)
	case f != nil:
		f.move(by)
	case m.tab == tabAccounts:
		m.accounts.selected = clamp(m.accounts.selected+by, len(m.accounts.list))
	default:
		m.hooks.step(by)
	}
}

// open shows the details of what is selected.
func (m *Model) open() {
	if f := m.feed(); f != nil {
		if p, ok := f.current(); ok {
			m.detail.open, m.detail.of = true, p.ID
		}
		return
	}
	if m.tab == tabWebhooks {
		m.hooks.open()
	}
}

// back closes what is open, and then lifts a search.
func (m *Model) back() {
	f := m.feed()
	switch {
	case m.detail.open:
		m.detail.close()
	case m.tab == tabWebhooks:
		m.hooks.close()
	case f != nil && filtered(m.tab, f.query):
		m.requery(func(q *Query) { q.Search, q.AccountID, q.Label, q.Statuses = "", "", "", m.tab.statuses() })
	default:
		m.notice = notice{}
	}
}

// filtered reports whether a query shows less than its tab would.
func filtered(t tab, q Query) bool {
	return q.Search != "" || q.AccountID != "" || q.Label != "" || !slices.Equal(q.Statuses, t.statuses())
}

// requery changes what the tab shows, and reads it.
func (m *Model) requery(change func(*Query)) {
	if f := m.feed(); f != nil {
		q := f.query
		change(&q)
		f.reset(q)
		m.detail.close()
	}
}

// find changes what is shown, and reports whether the key was for that.
func (m *Model) find(k tea.KeyMsg) bool {
	f := m.feed()
	if f == nil {
		return false
	}
	switch {
	case key.Matches(k, m.keys.Search):
		m.dialog = newSearch(m.theme, f.query.Search)
	case key.Matches(k, m.keys.Filter):
		m.dialog = m.newFilter(f.query)
	case key.Matches(k, m.keys.Sort):
		m.requery(func(q *Query) {
			sorts := m.tab.sorts()
			q.Sort = sorts[(slices.Index(sorts, q.Sort)+1)%len(sorts)]
			m.say("sorted: " + sortName(q.Sort))
		})
	default:
		return false
	}
	return true
}

// stepWeek shows the week some days away.
func (m *Model) stepWeek(days int) {
	m.week = m.week.AddDate(0, 0, days)
	m.requery(func(q *Query) { q.After, q.Before = m.week, m.week.AddDate(0, 0, 7) })
}

// stepDay selects the first post of the next day that has any, forward or back.
func (m *Model) stepDay(by int) {
	f := m.feed()
	p, ok := f.current()
	if !ok || p.PublishAt == nil {
		return
	}
	day := dayOf(p.PublishAt.Time, m.zone)
	for i := f.selected + by; i >= 0 && i < f.size(); i += by {
		if q, ok := f.at(i); ok && q.PublishAt != nil && !dayOf(q.PublishAt.Time, m.zone).Equal(day) {
			f.selected = f.firstOf(i, m.zone)
			return
		}
	}
	if by > 0 {
		f.move(f.size()) // the next day comes with more of this one
	}
}

// firstOf returns the first post of the day of another.
func (f *feed) firstOf(i int, zone *time.Location) int {
	p, _ := f.at(i)
	for ; i > 0; i-- {
		q, ok := f.at(i - 1)
		if !ok || q.PublishAt == nil || !dayOf(q.PublishAt.Time, zone).Equal(dayOf(p.PublishAt.Time, zone)) {
			break
		}
	}
	return i
}

// dayOf returns the beginning of the day of an instant.
func dayOf(t time.Time, zone *time.Location) time.Time {
	y, m, d := t.In(zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone)
}
