package compose

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/tui/screen"
)

// openEditor opens the text in the user's editor.
func (c *composer) openEditor() tea.Cmd {
	write := c.frame.Editor()
	if write == nil {
		c.fault = "no editor is available: edit the text here"
		return nil
	}
	text, id := c.currentText(), c.id
	edit := func() error {
		written, err := write(text)
		if err == nil {
			text = written
		}
		return err
	}
	return screen.RunInTerminal(edit, func(err error) tea.Msg { return writtenMsg{id: id, text: text, err: err} })
}
