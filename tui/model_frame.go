package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"
)

// Model is the [Frame] of its screens and dialogs.
var _ Frame = (*Model)(nil)

// Current implements [Frame].
func (m *Model) Current() *Scene { return &m.Scene }

// Client implements [Frame].
func (m *Model) Client() Client { return m.cfg.Client }

// Call implements [Frame].
func (m *Model) Call(f func(ctx context.Context) tea.Msg) tea.Cmd { return m.call(f) }

// Open implements [Frame].
func (m *Model) Open(d Dialog) { m.dialog = d }

// ClearNotice implements [Frame].
func (m *Model) ClearNotice() { m.notice = notice{} }

// Close implements [Frame].
func (m *Model) Close() { m.dialog = nil }

// IsOpen implements [Frame].
func (m *Model) IsOpen(d Dialog) bool { return m.dialog == d }
