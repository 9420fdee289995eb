package tui

import (
	"strings"

	"github.com/charmbracelet/lipgloss"

	"github.com/schedctl/schedctl/tui/printable"
)

// style is how a text looks. Only what a style or [own] returns keeps its control
// sequences on the screen: see [finish].
type style struct{ lipgloss.Style }

// Render returns a text in this style. The text may have parts in other styles.
func (s style) Render(text ...string) string {
	return printable.Own(s.Style.Render(printable.Scrub(strings.Join(text, " "))))
}

// own returns the view of an input, which has styles and otherwise only text that the
// input has made printable.
func own(view string) string { return printable.Own(view) }

// finish returns a screen of at most a size, whose only control sequences are the styles
// of the program.
func finish(lines []string, width, height int) string {
	whole := make([]string, len(lines))
	for i, line := range lines {
		whole[i] = strings.NewReplacer("\n", "\ufffd", "\t", "\ufffd").Replace(printable.Scrub(line))
	}
	return printable.Finish(strings.Join(fitLines(whole, width, height), "\n"))
}
