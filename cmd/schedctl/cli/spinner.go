package cli

import (
	"fmt"
	"time"
)

// Spinner is a line on the terminal that shows that a command waits. It is for one
// goroutine.
type Spinner struct {
	*App
	turns  int
	shown  bool
	ticker *time.Ticker
}

// spinnerPause is the time between two updates of the line.
const spinnerPause = 120 * time.Millisecond

// NewSpinner returns a spinner. It is invisible without a terminal and for screen
// readers.
func (a *App) NewSpinner() *Spinner {
	s := &Spinner{App: a}
	if a.ErrTerminal && !a.Quiet && a.Getenv("TERM") != "dumb" && a.Getenv("ACCESSIBLE") == "" {
		s.ticker = time.NewTicker(spinnerPause)
	}
	return s
}

// Tick returns the times to draw.
func (s *Spinner) Tick() <-chan time.Time {
	if s.ticker == nil {
		return nil
	}
	return s.ticker.C
}

// Draw shows the line.
func (s *Spinner) Draw(text string) {
	if s.ticker == nil {
		return
	}
	s.turns++
	s.shown = true
	s.DrawLine(fmt.Sprintf("%c %s", `|/-\`[s.turns%4], Clip(inLine(text), max(s.Width-3, 10))))
}

// Clear removes the line, before other output is written.
func (s *Spinner) Clear() {
	if s.shown {
		s.DrawLine("")
	}
	s.shown = false
}

// Stop ends the spinner.
func (s *Spinner) Stop() {
	s.Clear()
	if s.ticker != nil {
		s.ticker.Stop()
	}
}
