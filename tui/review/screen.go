package review

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// Screen is the posts and series that wait for an approval. It is a [postlist.Holder].
type Screen struct {
	postlist.List
	review *Review
}

// NewScreen returns the screen for a review.
func NewScreen(r *Review) *Screen {
	return &Screen{review: r, List: postlist.NewList(r.frame, postlist.Traits{
		Query:   screen.Query{Approval: schedctl.ApprovalPending},
		Sorts:   []string{postlist.SortProposed, "created_at", "-created_at"},
		Rows:    postlist.ReviewRow,
		Empty:   "No posts wait for approval.",
		Counted: true, Reviews: true,
	})}
}

// Arrive implements [screen.Screen].
func (s *Screen) Arrive() {
	s.List.Arrive()
	s.review.frame.ReloadKeys()
}

// Refresh has the posts read again: there are no events about edits of series.
func (s *Screen) Refresh() {
	if s.Posts.Loaded {
		s.Posts.MarkOutdated()
	}
}

// Handle has the rows of series read again after a step of their review.
func (s *Screen) Handle(msg tea.Msg) tea.Cmd {
	if e, ok := msg.(screen.Event); ok && e.Data.SeriesID != "" && schedctl.IsReviewEvent(e.Type) {
		s.Refresh()
	}
	return nil
}

// Keys implements [screen.Screen].
func (s *Screen) Keys() []key.Binding {
	k := s.review.keyMap()
	keys := []key.Binding{k.Help, k.ApprovePost, k.Changes, k.Note, k.Open, k.Edit, k.Withdraw, k.Quit}
	if p, ok := s.CurrentPost(); ok && postlist.IsSeries(p) {
		keys = []key.Binding{k.Help, k.ApprovePost, k.Changes, k.Open, k.Withdraw, k.Quit}
	}
	if !s.review.MayApprove() {
		keys = slices.Delete(keys, 1, 3)
	}
	return keys
}
