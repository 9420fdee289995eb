package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// help shows every key. It is generated from the key map.
type help struct{ top int }

func (h *help) fullScreen() bool { return true }

func (h *help) key(m *Model, k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, m.keys.Kill):
		return tea.Quit
	case key.Matches(k, m.keys.Down, m.keys.PageDown):
		h.top = min(h.top+1, len(helpLines(m.theme, m.keys, m.width)))
	case key.Matches(k, m.keys.Up, m.keys.PageUp):
		h.top = max(0, h.top-1)
	default:
		m.dialog = nil
	}
	return nil
}

func (h *help) lines(m *Model, width, height int) []string {
	lines := helpLines(m.theme, m.keys, width)
	room := max(1, height-1)
	first := max(0, min(h.top, len(lines)-room))
	return append(fitLines(lines[first:], width, room), m.theme.faint.Render(clip("↑ ↓ scroll   any other key closes help", width)))
}

// helpLines lists the keys, in two columns if the screen is wide enough.
func helpLines(t theme, k keyMap, width int) (lines []string) {
	const columnFrom = 76
	cell, perLine := width, 1
	if width >= columnFrom && !t.plain {
		cell, perLine = width/2, 2
	}
	for _, g := range append(k.browsing(), k.composing()) {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, t.title.Render(g.title))
		line := ""
		for i, b := range g.keys {
			text := "  " + padRight(b.Help().Key, 10) + " " + b.Help().Desc
			if line += padRight(text, cell); i%perLine == perLine-1 || i == len(g.keys)-1 {
				lines = append(lines, clip(line, width))
				line = ""
			}
		}
	}
	return lines
}

// shortHelp renders the most important keys, as many as fit.
func shortHelp(t theme, keys []key.Binding, width int) string {
	line, used := "", 0
	for _, b := range keys {
		text := b.Help().Key + " " + b.Help().Desc
		if used > 0 {
			text = "   " + text
		}
		w := ansi.StringWidth(text)
		if used+w > width {
			break
		}
		line, used = line+text, used+w
	}
	return t.faint.Render(line)
}
