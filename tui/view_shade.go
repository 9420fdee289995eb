package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// weekShade renders the hours and the reason of a blackout.
func weekShade(s drawContext, sh shade, c column) []string {
	const fullFrom = 15 // columns for two times with minutes
	about := sh.about
	if about == "" {
		about = sh.kind()
	}
	lines := []string{shadeLine(s, sh, sh.hours(c.day, c.width < fullFrom), c.width)}
	if c.each > 1 {
		lines = append(lines, shadeLine(s, sh, about, c.width))
	}
	return lines
}

// shadeLine renders a text on a shaded line.
func shadeLine(s drawContext, sh shade, text string, width int) string {
	sign := s.theme.faint
	if sh.hold {
		sign = s.theme.warn
	}
	text = clip("░ "+text, width)
	if left := width - ansi.StringWidth(text); left > 1 {
		text += " " + strings.Repeat("░", left-1)
	}
	return sign.Render(text)
}

// fillShade shades the empty lines of a day that a blackout covers.
func fillShade(s drawContext, lines []string, shades []shade, c column) []string {
	i := slices.IndexFunc(shades, func(sh shade) bool { return sh.allDay })
	for i >= 0 && len(lines) < c.height {
		line := strings.Repeat("░", max(0, c.width))
		if shades[i].hold {
			lines = append(lines, s.theme.warn.Render(line))
			continue
		}
		lines = append(lines, s.theme.faint.Render(line))
	}
	return lines
}
