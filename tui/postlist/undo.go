package postlist

import (
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

const (
	maxUndo       = 50               // maximum number of changes that can be undone
	UndoOfferTime = 10 * time.Second // how long the offer to undo is shown
)

// Undo reverts one change.
type Undo struct {
	Label string // the action, for example: unschedule “Hello”
	Why   string // why the change cannot be undone; empty if it can

	At       screen.Version   // the post after the change; without an id if no post is involved
	From     int64            // the version before the change
	Versions map[string]int64 // the same for several posts, by id
	Run      func(u *Undo) tea.Cmd
}

// UndoStack is the stack of changes that can be undone, latest last.
type UndoStack struct {
	List  []*Undo
	Until time.Time // end of the offer to undo the latest change
}

// Last returns the latest change, or nil.
func (s *UndoStack) Last() *Undo {
	if len(s.List) == 0 {
		return nil
	}
	return s.List[len(s.List)-1]
}

// Offered returns the undo that is offered at the time now, or nil.
func (s *UndoStack) Offered(now time.Time) *Undo {
	u := s.Last()
	if u == nil || u.Why != "" || now.After(s.Until) {
		return nil
	}
	return u
}

// Push adds a change. If there are too many, the oldest is dropped.
func (s *UndoStack) Push(u *Undo) {
	if s.List = append(s.List, u); len(s.List) > maxUndo {
		s.List = slices.Delete(s.List, 0, 1)
	}
}

// Rebase redirects earlier changes of a post to the result of an undo, which
// restored version u.from, possibly as a new post.
func (s *UndoStack) Rebase(u *Undo, restored apiv1.Post) {
	if u.At.ID == "" {
		return
	}
	for _, earlier := range s.List {
		if earlier.At == (screen.Version{ID: u.At.ID, Number: u.From}) {
			earlier.At = VersionOf(restored)
		}
	}
}

// UndoConflictText says why a change cannot be undone after another change of the
// post.
func UndoConflictText(u *Undo, p apiv1.Post) string {
	reason := "it has been changed since"
	switch p.Status {
	case schedctl.Publishing, schedctl.Published, schedctl.Failed, schedctl.Canceled:
		reason = "it is " + string(p.Status) + " now"
	}
	return "cannot " + u.Label + ": " + reason
}

// CannotUndo is a change that cannot be undone. It makes u report that instead of
// undoing the change before.
func CannotUndo(p apiv1.Post, what string) *Undo {
	return &Undo{Why: Quoted(p) + " " + what + ": that cannot be undone"}
}

// Quoted returns the start of a post's text in quotes.
func Quoted(p apiv1.Post) string {
	const most = 24
	return "“" + screen.Clip(screen.Excerpt(PostText(p), most), most) + "”"
}
