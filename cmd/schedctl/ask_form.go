package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/charmbracelet/bubbles/help"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"
)

// askForm puts the questions on one page.
func (a *app) askForm(ctx context.Context, questions []question) error {
	fields := make([]huh.Field, len(questions))
	for i, q := range questions {
		fields[i] = formField(q)
	}
	theme := huh.ThemeBase16() // its colours can be read on light and dark grounds
	if !a.colored() {
		theme = huh.ThemeBase()
		theme.Help = help.Styles{}
	}
	form := huh.NewForm(huh.NewGroup(fields...)).WithTheme(theme).WithShowHelp(true).
		WithProgramOptions(tea.WithInput(a.in), tea.WithOutput(a.err), tea.WithoutSignalHandler())
	err := form.RunWithContext(ctx)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, huh.ErrUserAborted):
		return declined
	}
	return fmt.Errorf("ask: %w", err)
}

func formField(q question) huh.Field {
	if q.choices != nil {
		options := make([]huh.Option[string], len(q.choices))
		for i, c := range q.choices {
			options[i] = huh.NewOption(c.label, c.value)
		}
		return huh.NewSelect[string]().Title(q.title).Description(q.help).Options(options...).Value(q.value)
	}
	input := huh.NewInput().Title(q.title).Description(q.help).Validate(q.check).Value(q.value)
	if q.secret {
		input.EchoMode(huh.EchoModePassword)
	}
	return input
}
