package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
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
	loaded  bool
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
	f, c := &m.forecast, m.cfg.Client
	if f.loaded || f.loading || m.link.state != linkOpen || !m.feeds[tabAgenda].loaded {
		return nil
	}
	f.loading, f.changed = true, false
	return m.call(func(ctx context.Context) tea.Msg {
		found, err := c.Forecast(ctx)
		return forecastMsg{found: found, err: err}
	})
}

// takeForecast keeps the forecast. An error is not shown: the forecast is read again later,
// and the rest of the screen does not need it.
func (m *Model) takeForecast(msg forecastMsg) {
	f := &m.forecast
	f.loading, f.loaded, f.readAt = false, true, m.now
	if msg.err == nil {
		f.list, f.more = msg.found.Results, msg.found.Truncated
	}
}

// pollForecast makes an old forecast be read again.
func (m *Model) pollForecast() {
	f := &m.forecast
	if age := m.now.Sub(f.readAt); f.loaded && (age >= forecastLongest || f.changed && age >= forecastPause) {
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
		if kind := oneLine(strings.ReplaceAll(string(e.Kind), "_", " ")); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) > maxKinds {
		kinds = append(kinds[:maxKinds], "…")
	}
	return fmt.Sprintf("%d%s %s: %s (schedctl forecast)", len(f.list), more, noun, strings.Join(kinds, ", "))
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
