package tui

import (
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/tui/month"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// handleCalendarKey handles a key that goes to another period in the week or the month, and
// reports whether it was one.
func (m *Model) handleCalendarKey(k tea.KeyMsg) bool {
	if !m.tab.isCalendar() || m.detail.Open {
		return false
	}
	switch {
	case key.Matches(k, m.Keys.Today):
		m.GoTo(m.Now)
	case key.Matches(k, m.Keys.GoTo):
		m.dialog = m.newGoTo()
	case m.tab == tabMonth:
		return m.month.Key(k)
	case key.Matches(k, m.Keys.Left):
		m.stepDay(-1)
	case key.Matches(k, m.Keys.Right):
		m.stepDay(1)
	case key.Matches(k, m.Keys.WeekLater):
		m.stepWeek(7)
	case key.Matches(k, m.Keys.WeekSooner):
		m.stepWeek(-7)
	default:
		return false
	}
	return true
}

// newGoTo asks for the day to show, in the words of the command line.
func (m *Model) newGoTo() *screen.Prompt {
	d := screen.NewPrompt(m.Theme, "Go to: ", "friday, 24 dec, in 3 weeks, 2027-01-15")
	d.Echo = func(text string) string {
		if text == "" {
			return "a day, such as friday, 24 dec, in 3 weeks or 2027-01-15"
		}
		at, err := parseDay(text, m.Now, m.Zone)
		if err != nil {
			return err.Error()
		}
		return at.Format("Monday 2 January 2006")
	}
	d.Accept = func(text string) (tea.Cmd, string) {
		at, err := parseDay(text, m.Now, m.Zone)
		if err != nil {
			return nil, err.Error()
		}
		m.GoTo(at)
		return nil, ""
	}
	return d
}

// parseDay parses a day, or a time of a day.
func parseDay(text string, now time.Time, zone *time.Location) (time.Time, error) {
	at, _, err := when.ParseBound(text, now, zone)
	return at.Time.In(zone), err
}

// GoTo shows the period of a time, and selects the first post from then on. From a view that
// is no calendar it goes to the week.
func (m *Model) GoTo(t time.Time) {
	if !m.tab.isCalendar() {
		m.showTab(tabWeek)
	}
	m.endNotice()
	m.detail.Close()
	m.ghost = postlist.SlotKey{}
	f := m.Feed()
	if m.tab == tabMonth {
		m.month.Select(postlist.DayOf(t, m.Zone))
	}
	if m.showsTime(t) {
		f.SelectFrom(postlist.DayOf(t, m.Zone))
		return
	}
	m.setPeriod(t)
	q := f.Query
	q.After, q.Before = m.period(m.tab)
	f.Reset(q)
	f.From = postlist.DayOf(t, m.Zone)
}

// period returns the period that a calendar shows.
func (m *Model) period(t tab) (after, before time.Time) {
	if t == tabMonth {
		return month.Period(m.month.First)
	}
	return m.week, m.week.AddDate(0, 0, 7)
}

// setPeriod makes the current calendar show the period of a time.
func (m *Model) setPeriod(t time.Time) {
	if m.tab == tabMonth {
		m.month.First = postlist.MonthOf(t, m.Zone)
		return
	}
	m.week = postlist.WeekOf(t, m.Zone)
}

// showsTime reports whether the current calendar shows the day of a time. A month also shows
// days of its neighbors, which do not count.
func (m *Model) showsTime(t time.Time) bool {
	if m.tab == tabMonth {
		return postlist.MonthOf(t, m.Zone).Equal(m.month.First)
	}
	return postlist.WeekOf(t, m.Zone).Equal(m.week)
}
