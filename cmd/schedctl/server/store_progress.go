package server

import (
	"time"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/storage/transfer"
)

// storeProgress reports the progress of a copy: as a changing line on a terminal, else
// as occasional lines.
type storeProgress struct {
	*cli.App
	from, to string
	phase    transfer.Phase
	bar      *cli.Progress
	told     time.Time
}

// storeProgressPause is the time between lines of progress without a terminal.
const storeProgressPause = 10 * time.Second

func newStoreProgress(a *cli.App, from, to string) *storeProgress {
	return &storeProgress{App: a, from: from, to: to}
}

// show updates the progress of a phase.
func (p *storeProgress) show(phase transfer.Phase, done, all int) {
	if phase != p.phase {
		p.begin(phase, done, all)
		return
	}
	for p.bar.Done < done {
		p.bar.Step()
	}
	if now := p.Now(); !p.ErrTerminal && now.Sub(p.told) >= storeProgressPause {
		p.told = now
		p.line(p.bar.Text())
	}
}

func (p *storeProgress) begin(phase transfer.Phase, done, all int) {
	p.end()
	p.phase, p.told = phase, p.Now()
	p.bar = p.NewProgress(string(phase), all)
	p.bar.Done = done
	switch phase {
	case transfer.Reading:
		p.line("reading " + p.from)
	case transfer.CopyingFiles:
		p.line("checking and copying " + cli.Plural(all-done, "media file"))
	case transfer.Copying:
		p.line("copying " + cli.Plural(all-done, "record") + " to " + p.to)
	case transfer.Verifying:
		p.line("verifying " + p.to)
	}
}

// line prints a permanent line, except with -q.
func (p *storeProgress) line(text string) {
	if !p.Quiet {
		p.Messagef("%s", text)
	}
}

// end removes the changing line.
func (p *storeProgress) end() {
	if p.bar != nil {
		p.bar.Clear()
	}
}
