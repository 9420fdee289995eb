package postlist

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// Change is a change of a post by the user.
type Change struct {
	Post    apiv1.Post                                     // before the change
	Shown   apiv1.Post                                     // shown until the daemon responds
	Done    string                                         // the notice after success
	Report  func(after apiv1.Post) (text string, bad bool) // replaces done unless it returns no text; may be nil
	Removes bool                                           // the change deletes the post
	Call    func(ctx context.Context) (apiv1.Post, error)

	Anyway func() tea.Cmd               // repeats a change that a blackout refuses; nil if it cannot
	Undo   func(after apiv1.Post) *Undo // returns the undo of the change, given its result; nil for an undo
	Undoes *Undo                        // the undo that the change runs, or nil
}

// SendAfter is how long to wait for more key presses before one change is sent for all of them.
const SendAfter = 500 * time.Millisecond

// VersionOf returns the version of a post that the user has seen.
func VersionOf(p apiv1.Post) screen.Version { return screen.Version{ID: p.ID, Number: p.Version} }

// Newer returns the post with the higher version.
func Newer(a, b apiv1.Post) apiv1.Post {
	if a.Version > b.Version {
		return a
	}
	return b
}
