package tui

import (
	"cmp"
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// askSlots requests slots for a window.
func (m *Model) askSlots(w *postlist.SlotWindow, read func(context.Context, screen.Client) postlist.SlotsMsg) tea.Cmd {
	m.slotRequests++
	w.Request = m.slotRequests
	c, request := m.Client(), w.Request
	return m.Call(func(ctx context.Context) tea.Msg {
		msg := read(ctx, c)
		msg.Request = request
		return msg
	})
}

func (m *Model) takeSlots(msg postlist.SlotsMsg) tea.Cmd {
	if m.queues.Window.Take(msg, m.Now) {
		if msg.Err == nil {
			m.queues.TakeSlots(msg)
			m.replaceQueue(msg.Open)
		}
		return m.RetryLater(msg.Err)
	}
	s := &m.weekSlots
	for i := range s.windows {
		if !s.windows[i].Take(msg, m.Now) {
			continue
		}
		s.free = nil
		for j := range s.windows {
			s.free = append(s.free, s.windows[j].Ghosts(apiv1.SlotFree)...)
		}
		slices.SortStableFunc(s.free, func(a, b postlist.Ghost) int { return cmp.Or(a.At.Compare(b.At.Time), cmp.Compare(a.Queue, b.Queue)) })
		return m.RetryLater(msg.Err)
	}
	return nil
}

// slotsChanged makes the slots be read again when they are needed, after a pause.
func (m *Model) slotsChanged() {
	m.queues.Window.Outdated = true
	for i := range m.weekSlots.windows {
		m.weekSlots.windows[i].Outdated = true
	}
}

// RefreshSlots is slotsChanged without the pause, after a change by the user.
func (m *Model) RefreshSlots() {
	m.slotsChanged()
	m.queues.Window.ReadAt = time.Time{}
	for i := range m.weekSlots.windows {
		m.weekSlots.windows[i].ReadAt = time.Time{}
	}
}

// ghosts returns the slots that the current view shows, in order of time.
func (m *Model) ghosts() []postlist.Ghost {
	var list []postlist.Ghost
	switch {
	case !m.showsGhosts():
	case m.tab == tabWeek:
		list = m.weekSlots.free
	default:
		list = m.queues.Ghosts
	}
	return postlist.GhostsFrom(list, m.Now.Add(time.Millisecond))
}

// selectedGhost returns the selected slot, if a slot is selected and still free. Without
// posts, it is the first free slot.
func (m *Model) selectedGhost() (postlist.Ghost, bool) {
	f := m.Feed()
	if f == nil || m.ghost == (postlist.SlotKey{}) && f.Size() > 0 {
		return postlist.Ghost{}, false
	}
	list := m.ghosts()
	if m.ghost != (postlist.SlotKey{}) {
		for _, g := range postlist.GhostsFrom(list, time.UnixMilli(m.ghost.At)) {
			if g.Key() == m.ghost {
				return g, g.IsFree()
			}
			if g.At.UnixMilli() > m.ghost.At {
				break
			}
		}
	}
	if i := slices.IndexFunc(list, postlist.Ghost.IsFree); i >= 0 && f.Loaded && f.Size() == 0 {
		return list[i], true
	}
	return postlist.Ghost{}, false
}

// CurrentPost returns the selected post, unless a slot is selected.
func (m *Model) CurrentPost() (apiv1.Post, bool) {
	f := m.Feed()
	if f == nil {
		return apiv1.Post{}, false
	}
	if _, is := m.selectedGhost(); is {
		return apiv1.Post{}, false
	}
	p, ok := f.Current()
	if m.tab == tabMonth && !m.month.Has(p) {
		return apiv1.Post{}, false
	}
	return p, ok
}
