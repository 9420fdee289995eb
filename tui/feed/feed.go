// Package feed is the screens that list posts below each other: what is to come, drafts,
// what has happened, and what has failed.
package feed

import (
	"github.com/charmbracelet/bubbles/key"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// Screen is one of the lists. It is a [postlist.Holder].
type Screen struct {
	postlist.List
	frame postlist.Frame
	keys  func(k *screen.KeyMap) []key.Binding
}

// Keys implements [screen.Screen].
func (s *Screen) Keys() []key.Binding { return s.keys(&s.frame.Current().Keys) }

// latestFirst is the sort orders of posts that were published.
var latestFirst = []string{"-publish_at", "publish_at", "-created_at"}

// Agenda returns the screen of the posts that will be published.
func Agenda(f postlist.Frame) *Screen {
	return newScreen(f, postlist.Traits{
		Query: screen.Query{Statuses: postlist.Upcoming, Proposed: true},
		Sorts: []string{"publish_at", "-publish_at", "-created_at"},
		Rows:  postlist.AgendaRow, ByDay: true,
		Empty: "No scheduled posts. Press n to write one.",
	}, func(k *screen.KeyMap) []key.Binding {
		return []key.Binding{k.Help, k.New, k.Edit, k.Schedule, k.Publish, k.CancelPost, k.Search, k.Filter, k.Quit}
	})
}

// Drafts returns the screen of the drafts.
func Drafts(f postlist.Frame) *Screen {
	return newScreen(f, postlist.Traits{
		Query: screen.Query{Statuses: []schedctl.Status{schedctl.Draft}},
		Sorts: []string{"-created_at", "created_at"},
		Rows:  postlist.DraftRow,
		Empty: "No drafts. Press n to write one.",
	}, func(k *screen.KeyMap) []key.Binding {
		return []key.Binding{k.Help, k.New, k.Edit, k.Schedule, k.Publish, k.Delete, k.Search, k.Quit}
	})
}

// History returns the screen of the posts whose time has come.
func History(f postlist.Frame) *Screen {
	return newScreen(f, postlist.Traits{
		Query: screen.Query{Statuses: []schedctl.Status{schedctl.Published, schedctl.Failed, schedctl.Canceled}},
		Sorts: latestFirst,
		Rows:  postlist.AgendaRow, ByDay: true,
		Empty: "No published posts yet.",
	}, func(k *screen.KeyMap) []key.Binding {
		return []key.Binding{k.Help, k.Open, k.Browse, k.Copy, k.Duplicate, k.Search, k.Quit}
	})
}

// Failed returns the screen of the posts that have failed.
func Failed(f postlist.Frame) *Screen {
	return newScreen(f, postlist.Traits{
		Query: screen.Query{Statuses: []schedctl.Status{schedctl.Failed}},
		Sorts: latestFirst,
		Rows:  postlist.FailedRow, ByDay: true,
		Empty:   "No failed posts.",
		Counted: true,
	}, func(k *screen.KeyMap) []key.Binding {
		return []key.Binding{k.Help, k.Retry, k.Duplicate, k.Open, k.Search, k.Quit}
	})
}

func newScreen(f postlist.Frame, t postlist.Traits, keys func(*screen.KeyMap) []key.Binding) *Screen {
	return &Screen{List: postlist.NewList(f, t), frame: f, keys: keys}
}
