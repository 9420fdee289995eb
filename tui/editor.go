package tui

import tea "github.com/charmbracelet/bubbletea"

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
	write, text, id := m.write, c.currentText(), c.id
	edit := func() error {
		written, err := write(text)
		if err == nil {
			text = written
		}
		return err
	}
	return tea.Exec(&terminalRun{run: edit}, func(err error) tea.Msg { return writtenMsg{id: id, text: text, err: err} })
}
