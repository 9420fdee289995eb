package tui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// blackoutList is the blackouts of the workspace.
type blackoutList struct {
	list    []apiv1.Blackout
	loaded  bool
	loading bool
	err     error
}

// blackoutsMsg is the list of blackouts.
type blackoutsMsg struct {
	list []apiv1.Blackout
	err  error
}

func (m *Model) fillBlackouts() tea.Cmd {
	b, c := &m.blackouts, m.Client()
	if b.loaded || b.loading || b.err != nil {
		return nil
	}
	b.loading = true
	return m.Call(func(ctx context.Context) tea.Msg {
		list, err := c.Blackouts(ctx)
		return blackoutsMsg{list: list, err: screen.UnlessUnknown(err)}
	})
}

func (m *Model) takeBlackouts(msg blackoutsMsg) tea.Cmd {
	b := &m.blackouts
	b.loading = false
	if b.err = msg.err; msg.err != nil {
		return m.RetryLater(msg.err)
	}
	b.loaded, b.list = true, msg.list
	return nil
}

// holdText describes the accounts that are paused, or returns the empty string.
func (m *Model) holdText() string {
	s := m.PostScene()
	var parts []string
	for _, b := range m.blackouts.list {
		if !postlist.IsHolding(b, m.Now) {
			continue
		}
		text := s.HeldAccounts(b)
		if b.EndsAt != nil {
			text += " until " + b.EndsAt.In(m.Zone).Format("Mon 2 Jan 15:04")
		}
		if b.Reason != nil && *b.Reason != "" {
			text += " (" + screen.OneLine(*b.Reason) + ")"
		}
		parts = append(parts, text)
	}
	if parts == nil {
		return ""
	}
	return "paused: " + strings.Join(parts, ", ")
}

// warningText is what the head of the screen warns of: accounts that are paused, and the
// forecast. It may be empty.
func (m *Model) warningText() string {
	held, ahead := m.holdText(), m.forecast.Text()
	if held != "" && ahead != "" {
		return held + "; " + ahead
	}
	return held + ahead
}
