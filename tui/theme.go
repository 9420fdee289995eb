package tui

import (
	"io"

	"github.com/charmbracelet/lipgloss"

	"github.com/schedctl/schedctl"
)

// theme is how things look. Nothing is said by colour alone.
type theme struct {
	plain  bool // sentences in place of columns, for who listens to the screen
	title  lipgloss.Style
	active lipgloss.Style // the tab that is shown
	faint  lipgloss.Style
	chosen lipgloss.Style // the row that is selected
	good   lipgloss.Style
	warn   lipgloss.Style
	bad    lipgloss.Style
	link   lipgloss.Style
	cursor lipgloss.Style

	signs map[schedctl.Status]string
}

// newTheme returns the theme for what a renderer knows of its terminal; nil is
// one without colour. The sixteen colours are those that the person has chosen
// for the terminal, and so fit a light and a dark one.
func newTheme(r *lipgloss.Renderer, plain bool) theme {
	if r == nil || plain {
		r = lipgloss.NewRenderer(io.Discard)
	}
	fg := func(light, dark string) lipgloss.Style {
		return r.NewStyle().Foreground(lipgloss.AdaptiveColor{Light: light, Dark: dark})
	}
	t := theme{
		plain:  plain,
		title:  r.NewStyle().Bold(true),
		active: r.NewStyle().Bold(true).Reverse(true),
		faint:  fg("8", "8"),
		chosen: r.NewStyle().Bold(true),
		good:   fg("2", "10"),
		warn:   fg("3", "11"),
		bad:    fg("1", "9"),
		link:   fg("4", "12"),
		cursor: r.NewStyle(),
	}
	if t.active.Render("x") == "x" { // no attributes either: the cursor must show all the same
		mark := "▏"
		if plain {
			mark = "|"
		}
		t.cursor = t.cursor.Transform(func(s string) string { return mark + s })
	}
	t.signs = statusSigns(t)
	return t
}

// mark begins a row, and tells which one is selected.
func (t theme) mark(selected bool) string {
	switch {
	case !selected:
		return "  "
	case t.plain:
		return "> "
	}
	return t.link.Render("▌") + " "
}

// today marks the day that it is.
func (t theme) today(text string) string {
	if t.active.Render("x") == "x" {
		return "[" + text + "]"
	}
	return t.active.Render(" " + text + " ")
}

// row draws the text of a row.
func (t theme) row(text string, selected bool) string {
	if selected {
		return t.chosen.Render(text)
	}
	return text
}

// rule is a line between two parts of the screen.
func (t theme) rule() string {
	if t.plain {
		return ""
	}
	return "─"
}

// status draws the sign of a status, one column wide, or in plain its name.
func (t theme) status(s schedctl.Status) string {
	if sign, known := t.signs[s]; known && !t.plain {
		return sign
	}
	return string(s)
}

// statusSigns draws the signs of all statuses once: they are in every row.
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
