package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/tui/screen"
)

// Model is the [Frame] of its screens and dialogs.
var _ screen.Frame = (*Model)(nil)

// Current implements [Frame].
func (m *Model) Current() *screen.Scene { return &m.Scene }

// Client implements [Frame].
func (m *Model) Client() screen.Client { return m.cfg.Client }

// ReloadAccounts implements [screen.Frame].
func (m *Model) ReloadAccounts() { m.Accounts.Loaded = false }

// IsShown implements [screen.Frame].
func (m *Model) IsShown(s screen.Screen) bool { return m.room() == s }

// Call implements [Frame].
func (m *Model) Call(f func(ctx context.Context) tea.Msg) tea.Cmd { return m.call(f) }

// Open implements [Frame].
func (m *Model) Open(d screen.Dialog) { m.dialog = d }

// ClearNotice implements [Frame].
func (m *Model) ClearNotice() { m.notice = notice{} }

// Close implements [Frame].
func (m *Model) Close() { m.dialog = nil }

// IsOpen implements [Frame].
func (m *Model) IsOpen(d screen.Dialog) bool { return m.dialog == d }
