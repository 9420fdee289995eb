package cli

import (
	"fmt"
	"strings"
	"time"
)

// Progress is a line on the terminal that shows how far a command is. It is for one
// goroutine.
type Progress struct {
	*App
	verb      string
	Done, all int // all is 0 when unknown
	drawn     time.Time
	shown     bool
}

// progressPause is the time between two updates of the line.
const progressPause = 100 * time.Millisecond

func (a *App) NewProgress(verb string, all int) *Progress {
	return &Progress{App: a, verb: verb, all: all, drawn: a.Now()}
}

// Step counts one more item. Short work draws no progress.
func (p *Progress) Step() {
	p.Done++
	if !p.ErrTerminal || p.Quiet || p.Getenv("TERM") == "dumb" {
		return
	}
	if now := p.Now(); now.Sub(p.drawn) >= progressPause {
		p.drawn, p.shown = now, true
		p.DrawLine(p.Text())
	}
}

func (p *Progress) Text() string {
	const cells = 20
	if p.all == 0 {
		return fmt.Sprintf("%s: %d", p.verb, p.Done)
	}
	full := cells * p.Done / p.all
	return fmt.Sprintf("%s [%s%s] %d of %d", p.verb, strings.Repeat("#", full), strings.Repeat(" ", cells-full), p.Done, p.all)
}

// Clear removes the line.
func (p *Progress) Clear() {
	if p.shown {
		p.DrawLine("")
	}
	p.shown = false
}
