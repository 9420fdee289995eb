package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl/client/apiv1"
)

// postURL returns the address of a post on the network of its first published
// target, or the empty string.
func postURL(p apiv1.Post) string {
	for _, t := range p.Targets {
		if t.PlatformPostURL != nil {
			return *t.PlatformPostURL
		}
	}
	return ""
}

func (m *Model) copyAddress(p apiv1.Post) tea.Cmd {
	text := postURL(p)
	out := m.cfg.Clipboard
	if text == "" || out == nil {
		m.ShowError("no address to copy: the post is not published on any network")
		return nil
	}
	return func() tea.Msg {
		_, err := out.Write([]byte(ansi.SetSystemClipboard(text)))
		return doneMsg{done: "copied " + text, err: err}
	}
}

func (m *Model) openAddress(p apiv1.Post) tea.Cmd {
	text := postURL(p)
	open := m.cfg.Browse
	if text == "" || open == nil {
		m.ShowError("no address to open: the post is not published on any network")
		return nil
	}
	return m.Call(func(ctx context.Context) tea.Msg {
		return doneMsg{done: "opened " + text, err: open(ctx, text)}
	})
}
