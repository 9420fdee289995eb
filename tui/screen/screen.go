package screen

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
)

// Screen is one of the views. Its methods are called from Update, except for Lines and
// Keys, which only render.
type Screen interface {
	// Arrive is called when the user goes to the screen.
	Arrive()
	// Refresh has data read again for which the daemon sends no events. It is called once a
	// minute while the screen is shown.
	Refresh()
	// Fill returns commands that read what the screen needs and does not have. It is called
	// after each message while the screen is shown.
	Fill() tea.Cmd
	// Handle handles a message that the frame does not know, or one of those that are for
	// all screens, such as [Event]. It ignores the messages of others.
	Handle(msg tea.Msg) tea.Cmd
	// Key handles a key that acts on the selected item. It ignores others.
	Key(k tea.KeyMsg) tea.Cmd
	// Move moves the selection by a number of items, Open opens the selected item, and Back
	// closes what is open.
	Move(by int)
	Open()
	Back()
	// Reload has everything read again, and Retry what could not be read. Poll is called
	// every few seconds while the screen is shown.
	Reload()
	Retry()
	Poll()

	// Lines renders the screen.
	Lines(width, height int) []string
	// Keys returns the most important keys for the last line.
	Keys() []key.Binding
}

// Event is the message of an event from the daemon, for all screens.
type Event struct{ apiv1.Event }

// AccountsRead is the message after the accounts of the [Scene] were read, for all screens.
type AccountsRead struct{}
