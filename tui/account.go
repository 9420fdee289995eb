package tui

import (
	"context"
	"fmt"
	"slices"

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
	m.Names, m.Tags = make(map[string]string, len(msg.list)), accountTags(msg.list)
	for _, a := range msg.list {
		if m.Names[a.ID] = a.Name; a.Status != schedctl.AccountDisconnected {
			r.list = append(r.list, a)
		}
	}
	if i := slices.IndexFunc(r.list, func(a apiv1.Account) bool { return a.ID == r.anchor }); i >= 0 {
		r.selected, r.anchor = i, ""
	}
	r.selected = clamp(r.selected, len(r.list))
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
	m.ShowNotice("asking " + oneLine(a.Platform) + " about " + oneLine(a.Name))
	return m.Call(func(ctx context.Context) tea.Msg {
		got, err := c.VerifyAccount(ctx, a.ID)
		return verifiedMsg{account: got, err: err}
	})
}

func (m *Model) takeVerified(msg verifiedMsg) {
	m.accounts.loaded = false
	switch {
	case msg.err != nil:
		m.ShowError(explain(msg.err))
	case msg.account.Status == schedctl.AccountError:
		m.ShowError(oneLine(msg.account.Name) + " is still refused by its network")
	default:
		m.ShowNotice(oneLine(msg.account.Name) + " works")
	}
}

// accountRows renders the accounts with their status.
func accountRows(s drawContext, r *accountList, width, height int) []string {
	if len(r.list) == 0 {
		return emptyMessage(s, r.loaded, r.err, "No account yet. Connect one with a.", width)
	}
	var lines []string
	at := 0
	for i, a := range r.list {
		if i == r.selected {
			at = len(lines)
		}
		health := s.Theme.good.Render("works")
		if a.Status != schedctl.AccountConnected {
			health = s.Theme.bad.Render(string(a.Status))
		}
		name := fmt.Sprintf("%s  %s  %s", padRight(oneLine(a.Name), min(20, width/4)), padRight(oneLine(a.Platform), 8), oneLine(a.Username))
		lines = append(lines, justify(s.Theme.mark(i == r.selected)+s.Theme.row(clip(name, width-16), i == r.selected), health, width))
		lines = append(lines, accountNotes(s, a, width)...)
	}
	return linesAround(lines, at, height)
}

// accountNotes renders the limit of an account and its error.
func accountNotes(s drawContext, a apiv1.Account, width int) (lines []string) {
	if a.Limits.MaxCharacters != nil {
		text := fmt.Sprintf("at most %d %s in a post", *a.Limits.MaxCharacters, a.Limits.Unit)
		lines = append(lines, "    "+s.Theme.faint.Render(clip(text, width-4)))
	}
	if a.Waits != nil {
		for _, l := range wrap("waits until "+s.clock(a.Waits.Until)+": "+oneLine(a.Waits.Message), width-4) {
			lines = append(lines, "    "+s.Theme.bad.Render(l))
		}
	}
	if a.ExpiresAt != nil {
		text := "credentials end " + s.clock(a.ExpiresAt)
		lines = append(lines, "    "+s.Theme.faint.Render(clip(text, width-4)))
	}
	for _, w := range a.Warnings {
		for _, l := range wrap(oneLine(w), width-4) {
			lines = append(lines, "    "+s.Theme.bad.Render(l))
		}
	}
	if a.Error != nil {
		for _, l := range wrap(string(a.Error.Kind)+": "+a.Error.Message, width-4) {
			lines = append(lines, "    "+s.Theme.bad.Render(l))
		}
		advice := "next: i enters new credentials, v checks again"
		for _, l := range wrap(advice, width-4) {
			lines = append(lines, "    "+l)
		}
	}
	return lines
}

// linesAround returns at most height lines around the line at.
func linesAround[T any](lines []T, at, height int) []T {
	if height <= 0 {
		return nil
	}
	first := max(0, min(at-height/2, len(lines)-height))
	end := min(len(lines), first+height)
	return lines[first:end:end]
}

// emptyMessage says why a list is empty.
func emptyMessage(s drawContext, loaded bool, err error, nothing string, width int) []string {
	text := nothing
	switch {
	case err != nil:
		text = explain(err)
	case !loaded:
		text = "Loading …"
	}
	var lines []string
	for _, l := range wrap(text, width-2) {
		if err != nil {
			l = s.Theme.bad.Render(l)
		}
		lines = append(lines, "  "+l)
	}
	return lines
}
