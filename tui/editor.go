package tui

import (
	"io"

	tea "github.com/charmbracelet/bubbletea"
)

// edit gives the text of the composer to the person's own editor.
func (m *Model) edit() tea.Cmd {
	c, ok := m.dialog.(*composer)
	if !ok {
		return nil
	}
	if m.write == nil {
		c.fault = "there is no editor here: write it in place"
		return nil
	}
	e, id := &editing{write: m.write, text: c.written()}, c.id
	return tea.Exec(e, func(err error) tea.Msg { return writtenMsg{id: id, text: e.text, err: err} })
}

// editing is one run of an editor. It is a [tea.ExecCommand], for which the
// browser leaves the terminal alone.
type editing struct {
	write func(text string) (string, error)
	text  string // before and, without an error, after
}

// Run runs the editor.
func (e *editing) Run() error {
	text, err := e.write(e.text)
	if err == nil {
		e.text = text
	}
	return err
}

// The editor has the terminal of the program.

func (e *editing) SetStdin(io.Reader)  {}
func (e *editing) SetStdout(io.Writer) {}
func (e *editing) SetStderr(io.Writer) {}
