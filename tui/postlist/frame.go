package postlist

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// Frame is what screens and dialogs about posts may ask of the program around them.
type Frame interface {
	screen.Frame
	// PostScene returns what the renderers of posts need.
	PostScene() Scene
	// EndNotice ends a notice that is no error.
	EndNotice()
	// RequestNumber returns a number that it has not returned before.
	RequestNumber() int
	// QueuesRead reports whether the queues of the scene were read, and why they could not
	// be read.
	QueuesRead() (loaded bool, err error)

	// ParseBooking parses a time in the future, or next-slot with the name of a queue or
	// without. Otherwise it says what is wrong with the text.
	ParseBooking(text string) (b Booking, fault string)
	// EchoBooking describes a text as ParseBooking reads it, or what is wrong with it.
	EchoBooking(text string) string
	// Describe says when a post is published and to where, for notices.
	Describe(p apiv1.Post) string

	// NewestKnown returns the newest loaded version of a post.
	NewestKnown(id string) (p apiv1.Post, ok bool)
	// ApplyPost shows the daemon's version of a post, unless a change of it is in progress.
	ApplyPost(p apiv1.Post)
	// RefreshSlots has the slots on the screen read again.
	RefreshSlots()
	// ChangePending reports whether a change of a post is in progress, and says so.
	ChangePending(id string) bool
	// IfAllowed calls do if the status of a post permits an operation. Otherwise it shows
	// the reason.
	IfAllowed(p apiv1.Post, op schedctl.Operation, do func() tea.Cmd) tea.Cmd
	// StartChange shows a change of a post and sends it.
	StartChange(c Change) tea.Cmd
	// OfferUndo makes a change undoable and shows the offer for a while. Nil is ignored.
	OfferUndo(u *Undo)
	// RestoreUndo returns an undo that restores a post to its state before a change.
	RestoreUndo(before, after apiv1.Post) *Undo
}
