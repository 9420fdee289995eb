package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// weekShade renders the hours and the reason of a blackout.
func weekShade(s postlist.Scene, sh postlist.Shade, c column) []string {
	const fullFrom = 15 // columns for two times with minutes
	about := sh.About
	if about == "" {
		about = sh.Kind()
	}
	lines := []string{shadeLine(s, sh, sh.Hours(c.day, c.width < fullFrom), c.width)}
	if c.each > 1 {
		lines = append(lines, shadeLine(s, sh, about, c.width))
	}
	return lines
}

// shading returns the style and the sign of a blackout, or of a hold.
func shading(t screen.Theme, hold bool) (screen.Style, string) {
	if hold {
		return t.Warn, t.Glyphs.Hold
	}
	return t.Faint, t.Glyphs.Shade
}

// shadeLine renders a text on a shaded line.
func shadeLine(s postlist.Scene, sh postlist.Shade, text string, width int) string {
	draw, sign := shading(s.Theme, sh.Hold)
	text = screen.Clip(sign+" "+text, width)
	if left := width - ansi.StringWidth(text); left > 1 {
		text += " " + strings.Repeat(sign, left-1)
	}
	return draw.Render(text)
}

// fillShade shades the empty lines of a day that a blackout covers.
func fillShade(s postlist.Scene, lines []string, shades []postlist.Shade, c column) []string {
	i := slices.IndexFunc(shades, func(sh postlist.Shade) bool { return sh.AllDay })
	if i < 0 {
		return lines
	}
	draw, sign := shading(s.Theme, shades[i].Hold)
	for len(lines) < c.height {
		lines = append(lines, draw.Render(strings.Repeat(sign, max(0, c.width))))
	}
	return lines
}
