// Package accounts is the screen of the connected accounts.
package accounts

import (
	"context"
	"fmt"
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// Screen shows the accounts of the [screen.Scene]. It is a [screen.Screen].
type Screen struct {
	frame     screen.Frame
	selected  int
	anchor    string                         // the account to select after the next read, or empty
	platforms map[string]apiv1.PlatformEntry // as of the last form
}

// New returns the screen in a frame.
func New(f screen.Frame) *Screen { return &Screen{frame: f} }

// verifiedMsg is the response to a check of an account.
type verifiedMsg struct {
	account apiv1.Account
	err     error
}

// Arrive implements [screen.Screen].
func (r *Screen) Arrive() { r.Refresh() }

// Refresh implements [screen.Screen].
func (r *Screen) Refresh() { r.frame.ReloadAccounts() }

// Fill does nothing: the frame reads the accounts.
func (r *Screen) Fill() tea.Cmd { return nil }

// Reload does nothing: the frame reads the accounts.
func (r *Screen) Reload() {}

// Retry does nothing: the frame reads the accounts.
func (r *Screen) Retry() {}

// Poll does nothing: there are events about accounts.
func (r *Screen) Poll() {}

// Open does nothing: an account has no details.
func (r *Screen) Open() {}

// Back implements [screen.Screen].
func (r *Screen) Back() { r.frame.ClearNotice() }

// Move implements [screen.Screen].
func (r *Screen) Move(by int) { r.selected = screen.Clamp(r.selected+by, len(r.list())) }

// Handle implements [screen.Screen].
func (r *Screen) Handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.AccountsRead:
		r.keepSelection()
	case verifiedMsg:
		r.takeVerified(msg)
	case platformsMsg:
		r.takePlatforms(msg)
	case savedMsg:
		r.takeSaved(msg)
	}
	return nil
}

// Key implements [screen.Screen].
func (r *Screen) Key(k tea.KeyMsg) tea.Cmd {
	switch keys := &r.frame.Current().Keys; {
	case key.Matches(k, keys.View):
		return r.verify()
	case key.Matches(k, keys.Connect):
		return r.addAccount()
	case key.Matches(k, keys.Edit):
		return r.editAccount()
	}
	return nil
}

// Keys implements [screen.Screen].
func (r *Screen) Keys() []key.Binding {
	k := &r.frame.Current().Keys
	return []key.Binding{k.Help, k.Connect, k.Edit, k.Verify, k.Quit}
}

// list returns the accounts of the workspace.
func (r *Screen) list() []apiv1.Account { return r.frame.Current().Accounts.List }

// keepSelection selects the account that was added or changed.
func (r *Screen) keepSelection() {
	if i := slices.IndexFunc(r.list(), func(a apiv1.Account) bool { return a.ID == r.anchor }); i >= 0 {
		r.selected, r.anchor = i, ""
	}
	r.selected = screen.Clamp(r.selected, len(r.list()))
}

// verify asks the network of the selected account whether it still accepts the
// credentials.
func (r *Screen) verify() tea.Cmd {
	if r.selected >= len(r.list()) {
		return nil
	}
	a, c := r.list()[r.selected], r.frame.Client()
	r.frame.ShowNotice("asking " + screen.OneLine(a.Platform) + " about " + screen.OneLine(a.Name))
	return r.frame.Call(func(ctx context.Context) tea.Msg {
		got, err := c.VerifyAccount(ctx, a.ID)
		return verifiedMsg{account: got, err: err}
	})
}

func (r *Screen) takeVerified(msg verifiedMsg) {
	r.frame.ReloadAccounts()
	switch {
	case msg.err != nil:
		r.frame.ShowError(screen.Explain(msg.err))
	case msg.account.Status == schedctl.AccountError:
		r.frame.ShowError(screen.OneLine(msg.account.Name) + " is still refused by its network")
	default:
		r.frame.ShowNotice(screen.OneLine(msg.account.Name) + " works")
	}
}

// Lines renders the accounts with their status.
func (r *Screen) Lines(width, height int) []string {
	s := r.frame.Current()
	if len(r.list()) == 0 {
		return screen.EmptyMessage(s, s.Accounts.Loaded, s.Accounts.Err, "No account yet. Connect one with a.", width)
	}
	var lines []string
	at := 0
	for i, a := range r.list() {
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
