package tui

import (
	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
)

// dialog receives all keys until it sets Model.dialog to nil.
type dialog interface {
	key(m *Model, k tea.KeyMsg) tea.Cmd
	// lines renders the dialog. A full-screen dialog replaces the list; others are
	// shown below it.
	lines(m *Model, width, height int) []string
	fullScreen() bool
}

// confirm asks before an action that cannot be undone completely.
type confirm struct {
	question []string
	yes      func(m *Model) tea.Cmd
}

func (d *confirm) fullScreen() bool { return false }

func (d *confirm) key(m *Model, k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, m.keys.Kill):
		return tea.Quit
	case key.Matches(k, m.keys.Yes):
		m.dialog = nil
		return d.yes(m)
	case key.Matches(k, m.keys.No):
		m.dialog = nil
		m.showNotice("nothing changed")
	}
	return nil
}

func (d *confirm) lines(m *Model, width, height int) (lines []string) {
	for i, text := range d.question {
		for _, line := range wrap(m.inNames(text), width) {
			if i == 0 {
				line = m.theme.title.Render(line)
			}
			lines = append(lines, line)
		}
	}
	const keyLines = 2
	if most := max(1, height/2-keyLines); len(lines) > most {
		lines = lines[:most]
	}
	return append(lines, "", "y yes   n no")
}

// prompt asks for one line of text.
type prompt struct {
	label  string
	input  textinput.Model
	fault  string
	echo   func(m *Model, text string) string            // describes how the text is interpreted; may be nil
	accept func(m *Model, text string) (tea.Cmd, string) // also returns what is wrong with the text, or the empty string
}

func newPrompt(t theme, label, placeholder string) *prompt {
	return &prompt{label: label, input: newInput(t, placeholder)}
}

// newInput returns a focused text field of one line.
func newInput(t theme, placeholder string) textinput.Model {
	in := textinput.New()
	in.Prompt, in.Placeholder = "", placeholder
	in.PlaceholderStyle, in.CompletionStyle = t.blank.Style, t.blank.Style
	in.Cursor.Style, in.Cursor.TextStyle = t.cursor.Style, t.blank.Style
	in.Cursor.SetMode(cursor.CursorStatic)
	in.Focus()
	return in
}

func (d *prompt) fullScreen() bool { return false }

func (d *prompt) key(m *Model, k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, m.keys.Kill):
		return tea.Quit
	case k.Type == tea.KeyEsc:
		m.dialog = nil
	case k.Type == tea.KeyEnter:
		cmd, fault := d.accept(m, d.input.Value())
		if d.fault = fault; fault == "" && m.dialog == dialog(d) {
			m.dialog = nil
		}
		return cmd
	default:
		d.fault = ""
		d.input, _ = d.input.Update(k)
	}
	return nil
}

func (d *prompt) lines(m *Model, width, _ int) []string {
	in := d.input
	in.Width = max(1, width-len(d.label)-2)
	lines := []string{m.theme.title.Render(d.label) + own(in.View())}
	switch {
	case d.fault != "":
		for _, l := range wrap(m.inNames(d.fault), width) {
			lines = append(lines, m.theme.bad.Render(l))
		}
	case d.echo != nil:
		for _, l := range wrap(d.echo(m, in.Value()), width) {
			lines = append(lines, m.theme.hint.Render(l))
		}
	}
	return lines
}

// newSearch asks for a part of the content.
func newSearch(t theme, before string) *prompt {
	d := newPrompt(t, "Search: ", "part of the text; empty for all posts")
	d.input.CharLimit = schedctl.MaxSearch
	d.input.SetValue(before)
	d.accept = func(m *Model, text string) (tea.Cmd, string) {
		m.requery(func(q *Query) { q.Search = text })
		return nil, ""
	}
	return d
}
