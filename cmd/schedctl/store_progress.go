package main

import (
	"time"

	"github.com/schedctl/schedctl/storage/transfer"
)

// storeProgress says how far a copy is: a line that changes on a terminal, and
// lines now and then elsewhere.
type storeProgress struct {
	*app
	from, to string
	phase    transfer.Phase
	bar      *progress
	told     time.Time
}

// storeProgressPause is the time between lines of progress without a terminal.
const storeProgressPause = 10 * time.Second

func (a *app) newStoreProgress(from, to string) *storeProgress {
	return &storeProgress{app: a, from: from, to: to}
}

// show takes what is known of a phase.
func (p *storeProgress) show(phase transfer.Phase, done, all int) {
	if phase != p.phase {
		p.begin(phase, done, all)
		return
	}
	for p.bar.done < done {
		p.bar.step()
	}
	if now := p.now(); !p.errTerminal && now.Sub(p.told) >= storeProgressPause {
		p.told = now
		p.line(p.bar.text())
	}
}

func (p *storeProgress) begin(phase transfer.Phase, done, all int) {
	p.end()
	p.phase, p.told = phase, p.now()
	p.bar = p.newProgress(string(phase), all)
	p.bar.done = done
	switch phase {
	case transfer.Reading:
		p.line("reading " + p.from)
	case transfer.Copying:
		p.line("copying " + plural(all-done, "record") + " to " + p.to)
	case transfer.Verifying:
		p.line("verifying " + p.to)
	}
}

// line prints a permanent line, except with -q.
func (p *storeProgress) line(text string) {
	if !p.quiet {
		p.tell("%s", text)
	}
}

// end takes the line away that changes.
func (p *storeProgress) end() {
	if p.bar != nil {
		p.bar.clear()
	}
}
