package tui

import (
	"context"
	"fmt"
	"slices"

	"github.com/schedctl/schedctl/tui/screen"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// accountList is the state of the view Accounts.
type accountList struct {
	list            []apiv1.Account // without the disconnected accounts
	loaded, loading bool
	err             error
	selected        int
	anchor          string // the account to select after the next read, or empty
}

type (
	accountsMsg struct {
		list []apiv1.Account
		err  error
	}
	verifiedMsg struct {
		account apiv1.Account
		err     error
	}
)

func (m *Model) fillAccounts() tea.Cmd {
	r := &m.accounts
	if r.loaded || r.loading || r.err != nil {
		return nil
	}
	r.loading = true
	c := m.Client()
	return m.Call(func(ctx context.Context) tea.Msg {
		list, err := c.Accounts(ctx)
		return accountsMsg{list: list, err: err}
	})
}

func (m *Model) takeAccounts(msg accountsMsg) tea.Cmd {
	r := &m.accounts
	r.loading = false
	if r.err = msg.err; msg.err != nil {
		return m.RetryLater(msg.err)
	}
	r.loaded, r.list = true, nil
	m.Names, m.Tags = make(map[string]string, len(msg.list)), screen.Tags(msg.list)
	for _, a := range msg.list {
		if m.Names[a.ID] = a.Name; a.Status != schedctl.AccountDisconnected {
			r.list = append(r.list, a)
		}
	}
	if i := slices.IndexFunc(r.list, func(a apiv1.Account) bool { return a.ID == r.anchor }); i >= 0 {
		r.selected, r.anchor = i, ""
	}
	r.selected = screen.Clamp(r.selected, len(r.list))
	return nil
}

// verify asks the network of the selected account whether it still accepts the
// credentials.
func (m *Model) verify() tea.Cmd {
	r := &m.accounts
	if r.selected >= len(r.list) {
		return nil
	}
	a, c := r.list[r.selected], m.Client()
	m.ShowNotice("asking " + screen.OneLine(a.Platform) + " about " + screen.OneLine(a.Name))
	return m.Call(func(ctx context.Context) tea.Msg {
		got, err := c.VerifyAccount(ctx, a.ID)
		return verifiedMsg{account: got, err: err}
	})
}

func (m *Model) takeVerified(msg verifiedMsg) {
	m.accounts.loaded = false
	switch {
	case msg.err != nil:
		m.ShowError(screen.Explain(msg.err))
	case msg.account.Status == schedctl.AccountError:
		m.ShowError(screen.OneLine(msg.account.Name) + " is still refused by its network")
	default:
		m.ShowNotice(screen.OneLine(msg.account.Name) + " works")
	}
}

// accountRows renders the accounts with their status.
func accountRows(s *screen.Scene, r *accountList, width, height int) []string {
	if len(r.list) == 0 {
		return screen.EmptyMessage(s, r.loaded, r.err, "No account yet. Connect one with a.", width)
	}
	var lines []string
	at := 0
	for i, a := range r.list {
		if i == r.selected {
			at = len(lines)
		}
		health := s.Theme.Good.Render("works")
		if a.Status != schedctl.AccountConnected {
			health = s.Theme.Bad.Render(string(a.Status))
		}
		name := fmt.Sprintf("%s  %s  %s", screen.PadRight(screen.OneLine(a.Name), min(20, width/4)), screen.PadRight(screen.OneLine(a.Platform), 8), screen.OneLine(a.Username))
		lines = append(lines, screen.Justify(s.Theme.Mark(i == r.selected)+s.Theme.Row(screen.Clip(name, width-16), i == r.selected), health, width))
		lines = append(lines, accountNotes(s, a, width)...)
	}
	return screen.LinesAround(lines, at, height)
}

// accountNotes renders the limit of an account and its error.
func accountNotes(s *screen.Scene, a apiv1.Account, width int) (lines []string) {
	if a.Limits.MaxCharacters != nil {
		text := fmt.Sprintf("at most %d %s in a post", *a.Limits.MaxCharacters, a.Limits.Unit)
		lines = append(lines, "    "+s.Theme.Faint.Render(screen.Clip(text, width-4)))
	}
	if a.Waits != nil {
		for _, l := range screen.Wrap("waits until "+s.Clock(a.Waits.Until)+": "+screen.OneLine(a.Waits.Message), width-4) {
			lines = append(lines, "    "+s.Theme.Bad.Render(l))
		}
	}
	if a.ExpiresAt != nil {
		text := "credentials end " + s.Clock(a.ExpiresAt)
		lines = append(lines, "    "+s.Theme.Faint.Render(screen.Clip(text, width-4)))
	}
	for _, w := range a.Warnings {
		for _, l := range screen.Wrap(screen.OneLine(w), width-4) {
			lines = append(lines, "    "+s.Theme.Bad.Render(l))
		}
	}
	if a.Error != nil {
		for _, l := range screen.Wrap(string(a.Error.Kind)+": "+a.Error.Message, width-4) {
			lines = append(lines, "    "+s.Theme.Bad.Render(l))
		}
		advice := "next: i enters new credentials, v checks again"
		for _, l := range screen.Wrap(advice, width-4) {
			lines = append(lines, "    "+l)
		}
	}
	return lines
}
