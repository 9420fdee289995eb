package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/tui/screen"
)

// help shows every key. It is generated from the key map.
type help struct{ top int }

// FullScreen implements [screen.Dialog].
func (h *help) FullScreen() bool { return true }

// Key implements [screen.Dialog].
func (h *help) Key(f screen.Frame, k tea.KeyMsg) tea.Cmd {
	m := f.(*Model)
	switch {
	case key.Matches(k, m.Keys.Kill):
		return tea.Quit
	case key.Matches(k, m.Keys.Down, m.Keys.PageDown):
		h.top = min(h.top+1, len(helpLines(m.Theme, m.Keys, m.width)))
	case key.Matches(k, m.Keys.Up, m.Keys.PageUp):
		h.top = max(0, h.top-1)
	default:
		m.dialog = nil
	}
	return nil
}

// Lines implements [screen.Dialog].
func (h *help) Lines(f screen.Frame, width, height int) []string {
	m := f.(*Model)
	lines := helpLines(m.Theme, m.Keys, width)
	room := max(1, height-1)
	first := max(0, min(h.top, len(lines)-room))
	return append(screen.FitLines(lines[first:], width, room), m.Theme.Hint.Render(screen.Clip("↑ ↓ scroll   any other key closes help", width)))
}

// helpLines lists the keys, in two columns if the screen is wide enough.
func helpLines(t screen.Theme, k screen.KeyMap, width int) (lines []string) {
	const columnFrom = 76
	cell, perLine := width, 1
	if width >= columnFrom && !t.Plain {
		cell, perLine = width/2, 2
	}
	for _, g := range append(k.Browsing(), k.Composing()) {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, t.Title.Render(g.Title))
		line := ""
		for i, b := range g.Keys {
			text := "  " + screen.PadRight(b.Help().Key, 10) + " " + b.Help().Desc
			if line += screen.PadRight(text, cell); i%perLine == perLine-1 || i == len(g.Keys)-1 {
				lines = append(lines, screen.Clip(line, width))
				line = ""
			}
		}
	}
	return append(lines, signLines(t, width)...)
}

// signLines explains the signs of the screen.
func signLines(t screen.Theme, width int) []string {
	if t.Plain {
		return nil // words are in their place
	}
	g := t.Glyphs
	signs := [][2]string{
		{t.Status(schedctl.Draft), "draft"}, {t.Status(schedctl.Scheduled), "scheduled"}, {t.Status(schedctl.Publishing), "publishing"},
		{t.Status(schedctl.Published), "published"}, {t.Status(schedctl.Failed), "failed"}, {t.Status(schedctl.Canceled), "canceled"},
		{g.Picture, "files"}, {g.Thread, "thread"}, {g.Poll, "poll"}, {"↻", "series"}, {"?", "waits for approval"}, {"✓", "approved"}, {"✎", "needs changes"},
		{g.Held, "held"}, {"!", "warning"}, {g.Shade, "blackout"}, {g.Hold, "pause"}, {"+", "free slot"}, {g.Marked, "marked"}, {g.Moving, "being moved"},
	}
	parts := make([]string, len(signs))
	for i, s := range signs {
		parts[i] = s[0] + " " + s[1]
	}
	lines := []string{"", t.Title.Render("Signs")}
	line := " "
	for _, p := range parts {
		if ansi.StringWidth(line)+3+ansi.StringWidth(p) > width && line != " " {
			lines, line = append(lines, line), " "
		}
		line += " " + p + "  "
	}
	return append(lines, line, "  Two colored characters stand for an account.")
}
