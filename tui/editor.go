package tui

import (
	"io"

	tea "github.com/charmbracelet/bubbletea"
)

// openEditor opens the composer's text in the user's editor.
func (m *Model) openEditor() tea.Cmd {
	c, ok := m.dialog.(*composer)
	if !ok {
		return nil
	}
	if m.write == nil {
		c.fault = "no editor is available: edit the text here"
		return nil
	}
	e, id := &editorRun{write: m.write, text: c.currentText()}, c.id
	return tea.Exec(e, func(err error) tea.Msg { return writtenMsg{id: id, text: e.text, err: err} })
}

// editorRun is one run of an editor. It is a [tea.ExecCommand], which releases the
// terminal while the editor runs.
type editorRun struct {
	write func(text string) (string, error)
	text  string // the text before the run and, unless it failed, after it
}

// Run runs the editor.
func (e *editorRun) Run() error {
	text, err := e.write(e.text)
	if err == nil {
		e.text = text
	}
	return err
}

// The editor uses the program's own terminal.

func (e *editorRun) SetStdin(io.Reader)  {}
func (e *editorRun) SetStdout(io.Writer) {}
func (e *editorRun) SetStderr(io.Writer) {}
