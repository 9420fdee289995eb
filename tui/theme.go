package tui

import (
	"image/color"
	"io"

	"github.com/charmbracelet/lipgloss"

	"github.com/schedctl/schedctl"
)

// theme is the appearance. Color never carries information alone.
type theme struct {
	plain  bool // sentences instead of columns, for screen readers
	title  style
	active style // the current tab
	faint  style // what is less important; never a key, a hint or advice
	hint   style
	blank  style // what an empty field may have
	chosen style // the selected row
	good   style
	warn   style
	bad    style
	link   style

	accounts []style // of account tags
	glyphs   glyphs

	cursor style

	signs map[schedctl.Status]string
}

// newTheme returns the theme for a renderer; nil means no color. It uses the sixteen
// colors that the user has configured, so it fits light and dark terminals, and for
// secondary text a gray that is readable on the background, which may be nil.
func newTheme(r *lipgloss.Renderer, plain bool, background color.Color) theme {
	if r == nil || plain {
		r = lipgloss.NewRenderer(io.Discard)
	}
	fg := func(light, dark string) style {
		return style{r.NewStyle().Foreground(lipgloss.AdaptiveColor{Light: light, Dark: dark})}
	}
	t := theme{
		plain:  plain,
		title:  style{r.NewStyle().Bold(true)},
		active: style{r.NewStyle().Bold(true).Reverse(true)},
		faint:  secondary(r, background),
		hint:   style{r.NewStyle()},
		blank:  style{r.NewStyle().Italic(true)},
		chosen: style{r.NewStyle().Bold(true)},
		good:   fg("2", "10"),
		warn:   fg("3", "11"),
		bad:    fg("1", "9"),
		link:   fg("4", "12"),
		glyphs: unicodeGlyphs,
		cursor: style{r.NewStyle()},
	}
	for _, c := range [][2]string{{"6", "14"}, {"5", "13"}, {"4", "12"}, {"2", "10"}, {"3", "11"}} { // red is for failures
		t.accounts = append(t.accounts, fg(c[0], c[1]))
	}
	if t.active.Render("x") == "x" { // no attributes either: the cursor must still be visible
		mark := "▏"
		if plain {
			mark = "|"
		}
		t.cursor.Style = t.cursor.Transform(func(s string) string { return mark + s })
	}
	t.signs = statusSigns(t)
	return t
}

// mark renders the start of a row, which marks the selected row.
func (t theme) mark(selected bool) string {
	switch {
	case !selected:
		return "  "
	case t.plain:
		return "> "
	}
	return t.link.Render("▌") + " "
}

// today marks the current day.
func (t theme) today(text string) string {
	if t.active.Render("x") == "x" {
		return "[" + text + "]"
	}
	return t.active.Render(" " + text + " ")
}

// row renders the text of a row.
func (t theme) row(text string, selected bool) string {
	if selected {
		return t.chosen.Render(text)
	}
	return text
}

// rule returns the character of horizontal lines.
func (t theme) rule() string {
	if t.plain {
		return ""
	}
	return "─"
}

// status renders the one-column sign of a status, or its name in plain mode.
func (t theme) status(s schedctl.Status) string {
	if sign, known := t.signs[s]; known && !t.plain {
		return sign
	}
	return string(s)
}

// statusSigns renders the signs of all statuses once, because every row uses them.
func statusSigns(t theme) map[schedctl.Status]string {
	return map[schedctl.Status]string{
		schedctl.Draft:      t.faint.Render("◌"),
		schedctl.Scheduled:  t.link.Render("○"),
		schedctl.Publishing: t.warn.Render("◐"),
		schedctl.Published:  t.good.Render("●"),
		schedctl.Failed:     t.bad.Render("✕"),
		schedctl.Canceled:   t.faint.Render("⊘"),
	}
}

// secondary returns the style of text that is less important. On a known background it is a
// readable gray. On others it is the foreground of the terminal, faint: the gray of the 16
// colors is the background of some color schemes.
func secondary(r *lipgloss.Renderer, background color.Color) style {
	const colors256 = 1 // profiles are numbered from the one with most colors
	if background == nil || r.ColorProfile() > colors256 {
		return style{r.NewStyle().Faint(true)}
	}
	if gray := readableGray(background); gray != "" {
		return style{r.NewStyle().Foreground(lipgloss.Color(gray))}
	}
	return style{r.NewStyle()}
}
