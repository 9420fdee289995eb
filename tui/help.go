package tui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl"
)

// help shows every key. It is generated from the key map.
type help struct{ top int }

// FullScreen implements [Dialog].
func (h *help) FullScreen() bool { return true }

// Key implements [Dialog].
func (h *help) Key(f Frame, k tea.KeyMsg) tea.Cmd {
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

// Lines implements [Dialog].
func (h *help) Lines(f Frame, width, height int) []string {
	m := f.(*Model)
	lines := helpLines(m.Theme, m.Keys, width)
	room := max(1, height-1)
	first := max(0, min(h.top, len(lines)-room))
	return append(fitLines(lines[first:], width, room), m.Theme.hint.Render(clip("↑ ↓ scroll   any other key closes help", width)))
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
	return append(lines, signLines(t, width)...)
}

// keyGap separates two keys in a line.
const keyGap = "   "

// shortHelp renders the most important keys, as many as fit.
func shortHelp(t theme, keys []key.Binding, width int) string {
	texts := make([]string, keysThatFit(keys, width))
	for i := range texts {
		texts[i] = t.title.Render(keys[i].Help().Key) + " " + t.hint.Render(keys[i].Help().Desc)
	}
	return strings.Join(texts, keyGap)
}

// keysThatFit returns how many of the first keys fit in a line.
func keysThatFit(keys []key.Binding, width int) int {
	used := -len(keyGap)
	for i, b := range keys {
		if used += len(keyGap) + ansi.StringWidth(keyText(b)); used > width {
			return i
		}
	}
	return len(keys)
}

func keyText(b key.Binding) string { return b.Help().Key + " " + b.Help().Desc }

// signLines explains the signs of the screen.
func signLines(t theme, width int) []string {
	if t.plain {
		return nil // words are in their place
	}
	g := t.glyphs
	signs := [][2]string{
		{t.status(schedctl.Draft), "draft"}, {t.status(schedctl.Scheduled), "scheduled"}, {t.status(schedctl.Publishing), "publishing"},
		{t.status(schedctl.Published), "published"}, {t.status(schedctl.Failed), "failed"}, {t.status(schedctl.Canceled), "canceled"},
		{g.picture, "files"}, {g.thread, "thread"}, {g.poll, "poll"}, {"↻", "series"}, {"?", "waits for approval"}, {"✓", "approved"}, {"✎", "needs changes"},
		{g.held, "held"}, {"!", "warning"}, {g.shade, "blackout"}, {g.hold, "pause"}, {"+", "free slot"}, {g.marked, "marked"}, {g.moving, "being moved"},
	}
	parts := make([]string, len(signs))
	for i, s := range signs {
		parts[i] = s[0] + " " + s[1]
	}
	lines := []string{"", t.title.Render("Signs")}
	line := " "
	for _, p := range parts {
		if ansi.StringWidth(line)+3+ansi.StringWidth(p) > width && line != " " {
			lines, line = append(lines, line), " "
		}
		line += " " + p + "  "
	}
	return append(lines, line, "  Two colored characters stand for an account.")
}
