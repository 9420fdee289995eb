package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// How often the forecast is read: soon after events, and in any case because posts come
// nearer.
const (
	forecastPause   = time.Minute
	forecastLongest = 10 * time.Minute
)

// forecastList is what will make posts of the next days fail or be late.
type forecastList struct {
	list    []apiv1.ForecastEntry
	more    bool // the list is not complete
	until   *apiv1.Time
	readErr error // of the last read
	known   bool  // it was read once
	loaded  bool  // it need not be read now
	loading bool
	changed bool // there was an event since it was read
	readAt  time.Time
}

// forecastMsg is the forecast.
type forecastMsg struct {
	found apiv1.ForecastList
	err   error
}

// fillForecast reads the forecast, once the first screen is complete.
func (m *Model) fillForecast() tea.Cmd {
	f, c := &m.forecast, m.Client()
	if f.loaded || f.loading || m.link.state != linkOpen || !m.firstIsRead() {
		return nil
	}
	f.loading, f.changed = true, false
	return m.Call(func(ctx context.Context) tea.Msg {
		found, err := c.Forecast(ctx)
		return forecastMsg{found: found, err: err}
	})
}

// firstIsRead reports whether the first screen with posts has them.
func (m *Model) firstIsRead() bool {
	h, _, ok := first[postlist.Holder](m)
	return !ok || h.Feed() == nil || h.Feed().Loaded
}

// takeForecast keeps the forecast. An error is shown only by :forecast: the forecast is read
// again later, and the rest of the screen does not need it.
func (m *Model) takeForecast(msg forecastMsg) {
	f := &m.forecast
	f.loading, f.loaded, f.readAt, f.readErr = false, true, m.Now, msg.err
	if msg.err == nil {
		f.list, f.more, f.until, f.known = msg.found.Results, msg.found.Truncated, msg.found.Until, true
	}
}

// pollForecast makes an old forecast be read again.
func (m *Model) pollForecast() {
	f := &m.forecast
	if age := m.Now.Sub(f.readAt); f.loaded && (age >= forecastLongest || f.changed && age >= forecastPause) {
		f.loaded = false
	}
}

// forecastChanged records an event that may have changed the forecast.
func (m *Model) forecastChanged(typ schedctl.EventType) {
	if m.forecast.changed = true; typ == schedctl.EventForecastAppeared {
		m.forecast.loaded = false
	}
}

// maxKinds is how many kinds of entries the screen names, so that the command stays visible.
const maxKinds = 2

// forecastText says what the forecast has, or returns the empty string.
func (m *Model) forecastText() string {
	f := &m.forecast
	if len(f.list) == 0 {
		return ""
	}
	noun, more := "forecasts", ""
	if len(f.list) == 1 {
		noun = "forecast"
	}
	if f.more {
		more = "+"
	}
	var kinds []string
	for _, e := range f.list {
		if kind := kindText(e.Kind); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) > maxKinds {
		kinds = append(kinds[:maxKinds], "…")
	}
	return fmt.Sprintf("%d%s %s: %s (:forecast)", len(f.list), more, noun, strings.Join(kinds, ", "))
}

// openForecast shows the forecast. It returns why there is nothing to show.
func (m *Model) openForecast() string {
	f := &m.forecast
	switch {
	case len(f.list) > 0:
		m.dialog = &forecastView{}
		return ""
	case f.readErr != nil:
		return "the forecast could not be read: " + screen.Explain(f.readErr)
	case !f.known:
		return "the forecast is not read yet"
	case f.more && f.until != nil:
		return fmt.Sprintf("nothing will fail until %s; later posts were not checked", m.forecastTime(f.until.Time))
	}
	return "nothing will fail or be late in the next 21 days, as far as it is known"
}

// forecastTime returns a time as the forecast shows it.
func (m *Model) forecastTime(at time.Time) string { return at.In(m.Zone).Format("Mon 2 Jan 15:04") }

// forecastView shows what will fail or be late, with the commands that mend it.
type forecastView struct{ top int }

// FullScreen implements [screen.Dialog].
func (v *forecastView) FullScreen() bool { return true }

// Key implements [screen.Dialog].
func (v *forecastView) Key(f screen.Frame, k tea.KeyMsg) tea.Cmd {
	m := f.(*Model)
	switch {
	case key.Matches(k, m.Keys.Kill):
		return tea.Quit
	case key.Matches(k, m.Keys.Down, m.Keys.PageDown):
		v.top = min(v.top+1, len(forecastLines(m, m.width)))
	case key.Matches(k, m.Keys.Up, m.Keys.PageUp):
		v.top = max(0, v.top-1)
	default:
		m.dialog = nil
	}
	return nil
}

// Lines implements [screen.Dialog].
func (v *forecastView) Lines(f screen.Frame, width, height int) []string {
	m := f.(*Model)
	lines := forecastLines(m, width)
	room := max(1, height-1)
	first := max(0, min(v.top, len(lines)-room))
	return append(screen.FitLines(lines[first:], width, room), m.Theme.Hint.Render(screen.Clip("↑ ↓ scroll   any other key closes the forecast", width)))
}

// forecastLines renders the entries of the forecast.
func forecastLines(m *Model, width int) (lines []string) {
	for i, e := range m.forecast.list {
		if i > 0 {
			lines = append(lines, "")
		}
		head := kindText(e.Kind)
		if e.At != nil {
			head = m.forecastTime(e.At.Time) + "  " + head
		}
		if e.PostCount > 1 {
			head += fmt.Sprintf(", %d posts", e.PostCount)
		}
		lines = append(lines, m.Theme.Title.Render(screen.Clip(head, width)))
		for _, line := range screen.Wrap(screen.OneLine(apiv1.WithTimes(e.Message, m.forecastTime)), width-2) {
			lines = append(lines, "  "+line)
		}
		for _, line := range screen.Wrap(screen.OneLine(e.Command), width-2) {
			lines = append(lines, "  "+m.Theme.Warn.Render(line))
		}
	}
	return lines
}

// kindText returns a kind in words.
func kindText(k apiv1.ForecastKind) string {
	return screen.OneLine(strings.ReplaceAll(string(k), "_", " "))
}

// warningText is what the head of the screen warns of: accounts that are paused, and the
// forecast. It may be empty.
func (m *Model) warningText() string {
	held, ahead := m.holdText(), m.forecastText()
	if held != "" && ahead != "" {
		return held + "; " + ahead
	}
	return held + ahead
}
