package tui

import (
	"context"
	"sync"

	tea "github.com/charmbracelet/bubbletea"
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
type Unsaved struct {
	Text   string
	PostID string // the post about which Text is a note; empty for the text of a post
}

// unsaved returns the text in the composer, or the note in a review, if it is not saved.
func (m *Model) unsaved() Unsaved {
	switch d := m.dialog.(type) {
	case *composer:
		if d.changed() {
			return Unsaved{Text: d.allText()}
		}
	case *reviewForm:
		if text := d.typed(); text != "" {
			return Unsaved{Text: text, PostID: d.post.ID}
		}
	}
	return Unsaved{}
}
