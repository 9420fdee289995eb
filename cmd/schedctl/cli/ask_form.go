package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/charmbracelet/bubbles/help"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"

	"github.com/schedctl/schedctl/tui/printable"
)

// AskForm shows the questions on one page.
func (a *App) AskForm(ctx context.Context, questions []Question) error {
	fields := make([]huh.Field, len(questions))
	for i, q := range questions {
		fields[i] = formField(q)
	}
	theme := huh.ThemeBase16() // its colors are readable on light and dark backgrounds
	if !a.Colored() {
		theme = huh.ThemeBase()
		theme.Help = help.Styles{}
	}
	form := huh.NewForm(huh.NewGroup(fields...)).WithTheme(theme).WithShowHelp(true).
		WithProgramOptions(tea.WithInput(a.In), tea.WithOutput(a.System.Err), tea.WithoutSignalHandler())
	err := form.RunWithContext(ctx)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, huh.ErrUserAborted):
		return errDeclined
	}
	return fmt.Errorf("ask: %w", err)
}

// formField returns the field of a question. The library writes to the terminal itself, so
// texts are made printable here; it does that itself for what is typed.
func formField(q Question) huh.Field {
	title, help := OneLine(q.Title), printable.Clean(q.Help)
	if q.Choices != nil {
		options := make([]huh.Option[string], len(q.Choices))
		for i, c := range q.Choices {
			options[i] = huh.NewOption(OneLine(c.Label), c.Value)
		}
		return huh.NewSelect[string]().Title(title).Description(help).Options(options...).Value(q.Value)
	}
	input := huh.NewInput().Title(title).Description(help).Value(q.Value).Validate(func(given string) error {
		if err := q.check(given); err != nil {
			return errors.New(OneLine(err.Error()))
		}
		return nil
	})
	if q.Secret {
		input.EchoMode(huh.EchoModePassword)
	}
	return input
}
