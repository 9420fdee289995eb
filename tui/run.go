package tui

import (
	"context"
	"sync"

	tea "github.com/charmbracelet/bubbletea"
)

// framesPerSecond is how often the screen is drawn while something changes: a
// key shall be seen in the frame after it.
const framesPerSecond = 120

// Run shows the browser until the person leaves it or ctx ends, and returns the
// error of the terminal or of ctx, if any. Options come after its own. A text
// that was being written when it ended, and that the daemon does not have, is
// unsaved.
func Run(ctx context.Context, cfg Config, options ...tea.ProgramOption) (unsaved string, err error) {
	running, stop := context.WithCancel(ctx)
	defer stop()
	own := []tea.ProgramOption{tea.WithContext(running), tea.WithoutSignalHandler(), tea.WithFPS(framesPerSecond)}
	if !cfg.Plain {
		own = append(own, tea.WithAltScreen())
	}
	if cfg.Mouse {
		own = append(own, tea.WithMouseCellMotion())
	}
	p := tea.NewProgram(New(running, cfg), append(own, options...)...)
	var following sync.WaitGroup
	following.Go(func() { follow(running, cfg.Client, cfg.Now, p.Send) })
	last, err := p.Run()
	stop()
	following.Wait()
	if m, ok := last.(Model); ok {
		unsaved = m.unsaved()
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return unsaved, err
}

// unsaved returns what is being written, if it is nowhere else.
func (m Model) unsaved() string {
	if c, ok := m.dialog.(*composer); ok && c.changed() {
		return c.allText()
	}
	return ""
}
