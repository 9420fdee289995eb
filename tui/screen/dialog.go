package screen

import (
	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
)

// Dialog receives all keys until it closes itself with [Frame].Close.
type Dialog interface {
	Key(f Frame, k tea.KeyMsg) tea.Cmd
	// Lines renders the dialog. A full-screen dialog replaces the list; others are
	// shown below it.
	Lines(f Frame, width, height int) []string
	FullScreen() bool
}

// FootKeys is a dialog whose last line shows keys, which can be clicked.
type FootKeys interface {
	// FootKeys returns the keys of the last line, in order; nil if it shows none.
	FootKeys(f Frame) []key.Binding
}

// Confirm asks before an action that cannot be undone completely.
type Confirm struct {
	Question []string
	Yes      func() tea.Cmd
}

// FullScreen implements [Dialog].
func (d *Confirm) FullScreen() bool { return false }

// Key implements [Dialog].
func (d *Confirm) Key(f Frame, k tea.KeyMsg) tea.Cmd {
	switch s := f.Current(); {
	case key.Matches(k, s.Keys.Kill):
		return tea.Quit
	case key.Matches(k, s.Keys.Yes):
		f.Close()
		return d.Yes()
	case key.Matches(k, s.Keys.No):
		f.Close()
		f.ShowNotice("nothing changed")
	}
	return nil
}

// Lines implements [Dialog].
func (d *Confirm) Lines(f Frame, width, height int) (lines []string) {
	s := f.Current()
	for i, text := range d.Question {
		for _, line := range Wrap(s.InNames(text), width) {
			if i == 0 {
				line = s.Theme.Title.Render(line)
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

// FootKeys implements [FootKeys].
func (d *Confirm) FootKeys(f Frame) []key.Binding {
	return []key.Binding{f.Current().Keys.Yes, f.Current().Keys.No}
}

// Prompt asks for one line of text.
type Prompt struct {
	Label string
	Input textinput.Model
	fault string

	// Echo describes how the text is interpreted. It may be nil.
	Echo func(text string) string
	// Accept uses the text. It also returns what is wrong with the text, or the empty
	// string.
	Accept func(text string) (cmd tea.Cmd, fault string)
}

// NewPrompt returns a prompt without Echo and Accept.
func NewPrompt(t Theme, label, placeholder string) *Prompt {
	return &Prompt{Label: label, Input: NewInput(t, placeholder)}
}

// NewInput returns a focused text field of one line.
func NewInput(t Theme, placeholder string) textinput.Model {
	in := textinput.New()
	in.Prompt, in.Placeholder = "", placeholder
	in.PlaceholderStyle, in.CompletionStyle = t.Blank.Style, t.Blank.Style
	in.Cursor.Style, in.Cursor.TextStyle = t.Cursor.Style, t.Blank.Style
	in.Cursor.SetMode(cursor.CursorStatic)
	in.Focus()
	return in
}

// FullScreen implements [Dialog].
func (d *Prompt) FullScreen() bool { return false }

// Key implements [Dialog].
func (d *Prompt) Key(f Frame, k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, f.Current().Keys.Kill):
		return tea.Quit
	case k.Type == tea.KeyEsc:
		f.Close()
	case k.Type == tea.KeyEnter:
		cmd, fault := d.Accept(d.Input.Value())
		if d.fault = fault; fault == "" && f.IsOpen(d) {
			f.Close()
		}
		return cmd
	default:
		d.fault = ""
		d.Input, _ = d.Input.Update(k)
	}
	return nil
}

// Lines implements [Dialog].
func (d *Prompt) Lines(f Frame, width, _ int) []string {
	s, in := f.Current(), d.Input
	in.Width = max(1, width-len(d.Label)-2)
	lines := []string{s.Theme.Title.Render(d.Label) + Own(in.View())}
	switch {
	case d.fault != "":
		for _, l := range Wrap(s.InNames(d.fault), width) {
			lines = append(lines, s.Theme.Bad.Render(l))
		}
	case d.Echo != nil:
		for _, l := range Wrap(d.Echo(in.Value()), width) {
			lines = append(lines, s.Theme.Hint.Render(l))
		}
	}
	return lines
}
