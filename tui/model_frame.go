package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/compose"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/review"
	"github.com/schedctl/schedctl/tui/screen"
)

// Model is the frame of its screens and dialogs.
var (
	_ review.Frame  = (*Model)(nil)
	_ compose.Frame = (*Model)(nil)
)

// Current implements [screen.Frame].
func (m *Model) Current() *screen.Scene { return &m.Scene }

// Client implements [screen.Frame].
func (m *Model) Client() screen.Client { return m.cfg.Client }

// ReloadAccounts implements [screen.Frame].
func (m *Model) ReloadAccounts() { m.Accounts.Loaded = false }

// IsShown implements [screen.Frame].
func (m *Model) IsShown(s screen.Screen) bool { return m.room() == s }

// Call implements [screen.Frame].
func (m *Model) Call(f func(ctx context.Context) tea.Msg) tea.Cmd { return m.call(f) }

// Open implements [screen.Frame].
func (m *Model) Open(d screen.Dialog) { m.dialog = d }

// ClearNotice implements [screen.Frame].
func (m *Model) ClearNotice() { m.notice = notice{} }

// Close implements [screen.Frame].
func (m *Model) Close() { m.dialog = nil }

// IsOpen implements [screen.Frame].
func (m *Model) IsOpen(d screen.Dialog) bool { return m.dialog == d }

// Size implements [postlist.Frame].
func (m *Model) Size() (width, height int) { return m.width, m.height }

// NotesChanged implements [review.Frame].
func (m *Model) NotesChanged(id string) {
	for h := range m.holders() {
		h.Detail().Changed(id)
	}
}

// Decided implements [review.Frame].
func (m *Model) Decided(p apiv1.Post) {
	m.ApplyPost(p)
	if f := m.Feed(); f != nil && !f.Has(p.ID) && m.detail().OpenedFor == p.ID {
		m.detail().Close()
	}
	m.RefreshSlots()
}

// Groups implements [compose.Frame].
func (m *Model) Groups() []apiv1.AccountGroup { return m.groups.list }

// WantGroups implements [compose.Frame].
func (m *Model) WantGroups() { m.groups.wanted = true }

// ZoneName implements [compose.Frame].
func (m *Model) ZoneName() string { return m.cfg.ZoneName }

// Complete implements [compose.Frame].
func (m *Model) Complete() func(text string) []string { return m.cfg.Complete }

// Editor implements [compose.Frame].
func (m *Model) Editor() func(text string) (string, error) { return m.write }

// Upload implements [compose.Frame].
func (m *Model) Upload(f func(ctx context.Context) tea.Msg) tea.Cmd { return m.upload(f) }

// Reload implements [compose.Frame].
func (m *Model) Reload() tea.Cmd { return m.reload() }

// ShowSaved implements [compose.Frame].
func (m *Model) ShowSaved(p apiv1.Post) {
	m.ApplyPost(p)
	m.RefreshSlots()
	m.selectPost(p.ID)
	if f := m.Feed(); f != nil {
		f.Edited = &p
	}
}

// RequestNumber implements [postlist.Frame].
func (m *Model) RequestNumber() int {
	m.requests++
	return m.requests
}

// StartSaving implements [queues.Frame].
func (m *Model) StartSaving(p apiv1.Post) { m.busy[p.ID] = p }

// EndSaving implements [queues.Frame].
func (m *Model) EndSaving(id string) (before apiv1.Post, was bool) {
	before, was = m.busy[id]
	delete(m.busy, id)
	return before, was
}

// RebaseUndo implements [queues.Frame].
func (m *Model) RebaseUndo(u *postlist.Undo, restored apiv1.Post) { m.undos.Rebase(u, restored) }

// ReloadKeys implements [review.Frame].
func (m *Model) ReloadKeys() { m.reviewers.loaded = false }

// QueuesRead implements [postlist.Frame].
func (m *Model) QueuesRead() (loaded bool, err error) { return m.queueList.loaded, m.queueList.err }
