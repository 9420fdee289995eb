package screen

import tea "github.com/charmbracelet/bubbletea"

// Unsaved is a text that the daemon does not have. It may be empty.
type Unsaved struct {
	Text   string
	PostID string // the post about which Text is a note; empty for the text of a post
}

// Writer is a dialog in which people write a text. It is asked for the text when the
// program ends.
type Writer interface {
	// Unsaved returns the text, if it is not saved.
	Unsaved() Unsaved
}

// Handler is a dialog that gets the messages which the frame does not know.
type Handler interface {
	// Handle handles a message for this dialog. It ignores others.
	Handle(msg tea.Msg) tea.Cmd
}
