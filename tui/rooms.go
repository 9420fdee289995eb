package tui

import (
	"iter"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/tui/screen"
)

// newRooms returns the screens of the tabs that are no lists of posts.
func newRooms(f screen.Frame) (rooms [tabs]screen.Screen) {
	for t, info := range tabTable {
		if info.room != nil {
			rooms[t] = info.room(f)
		}
	}
	return rooms
}

// room returns the screen of the current tab, or nil if it is one of the views of posts and
// queues.
func (m *Model) room() screen.Screen { return m.rooms[m.tab] }

// allRooms returns the screens in the order of their tabs.
func (m *Model) allRooms() iter.Seq[screen.Screen] {
	return func(yield func(screen.Screen) bool) {
		for _, r := range m.rooms {
			if r != nil && !yield(r) {
				return
			}
		}
	}
}

// tellRooms passes a message to all screens.
func (m *Model) tellRooms(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for r := range m.allRooms() {
		cmds = append(cmds, r.Handle(msg))
	}
	return tea.Batch(cmds...)
}

// tell passes a message that the frame does not know to all screens and the open dialog.
func (m *Model) tell(msg tea.Msg) tea.Cmd {
	cmds := []tea.Cmd{m.tellRooms(msg), m.review.Handle(msg), m.queues.Handle(msg)}
	if d, ok := m.dialog.(screen.Handler); ok {
		cmds = append(cmds, d.Handle(msg))
	}
	return tea.Batch(cmds...)
}
