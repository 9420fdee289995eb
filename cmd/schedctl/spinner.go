package main

import (
	"fmt"
	"time"
)

// spinner is a line on the terminal that says that something is waited for. It
// is for one goroutine.
type spinner struct {
	*app
	turns  int
	shown  bool
	ticker *time.Ticker
}

// spinnerPause is how often the line changes.
const spinnerPause = 120 * time.Millisecond

// newSpinner returns a spinner. It is invisible without a terminal and for screen
// readers.
func (a *app) newSpinner() *spinner {
	s := &spinner{app: a}
	if a.errTerminal && !a.quiet && a.getenv("TERM") != "dumb" && a.getenv("ACCESSIBLE") == "" {
		s.ticker = time.NewTicker(spinnerPause)
	}
	return s
}

// tick returns the times to draw.
func (s *spinner) tick() <-chan time.Time {
	if s.ticker == nil {
		return nil
	}
	return s.ticker.C
}

// draw shows the line.
func (s *spinner) draw(text string) {
	if s.ticker == nil {
		return
	}
	s.turns++
	s.shown = true
	fmt.Fprintf(s.err, "\r\x1b[K%c %s", `|/-\`[s.turns%4], clip(text, max(s.width-3, 10)))
}

// clear takes the line away, before something else is written.
func (s *spinner) clear() {
	if s.shown {
		fmt.Fprint(s.err, "\r\x1b[K")
	}
	s.shown = false
}

// stop ends the spinner.
func (s *spinner) stop() {
	s.clear()
	if s.ticker != nil {
		s.ticker.Stop()
	}
}
