package tui

import (
	"context"
	"sync"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/tui/screen"
)

// framesPerSecond is the frame rate while something changes. A key press must be
// visible in the next frame.
const framesPerSecond = 120

// Run shows the browser until the user quits or ctx ends. It returns the error of
// the terminal or of ctx, if any. options are applied after Run's own options.
// unsaved is the text that was being edited and is not saved in the daemon.
func Run(ctx context.Context, cfg Config, options ...tea.ProgramOption) (unsaved Unsaved, err error) {
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
	if m, ok := last.(*Model); ok {
		unsaved = m.unsaved()
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return unsaved, err
}

// Unsaved is a text that the daemon does not have. It may be empty.
type Unsaved = screen.Unsaved

// unsaved returns the text in the open dialog, if it is not saved.
func (m *Model) unsaved() Unsaved {
	if w, ok := m.dialog.(screen.Writer); ok {
		return w.Unsaved()
	}
	return Unsaved{}
}
