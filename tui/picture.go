package tui

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// shownMsg reports that the pictures were closed.
type shownMsg struct{ err error }

// showPictures shows the pictures of a post in full screen.
func (m *Model) showPictures(p apiv1.Post) tea.Cmd {
	list := postlist.Pictures(p)
	switch {
	case len(list) == 0:
		m.ShowNotice("the post has no pictures")
		return nil
	case m.show == nil:
		m.ShowError("pictures are not shown here: the details describe the files")
		return nil
	}
	show := m.show
	return screen.RunInTerminal(func() error { return show(list) }, func(err error) tea.Msg { return shownMsg{err} })
}

// handleShown shows why the pictures could not be shown.
func (m *Model) handleShown(msg shownMsg) {
	if msg.err != nil && !errors.Is(msg.err, context.Canceled) {
		m.ShowError(screen.Explain(msg.err))
	}
}
