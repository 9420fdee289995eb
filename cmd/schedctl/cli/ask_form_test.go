package cli

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/huh"

	"github.com/schedctl/schedctl/tui/printable"
)

// A form writes to the terminal without the streams of the App.
func TestFormsArePrintable(t *testing.T) {
	t.Parallel()
	const evil = "evil \x1b[8m\x1b]0;t\a\u009b2J\u202e\r"
	style := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for name, q := range map[string]Question{
		"choices": {Title: evil, Help: evil, Choices: []Choice{{Value: evil, Label: evil}}},
		"text":    {Title: evil, Help: evil, Check: func(string) error { return errors.New(evil) }},
	} {
		value := "typed by the user"
		q.Value = &value
		field := formField(q).WithTheme(huh.ThemeBase()).WithWidth(60).WithHeight(10)
		field.Focus()
		field.Blur() // checks the value
		shown := field.View()
		if err := field.Error(); err != nil {
			shown += err.Error()
		}
		rest := style.ReplaceAllString(shown, "")
		if rest != printable.Clean(rest) || strings.Contains(shown, "\x1b[8m") || !strings.Contains(rest, "evil \ufffd[8m") {
			t.Errorf("%s: %q", name, shown)
		}
	}
}
