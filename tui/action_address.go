package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/share"
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
	if text == "" {
		m.ShowError("no address to copy: the post is not published on any network")
		return nil
	}
	return m.CopyText(text, "copied "+text)
}

// CopyText implements [share.Frame].
func (m *Model) CopyText(text, done string) tea.Cmd {
	out := m.cfg.Clipboard
	if out == nil {
		m.ShowError("this terminal has no clipboard that a program can use")
		return nil
	}
	return func() tea.Msg {
		_, err := out.Write([]byte(ansi.SetSystemClipboard(text)))
		return doneMsg{done: done, err: err}
	}
}

// IsOnThisMachine implements [share.Frame].
func (m *Model) IsOnThisMachine(address string) bool {
	return m.cfg.IsOnThisMachine != nil && m.cfg.IsOnThisMachine(address)
}

// openShare opens the form for an address that shows a post, if there is one, or all that
// waits for an approval, in the view of that.
func (m *Model) openShare(p apiv1.Post, ok bool) tea.Cmd {
	switch {
	case !ok && m.traits().Reviews:
		return share.Open(m, nil, true)
	case !ok:
		m.ShowError("no post is selected; select one to make an address that shows it")
		return nil
	}
	return share.Open(m, &p, m.traits().Reviews)
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
