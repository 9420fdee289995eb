package screen

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// Page is a full-screen dialog with lines to read.
type Page struct {
	Name    string // what a key closes, for example: help
	Content func(width int) []string
	top     int
}

// FullScreen implements [Dialog].
func (p *Page) FullScreen() bool { return true }

// Key implements [Dialog].
func (p *Page) Key(f Frame, k tea.KeyMsg) tea.Cmd {
	width, _ := f.Size()
	switch keys := &f.Current().Keys; {
	case key.Matches(k, keys.Kill):
		return tea.Quit
	case key.Matches(k, keys.Down, keys.PageDown):
		p.top = min(p.top+1, len(p.Content(width)))
	case key.Matches(k, keys.Up, keys.PageUp):
		p.top = max(0, p.top-1)
	default:
		f.Close()
	}
	return nil
}

// Lines implements [Dialog].
func (p *Page) Lines(f Frame, width, height int) []string {
	lines := p.Content(width)
	room := max(1, height-1)
	first := max(0, min(p.top, len(lines)-room))
	hint := "↑ ↓ scroll   any other key closes " + p.Name
	return append(FitLines(lines[first:], width, room), f.Current().Theme.Hint.Render(Clip(hint, width)))
}
