package tui

import (
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// handleCalendarKey handles a key that goes to another period in the week or the month, and
// reports whether it was one.
func (m *Model) handleCalendarKey(k tea.KeyMsg) bool {
	c, ok := m.room().(postlist.Calendar)
	if !ok || m.detail().Open {
		return false
	}
	switch {
	case key.Matches(k, m.Keys.Today):
		m.GoTo(m.Now)
	case key.Matches(k, m.Keys.GoTo):
		m.dialog = m.newGoTo()
	default:
		return c.PeriodKey(k)
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
// is no calendar it goes to the first one.
func (m *Model) GoTo(t time.Time) {
	c, ok := m.room().(postlist.Calendar)
	if !ok {
		var calendar tab
		if c, calendar, ok = first[postlist.Calendar](m); !ok {
			return
		}
		m.showTab(calendar)
	}
	c.GoTo(t)
}
