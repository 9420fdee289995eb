package tui

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// reviewers is what is known about the API keys that ask for approvals.
type reviewers struct {
	kinds           map[string]string // by the id of the key
	loaded, loading bool
}

// keysMsg is the API keys of the workspace.
type keysMsg struct{ list []apiv1.APIKey }

// fillKeys requests the API keys if the screen shows who asked for an approval, and if the
// key of the browser may see them.
func (m *Model) fillKeys() tea.Cmd {
	r := &m.reviewers
	if r.loaded || r.loading || !slices.Contains(m.cfg.Key.Scopes, schedctl.ScopeKeysWrite) {
		return nil
	}
	p, ok := m.CurrentPost()
	if !m.traits().Reviews && (!ok || p.Approval == nil || !m.detail().Open && !m.isSplit()) {
		return nil
	}
	r.loading = true
	c := m.Client()
	return m.Call(func(ctx context.Context) tea.Msg {
		list, err := c.APIKeys(ctx)
		if err != nil {
			return keysMsg{} // the names of the keys are in the posts
		}
		return keysMsg{list: list}
	})
}

func (m *Model) takeKeys(msg keysMsg) {
	m.reviewers = reviewers{kinds: map[string]string{}, loaded: true}
	for _, k := range msg.list {
		m.reviewers.kinds[k.ID] = k.Kind
	}
}
