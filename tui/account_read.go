package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// accountsMsg is all accounts, also the disconnected ones.
type accountsMsg struct {
	list []apiv1.Account
	err  error
}

// fillAccounts requests the accounts of the scene unless it has them.
func (m *Model) fillAccounts() tea.Cmd {
	if m.Accounts.Loaded || m.readingAccounts || m.Accounts.Err != nil {
		return nil
	}
	m.readingAccounts = true
	c := m.Client()
	return m.Call(func(ctx context.Context) tea.Msg {
		list, err := c.Accounts(ctx)
		return accountsMsg{list: list, err: err}
	})
}

func (m *Model) takeAccounts(msg accountsMsg) tea.Cmd {
	m.readingAccounts = false
	if m.Accounts.Err = msg.err; msg.err != nil {
		return m.RetryLater(msg.err)
	}
	m.Accounts = screen.AccountList{Loaded: true}
	m.Names, m.Tags = make(map[string]string, len(msg.list)), screen.Tags(msg.list)
	for _, a := range msg.list {
		if m.Names[a.ID] = a.Name; a.Status != schedctl.AccountDisconnected {
			m.Accounts.List = append(m.Accounts.List, a)
		}
	}
	return m.tellRooms(screen.AccountsRead{})
}
