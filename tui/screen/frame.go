package screen

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"
)

// Frame is what screens and dialogs may ask of the program around them. Its methods may be
// called from Update only, and from rendering if they change nothing.
type Frame interface {
	// Current returns what all renderers need. It is the same value for the whole run, and
	// the frame keeps it current. Only the frame changes it.
	Current() *Scene
	// Client returns the daemon's API, for use in commands.
	Client() Client
	// Call returns a command that calls f with a context of limited time.
	Call(f func(ctx context.Context) tea.Msg) tea.Cmd
	// RetryLater shows why a read failed and has failed reads repeated after a pause. It
	// does nothing if err is nil.
	RetryLater(err error) tea.Cmd

	// ReloadAccounts has the accounts of the scene read again.
	ReloadAccounts()
	// IsShown reports whether the user is at a screen.
	IsShown(s Screen) bool

	// Open shows a dialog instead of the open one.
	Open(d Dialog)
	// Close closes the open dialog.
	Close()
	// IsOpen reports whether a dialog is the open one. With nil, it reports whether none is
	// open.
	IsOpen(d Dialog) bool

	// ShowNotice shows what was done, for a short time.
	ShowNotice(text string)
	// ShowError shows what went wrong, for a longer time.
	ShowError(text string)

	// ClearNotice ends the notice or error that is shown.
	ClearNotice()

	// Size returns the columns and lines of the terminal.
	Size() (width, height int)
	// BodyHeight returns the number of lines between head and foot.
	BodyHeight() int
}
