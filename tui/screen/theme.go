package screen

import (
	"image/color"
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"github.com/schedctl/schedctl"
)

// Theme is the appearance. Color never carries information alone.
type Theme struct {
	ASCII  bool // other signs are replaced in the end
	Plain  bool // sentences instead of columns, for screen readers
	Title  Style
	Active Style // the current tab
	Faint  Style // what is less important; never a key, a hint or advice
	Hint   Style
	Blank  Style // what an empty field may have
	chosen Style // the selected row
	Good   Style
	Warn   Style
	Bad    Style
	Link   Style

	accounts []Style // of account tags
	Glyphs   Glyphs

	Cursor Style

	signs map[schedctl.Status]string
}

// NewTheme returns the theme for a renderer; nil means no color. It uses the sixteen
// colors that the user has configured, so it fits light and dark terminals, and for
// secondary text a gray that is readable on the background, which may be nil.
func NewTheme(r *lipgloss.Renderer, plain bool, background color.Color) Theme {
	if r == nil || plain {
		r = lipgloss.NewRenderer(io.Discard)
	}
	fg := func(light, dark string) Style {
		return Style{r.NewStyle().Foreground(lipgloss.AdaptiveColor{Light: light, Dark: dark})}
	}
	t := Theme{
		Plain:  plain,
		Title:  Style{r.NewStyle().Bold(true)},
		Active: Style{r.NewStyle().Bold(true).Reverse(true)},
		Faint:  secondary(r, background),
		Hint:   Style{r.NewStyle()},
		Blank:  Style{r.NewStyle().Italic(true)},
		chosen: Style{r.NewStyle().Bold(true)},
		Good:   fg("2", "10"),
		Warn:   fg("3", "11"),
		Bad:    fg("1", "9"),
		Link:   fg("4", "12"),
		Glyphs: unicodeGlyphs,
		Cursor: Style{r.NewStyle()},
	}
	for _, c := range [][2]string{{"6", "14"}, {"5", "13"}, {"4", "12"}, {"2", "10"}, {"3", "11"}} { // red is for failures
		t.accounts = append(t.accounts, fg(c[0], c[1]))
	}
	if t.Active.Render("x") == "x" { // no attributes either: the cursor must still be visible
		mark := "▏"
		if plain {
			mark = "|"
		}
		t.Cursor.Style = t.Cursor.Transform(func(s string) string { return mark + s })
	}
	t.signs = statusSigns(t)
	return t
}

// Mark renders the start of a row, which marks the selected row.
func (t Theme) Mark(selected bool) string {
	switch {
	case !selected:
		return "  "
	case t.Plain:
		return "> "
	}
	return t.Link.Render("▌") + " "
}

// Today marks the current day.
func (t Theme) Today(text string) string {
	if t.Active.Render("x") == "x" {
		return "[" + text + "]"
	}
	return t.Active.Render(" " + text + " ")
}

// Row renders the text of a row.
func (t Theme) Row(text string, selected bool) string {
	if selected {
		return t.chosen.Render(text)
	}
	return text
}

// Rule returns the character of horizontal lines.
func (t Theme) Rule() string {
	if t.Plain {
		return ""
	}
	return "─"
}

// Colored reports whether there are colors.
func (t Theme) Colored() bool { return t.Good.Render("x") != "x" }

// Status renders the one-column sign of a status, or its name in plain mode.
func (t Theme) Status(s schedctl.Status) string {
	if sign, known := t.signs[s]; known && !t.Plain {
		return sign
	}
	return string(s)
}

// statusSigns renders the signs of all statuses once, because every row uses them.
func statusSigns(t Theme) map[schedctl.Status]string {
	return map[schedctl.Status]string{
		schedctl.Draft:      t.Faint.Render("◌"),
		schedctl.Scheduled:  t.Link.Render("○"),
		schedctl.Publishing: t.Warn.Render("◐"),
		schedctl.Published:  t.Good.Render("●"),
		schedctl.Failed:     t.Bad.Render("✕"),
		schedctl.Canceled:   t.Faint.Render("⊘"),
	}
}

// secondary returns the style of text that is less important. On a known background it is a
// readable gray. On others it is the foreground of the terminal, faint: the gray of the 16
// colors is the background of some color schemes.
func secondary(r *lipgloss.Renderer, background color.Color) Style {
	const colors256 = 1 // profiles are numbered from the one with most colors
	if background == nil || r.ColorProfile() > colors256 {
		return Style{r.NewStyle().Faint(true)}
	}
	if gray := readableGray(background); gray != "" {
		return Style{r.NewStyle().Foreground(lipgloss.Color(gray))}
	}
	return Style{r.NewStyle()}
}

// Glyphs are the signs of the screen.
type Glyphs struct {
	Picture, Thread, Poll, Held string
	Shade, Hold, Moving, Marked string
}

var unicodeGlyphs = Glyphs{Picture: "▣", Thread: "≡", Poll: "☑", Held: "‖", Shade: "░", Hold: "▒", Moving: "»", Marked: "◆"}

// RuleLine renders a horizontal line; an empty one if there is none in the theme.
func (t Theme) RuleLine(width int) string {
	return t.Faint.Render(strings.Repeat(t.Rule(), width))
}
