package week

import (
	"slices"
	"strings"

	"github.com/schedctl/schedctl/tui/postlist"
)

// weekShade renders the hours and the reason of a blackout.
func weekShade(s postlist.Scene, sh postlist.Shade, c postlist.Cell) []string {
	const fullFrom = 15 // columns for two times with minutes
	about := sh.About
	if about == "" {
		about = sh.Kind()
	}
	lines := []string{postlist.ShadeLine(s, sh, sh.Hours(c.Day, c.Width < fullFrom), c.Width)}
	if c.Each > 1 {
		lines = append(lines, postlist.ShadeLine(s, sh, about, c.Width))
	}
	return lines
}

// fillShade shades the empty lines of a day that a blackout covers.
func fillShade(s postlist.Scene, lines []string, shades []postlist.Shade, c postlist.Cell) []string {
	i := slices.IndexFunc(shades, func(sh postlist.Shade) bool { return sh.AllDay })
	if i < 0 {
		return lines
	}
	draw, sign := postlist.Shading(s.Theme, shades[i].Hold)
	for len(lines) < c.Height {
		lines = append(lines, draw.Render(strings.Repeat(sign, max(0, c.Width))))
	}
	return lines
}
