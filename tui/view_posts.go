package tui

import (
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// defaultLayout returns how the posts of a tab are rendered.
func (t tab) defaultLayout() (rows postlist.RowsFunc, byDay bool) {
	switch t {
	case tabDrafts:
		return postlist.DraftRow, false
	case tabFailed:
		return postlist.FailedRow, true
	case tabReview:
		return postlist.ReviewRow, false
	}
	return postlist.AgendaRow, true
}

// emptyText says that a tab is empty, and what to do about it.
func (t tab) emptyText(q screen.Query) string {
	if filtered(t, q) {
		return "No posts match. Press esc to clear search and filter."
	}
	switch t {
	case tabAgenda:
		return "No scheduled posts. Press n to write one."
	case tabWeek:
		return "No posts this week. Press n to write one, [ or ] for other weeks."
	case tabDrafts:
		return "No drafts. Press n to write one."
	case tabFailed:
		return "No failed posts."
	case tabReview:
		return "No posts wait for approval."
	case tabQueues:
		return "No posts and no free slots in this queue."
	}
	return "No published posts yet."
}
