package tui

import (
	"time"

	"github.com/charmbracelet/bubbles/key"

	"github.com/schedctl/schedctl/tui/screen"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
)

// handleCalendarKey handles a key that goes to another period in the week or the month, and
// reports whether it was one.
func (m *Model) handleCalendarKey(k tea.KeyMsg) bool {
	if !m.tab.isCalendar() || m.detail.open {
		return false
	}
	switch {
	case key.Matches(k, m.Keys.Today):
		m.goTo(m.Now)
	case key.Matches(k, m.Keys.GoTo):
		m.dialog = m.newGoTo()
	case m.tab == tabMonth:
		return m.handleMonthKey(k)
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
		m.goTo(at)
		return nil, ""
	}
	return d
}

// parseDay parses a day, or a time of a day.
func parseDay(text string, now time.Time, zone *time.Location) (time.Time, error) {
	at, _, err := when.ParseBound(text, now, zone)
	return at.Time.In(zone), err
}

// goTo shows the period of a time, and selects the first post from then on. From a view that
// is no calendar it goes to the week.
func (m *Model) goTo(t time.Time) {
	if !m.tab.isCalendar() {
		m.showTab(tabWeek)
	}
	m.endNotice()
	m.detail.close()
	m.ghost = slotKey{}
	f := m.feed()
	if m.tab == tabMonth {
		m.month.selectDay(dayOf(t, m.Zone))
	}
	if m.showsTime(t) {
		f.selectFrom(dayOf(t, m.Zone))
		return
	}
	m.setPeriod(t)
	q := f.query
	q.After, q.Before = m.period(m.tab)
	f.reset(q)
	f.from = dayOf(t, m.Zone)
}

// period returns the period that a calendar shows.
func (m *Model) period(t tab) (after, before time.Time) {
	if t == tabMonth {
		return monthPeriod(m.month.first)
	}
	return m.week, m.week.AddDate(0, 0, 7)
}

// setPeriod makes the current calendar show the period of a time.
func (m *Model) setPeriod(t time.Time) {
	if m.tab == tabMonth {
		m.month.first = monthOf(t, m.Zone)
		return
	}
	m.week = weekOf(t, m.Zone)
}

// showsTime reports whether the current calendar shows the day of a time. A month also shows
// days of its neighbors, which do not count.
func (m *Model) showsTime(t time.Time) bool {
	if m.tab == tabMonth {
		return monthOf(t, m.Zone).Equal(m.month.first)
	}
	return weekOf(t, m.Zone).Equal(m.week)
}

// concerns reports whether a blackout applies to an account of a post.
func concerns(b apiv1.Blackout, p apiv1.Post) bool {
	return len(b.SocialAccountIDs) == 0 || shareAccount(b.SocialAccountIDs, p.SocialAccountIDs)
}

// contains reports whether a time is in a blackout.
func contains(b apiv1.Blackout, t time.Time) bool {
	return !t.Before(b.StartsAt.Time) && (b.EndsAt == nil || t.Before(b.EndsAt.Time))
}

// shareAccount reports whether two lists of accounts have one in common.
func shareAccount(a, b []string) bool {
	for _, x := range a {
		for _, y := range b {
			if x == y {
				return true
			}
		}
	}
	return false
}
