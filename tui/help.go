package tui

import (
	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/tui/screen"
)

// newHelp returns a dialog with every key. It is generated from the key map.
func (m *Model) newHelp() *screen.Page {
	return &screen.Page{Name: "help", Content: func(width int) []string { return helpLines(m.Theme, m.Keys, width) }}
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
