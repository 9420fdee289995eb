package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
)

// openOrderer returns the current screen if it shows the posts of a queue in their order.
func (m *Model) openOrderer() (h postlist.Orderer, ok bool) {
	h, ok = m.room().(postlist.Orderer)
	return h, ok && h.OpenQueue() != ""
}

// ordererNumber returns the key that shows the screen with the posts of a queue.
func (m *Model) ordererNumber() string {
	_, t, _ := first[postlist.Orderer](m)
	return t.number()
}

// dragging returns the screen with an order that is not sent yet.
func (m *Model) dragging() (h postlist.Orderer, ok bool) {
	h, _, ok = first[postlist.Orderer](m)
	return h, ok && h.IsDragging()
}

// previewReflow asks for the preview of new slots in the open queue.
func (m *Model) previewReflow() tea.Cmd {
	if h, ok := m.openOrderer(); ok {
		return h.PreviewReflow()
	}
	m.ShowError("open a queue first: press " + m.ordererNumber())
	return nil
}

// dragPost exchanges the slots of a queued post and the next one in its queue.
func (m *Model) dragPost(p apiv1.Post, by int) tea.Cmd {
	h, ok := m.openOrderer()
	if !ok || m.detail().Open {
		m.ShowError("posts are put in order in their queue: press " + m.ordererNumber() + " and open it")
		return nil
	}
	return h.Drag(p, by)
}
