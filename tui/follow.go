package tui

import (
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
)

// settleAfter is how long a key must rest before it changes another post than the one
// that left the selection. It is longer than terminals wait before they repeat a held key.
const settleAfter = time.Second

// settledMsg says that no key was held since the selection changed without a key.
type settledMsg struct{ seq int }

// follow keeps the selection on a post that was selected and now has another time. A
// calendar shows the week or month of the post; in a list, the page of the post is loaded.
func (m *Model) follow(p apiv1.Post) {
	if h := m.holder(); h != nil {
		h.Follow(p)
	}
}

// selectedID returns the id of the selected post, empty without one.
func (m *Model) selectedID() string {
	p, _ := m.CurrentPost()
	return p.ID
}

// noteSelection notices that the selected post left the view without a key that moves the
// selection. before is the id of the post that was selected.
func (m *Model) noteSelection(msg tea.Msg, tab tab, before string) tea.Cmd {
	switch msg.(type) {
	case tea.KeyMsg, tea.MouseMsg, tea.WindowSizeMsg:
		return nil
	}
	if f := m.Feed(); before == "" || m.tab != tab || f == nil || m.selectedID() == before || f.Anchor == before {
		return nil
	}
	return m.unsettle()
}

// unsettle makes keys that change a post at once wait until no key is held.
func (m *Model) unsettle() tea.Cmd {
	m.unsettled = true
	m.settleSeq++
	seq := m.settleSeq
	return tea.Tick(settleAfter, func(time.Time) tea.Msg { return settledMsg{seq} })
}

// ifSettled does something to the selected post, unless a held key may be meant for the
// post that was selected before.
func (m *Model) ifSettled(do func() tea.Cmd) tea.Cmd {
	if !m.unsettled {
		return do()
	}
	m.ShowNotice("another post is selected now: release the key, or choose a post with ↑ and ↓")
	return m.unsettle()
}

// sayWhere adds to the notice of a change where its post went, if the current view no
// longer has it.
func (m *Model) sayWhere(p apiv1.Post) {
	shown := m.holder()
	if shown == nil || postlist.Matches(shown.Feed().Query, p) {
		return
	}
	if shown.IsFiltered() && slices.Contains(m.traits().Query.Statuses, p.Status) {
		m.notice.text += "; this search or filter hides it (esc shows all)"
		return
	}
	for t, r := range m.rooms {
		h, ok := r.(postlist.Holder)
		if _, calendar := r.(postlist.Calendar); ok && !calendar && slices.Contains(h.Traits().Query.Statuses, p.Status) {
			m.notice.text += fmt.Sprintf("; it is in %s %s", tab(t).number(), tab(t))
			return
		}
	}
}
