package screen

import (
	"strings"

	"github.com/charmbracelet/lipgloss"

	"github.com/schedctl/schedctl/tui/printable"
)

// Style is how a text looks. Only what a style or [Own] returns keeps its control
// sequences on the screen: see [Finish].
type Style struct{ lipgloss.Style }

// Render returns a text in this style. The text may have parts in other styles.
func (s Style) Render(text ...string) string {
	return printable.Own(s.Style.Render(printable.Scrub(strings.Join(text, " "))))
}

// Own returns the view of an input, which has styles and otherwise only text that the
// input has made printable.
func Own(view string) string { return printable.Own(view) }

// Finish returns a screen of at most a size, whose only control sequences are the styles
// of the program.
func Finish(lines []string, width, height int) string {
	whole := make([]string, len(lines))
	for i, line := range lines {
		whole[i] = strings.NewReplacer("\n", "\ufffd", "\t", "\ufffd").Replace(printable.Scrub(line))
	}
	return printable.Finish(strings.Join(FitLines(whole, width, height), "\n"))
}
