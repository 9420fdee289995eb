package cli

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// byteProgress is a line on the terminal that shows how many bytes of a file were
// transferred. It may be used from several goroutines. It draws nothing without a
// terminal, with --quiet and with --json.
type byteProgress struct {
	*App
	verb string
	all  int64

	mu    sync.Mutex // guards what follows, and writes of the line
	drawn time.Time
	shown bool
	ended bool
}

// NewByteProgress returns the progress of a transfer of so many bytes.
func (a *App) NewByteProgress(verb string, all int64) *byteProgress {
	return &byteProgress{App: a, verb: verb, all: all, drawn: a.Now()}
}

// Set redraws the line with the number of bytes that were transferred so far.
// Short transfers draw no progress.
func (p *byteProgress) Set(done int64) {
	if !p.ErrTerminal || p.Quiet || p.JSON.Given || p.Getenv("TERM") == "dumb" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := p.Now(); !p.ended && now.Sub(p.drawn) >= progressPause {
		p.drawn, p.shown = now, true
		p.DrawLine(Clip(p.text(done), max(p.Width-1, 10)))
	}
}

func (p *byteProgress) text(done int64) string {
	const cells = 20
	full := int(cells * min(done, p.all) / max(p.all, 1))
	return fmt.Sprintf("%s [%s%s] %s of %s", p.verb, strings.Repeat("#", full), strings.Repeat(" ", cells-full), SizeText(done), SizeText(p.all))
}

// End removes the line. Later calls of [byteProgress.Set] draw nothing.
func (p *byteProgress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		p.DrawLine("")
	}
	p.shown, p.ended = false, true
}
