package main

import (
	"fmt"
	"strings"
	"time"
)

// progress is a line on the terminal that says how far a command has come. It is
// for one goroutine.
type progress struct {
	*app
	verb      string
	done, all int // all is 0 when unknown
	drawn     time.Time
	shown     bool
}

// progressPause is how often the line changes.
const progressPause = 100 * time.Millisecond

func (a *app) newProgress(verb string, all int) *progress {
	return &progress{app: a, verb: verb, all: all, drawn: a.now()}
}

// step counts one more. Short work draws no progress.
func (p *progress) step() {
	p.done++
	if !p.errTerminal || p.quiet || p.getenv("TERM") == "dumb" {
		return
	}
	if now := p.now(); now.Sub(p.drawn) >= progressPause {
		p.drawn, p.shown = now, true
		fmt.Fprintf(p.err, "\r\x1b[K%s", p.text())
	}
}

func (p *progress) text() string {
	const cells = 20
	if p.all == 0 {
		return fmt.Sprintf("%s: %d", p.verb, p.done)
	}
	full := cells * p.done / p.all
	return fmt.Sprintf("%s [%s%s] %d of %d", p.verb, strings.Repeat("#", full), strings.Repeat(" ", cells-full), p.done, p.all)
}

// clear takes the line away.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.err, "\r\x1b[K")
	}
	p.shown = false
}
