package tui

import (
	"io"

	tea "github.com/charmbracelet/bubbletea"
)

// openEditor gives the text of the composer to the person's own editor.
func (m *Model) openEditor() tea.Cmd {
	c, ok := m.dialog.(*composer)
	if !ok {
		return nil
	}
	if m.write == nil {
		c.fault = "there is no editor here: write it in place"
		return nil
	}
	e, id := &editorRun{write: m.write, text: c.currentText()}, c.id
	return tea.Exec(e, func(err error) tea.Msg { return writtenMsg{id: id, text: e.text, err: err} })
}

// editorRun is one run of an editor. It is a [tea.ExecCommand], for which the
// browser leaves the terminal alone.
type editorRun struct {
	write func(text string) (string, error)
	text  string // before and, without an error, after
}

// Run runs the editor.
func (e *editorRun) Run() error {
	text, err := e.write(e.text)
	if err == nil {
		e.text = text
	}
	return err
}

// The editor has the terminal of the program.

func (e *editorRun) SetStdin(io.Reader)  {}
func (e *editorRun) SetStdout(io.Writer) {}
func (e *editorRun) SetStderr(io.Writer) {}
