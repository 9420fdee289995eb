package tui

import (
	"iter"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
	"github.com/schedctl/schedctl/tui/share"
)

// newRooms returns the screens of the tabs.
func newRooms(m *Model) []screen.Screen {
	rooms := make([]screen.Screen, tabs)
	for t, info := range tabTable {
		rooms[t] = info.room(m)
	}
	return rooms
}

// room returns the screen of the current tab.
func (m *Model) room() screen.Screen { return m.rooms[m.tab] }

// holder returns the screen of the current tab if it shows posts now, or nil.
func (m *Model) holder() postlist.Holder {
	if h, ok := m.room().(postlist.Holder); ok && h.Feed() != nil {
		return h
	}
	return nil
}

// holders returns the screens that show posts now.
func (m *Model) holders() iter.Seq[postlist.Holder] {
	return func(yield func(postlist.Holder) bool) {
		for _, r := range m.rooms {
			if h, ok := r.(postlist.Holder); ok && h.Feed() != nil && !yield(h) {
				return
			}
		}
	}
}

// feeds returns the posts of these screens.
func (m *Model) feeds() iter.Seq[*postlist.Feed] {
	return func(yield func(*postlist.Feed) bool) {
		for h := range m.holders() {
			if !yield(h.Feed()) {
				return
			}
		}
	}
}

// first returns the first screen of a type, and its tab. The type is an interface that the
// screen implements besides [screen.Screen].
func first[T any](m *Model) (room T, t tab, ok bool) {
	for t, r := range m.rooms {
		if room, ok = r.(T); ok {
			return room, tab(t), true
		}
	}
	return room, 0, false
}

// traits returns the traits of the current tab, those of no posts for a tab without posts.
func (m *Model) traits() postlist.Traits {
	if h, ok := m.room().(postlist.Holder); ok {
		return *h.Traits()
	}
	return postlist.Traits{}
}

// Feed returns the posts of the current tab, or nil.
func (m *Model) Feed() *postlist.Feed {
	if h := m.holder(); h != nil {
		return h.Feed()
	}
	return nil
}

// CurrentPost returns the selected post, unless a slot is selected.
func (m *Model) CurrentPost() (apiv1.Post, bool) {
	if h := m.holder(); h != nil {
		return h.CurrentPost()
	}
	return apiv1.Post{}, false
}

// detail returns the details of the current tab, closed ones for a tab without posts.
func (m *Model) detail() *postlist.Detail {
	if h := m.holder(); h != nil {
		return h.Detail()
	}
	return &postlist.Detail{}
}

// selectedGhost returns the selected slot, if a slot is selected and still free.
func (m *Model) selectedGhost() (postlist.Ghost, bool) {
	if h := m.holder(); h != nil {
		return h.SelectedGhost()
	}
	return postlist.Ghost{}, false
}

// tellRooms passes a message to all screens.
func (m *Model) tellRooms(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, r := range m.rooms {
		cmds = append(cmds, r.Handle(msg))
	}
	return tea.Batch(cmds...)
}

// tell passes a message that the frame does not know to all screens and the open dialog.
func (m *Model) tell(msg tea.Msg) tea.Cmd {
	cmds := []tea.Cmd{m.tellRooms(msg), m.review.Handle(msg), m.forecast.Handle(msg), share.Handle(m, msg)}
	if d, ok := m.dialog.(screen.Handler); ok {
		cmds = append(cmds, d.Handle(msg))
	}
	return tea.Batch(cmds...)
}
