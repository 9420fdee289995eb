package screen

import (
	"io"

	tea "github.com/charmbracelet/bubbletea"
)

// RunInTerminal returns a command that releases the terminal while run uses it, and sends
// the message that done returns for its error.
func RunInTerminal(run func() error, done func(error) tea.Msg) tea.Cmd {
	return tea.Exec(&terminalRun{run: run}, done)
}

// terminalRun is a function that uses the terminal of the program. It is a
// [tea.ExecCommand].
type terminalRun struct{ run func() error }

// Run calls the function.
func (t *terminalRun) Run() error { return t.run() }

// The function uses the program's own terminal.

func (t *terminalRun) SetStdin(io.Reader)  {}
func (t *terminalRun) SetStdout(io.Writer) {}
func (t *terminalRun) SetStderr(io.Writer) {}
