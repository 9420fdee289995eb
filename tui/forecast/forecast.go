// Package forecast shows what will make posts of the next days fail or be late.
package forecast

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// How often the forecast is read: soon after events, and in any case because posts come
// nearer.
const (
	pause   = time.Minute
	longest = 10 * time.Minute
)

// Forecast is what will make posts of the next days fail or be late.
type Forecast struct {
	frame   screen.Frame
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

// New returns a forecast that is not read yet.
func New(f screen.Frame) *Forecast { return &Forecast{frame: f} }

// forecastMsg is the forecast.
type forecastMsg struct {
	found apiv1.ForecastList
	err   error
}

// Fill reads the forecast unless it is current.
func (f *Forecast) Fill() tea.Cmd {
	if f.loaded || f.loading {
		return nil
	}
	f.loading, f.changed = true, false
	c := f.frame.Client()
	return f.frame.Call(func(ctx context.Context) tea.Msg {
		found, err := c.Forecast(ctx)
		return forecastMsg{found: found, err: err}
	})
}

// Handle handles the messages of the forecast, and events, any of which may have changed it. It
// ignores others.
func (f *Forecast) Handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case forecastMsg:
		f.take(msg)
	case screen.Event:
		if f.changed = true; msg.Type == schedctl.EventForecastAppeared {
			f.loaded = false
		}
	}
	return nil
}

// take keeps the forecast. An error is shown only by Open: the forecast is read again later,
// and the rest of the screen does not need it.
func (f *Forecast) take(msg forecastMsg) {
	f.loading, f.loaded, f.readAt, f.readErr = false, true, f.frame.Current().Now, msg.err
	if msg.err == nil {
		f.list, f.more, f.until, f.known = msg.found.Results, msg.found.Truncated, msg.found.Until, true
	}
}

// Reload has the forecast read again.
func (f *Forecast) Reload() { f.loaded = false }

// Poll has an old forecast read again. It is called every few seconds.
func (f *Forecast) Poll() {
	if age := f.frame.Current().Now.Sub(f.readAt); f.loaded && (age >= longest || f.changed && age >= pause) {
		f.loaded = false
	}
}

// maxKinds is how many kinds of entries the screen names, so that the command stays visible.
const maxKinds = 2

// Text says in one line what the forecast has, or returns the empty string.
func (f *Forecast) Text() string {
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

// Open shows the forecast. It returns why there is nothing to show.
func (f *Forecast) Open() string {
	switch {
	case len(f.list) > 0:
		f.frame.Open(&screen.Page{Name: "the forecast", Content: f.lines})
		return ""
	case f.readErr != nil:
		return "the forecast could not be read: " + screen.Explain(f.readErr)
	case !f.known:
		return "the forecast is not read yet"
	case f.more && f.until != nil:
		return fmt.Sprintf("nothing will fail until %s; later posts were not checked", f.clock(f.until.Time))
	}
	return "nothing will fail or be late in the next 21 days, as far as it is known"
}

// clock returns a time as the forecast shows it.
func (f *Forecast) clock(at time.Time) string {
	return at.In(f.frame.Current().Zone).Format("Mon 2 Jan 15:04")
}

// lines renders the entries of the forecast, with the commands that fix them.
func (f *Forecast) lines(width int) (lines []string) {
	t := f.frame.Current().Theme
	for i, e := range f.list {
		if i > 0 {
			lines = append(lines, "")
		}
		head := kindText(e.Kind)
		if e.At != nil {
			head = f.clock(e.At.Time) + "  " + head
		}
		if e.PostCount > 1 {
			head += fmt.Sprintf(", %d posts", e.PostCount)
		}
		lines = append(lines, t.Title.Render(screen.Clip(head, width)))
		for _, line := range screen.Wrap(screen.OneLine(apiv1.WithTimes(e.Message, f.clock)), width-2) {
			lines = append(lines, "  "+line)
		}
		for _, line := range screen.Wrap(screen.OneLine(e.Command), width-2) {
			lines = append(lines, "  "+t.Warn.Render(line))
		}
	}
	return lines
}

// kindText returns a kind in words.
func kindText(k apiv1.ForecastKind) string {
	return screen.OneLine(strings.ReplaceAll(string(k), "_", " "))
}
