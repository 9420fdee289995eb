package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

const (
	staleAfter = 150 * time.Millisecond // events arrive in groups
	staleBatch = 20                     // posts read at the same time
	maxStale   = 500                    // reload everything if more posts are stale

	silentPause = time.Minute // between two reads of what has no events
)

// stale is the set of posts that have changed and must be read again.
type stale struct {
	ids map[string]bool
	due bool // a staleMsg is scheduled
}

type (
	staleMsg struct{}
	// postMsg is the current version of a post.
	postMsg struct {
		id   string
		post apiv1.Post
		err  error
	}
)

// takeEvent marks the object of an event as stale.
func (m *Model) takeEvent(msg eventMsg) tea.Cmd {
	m.link.state = linkOpen
	switch msg.event.Type {
	case schedctl.EventAccountError, schedctl.EventAccountExpiring:
		m.ReloadAccounts()
	}
	cmd := m.tellRooms(screen.Event{Event: msg.event})
	m.forecast.Handle(screen.Event{Event: msg.event})
	m.markSeries(msg.event.Data.SeriesID)
	return tea.Batch(cmd, m.MarkStale(msg.event.Data.PostID))
}

// MarkStale schedules a post to be read again.
func (m *Model) MarkStale(id string) tea.Cmd {
	if id == "" {
		return nil
	}
	if m.stale.ids[id] = true; m.stale.due {
		return nil
	}
	m.stale.due = true
	return tea.Tick(staleAfter, func(time.Time) tea.Msg { return staleMsg{} })
}

// refresh reads some of the stale posts.
func (m *Model) refresh() tea.Cmd {
	m.stale.due = false
	if len(m.stale.ids) > maxStale {
		clear(m.stale.ids)
		return m.reload()
	}
	var cmds []tea.Cmd
	for id := range m.stale.ids {
		if len(cmds) == staleBatch {
			m.stale.due = true
			cmds = append(cmds, tea.Tick(staleAfter, func(time.Time) tea.Msg { return staleMsg{} }))
			break
		}
		delete(m.stale.ids, id)
		cmds = append(cmds, m.readPost(id))
	}
	return tea.Batch(cmds...)
}

func (m *Model) readPost(id string) tea.Cmd {
	c := m.Client()
	return m.Call(func(ctx context.Context) tea.Msg {
		post, err := postlist.ReadRow(ctx, c, apiv1.Post{ID: id})
		return postMsg{id: id, post: post, err: err}
	})
}

func (m *Model) takePost(msg postMsg) tea.Cmd {
	switch {
	case schedctl.CodeOf(msg.err) == schedctl.NotFound:
		for f := range m.feeds() {
			f.Remove(msg.id)
		}
		m.slotsChanged()
	case msg.err != nil:
		m.stale.ids[msg.id] = true // retry after the pause
		return m.RetryLater(msg.err)
	default:
		m.ApplyPost(msg.post)
	}
	return nil
}

// showsChange reports whether a pending change of the post is displayed. It
// remembers p as the version to which a refused change is reverted.
func (m *Model) showsChange(p apiv1.Post) bool {
	if before, changing := m.busy[p.ID]; changing {
		m.busy[p.ID] = postlist.Newer(before, p)
		return true
	}
	return m.nudge.id == p.ID || m.isGrabbed(p.ID)
}

// ApplyPost shows the daemon's version of a post, unless a change of it is in
// progress.
func (m *Model) ApplyPost(p apiv1.Post) {
	if m.showsChange(p) {
		return
	}
	m.slotsChanged()
	if p.SeriesID != nil {
		m.markSeries(*p.SeriesID)
	}
	for h := range m.holders() {
		f := h.Feed()
		h.Detail().Changed(p.ID)
		if postlist.IsSeries(p) && !h.Traits().Reviews {
			continue
		}
		if i, ok := f.Find(p.ID); ok {
			if old, _ := f.At(i); old.Version > p.Version {
				continue
			}
		}
		f.Update(p)
	}
}

// pollSilent regularly has data read again for which the daemon sends no events: accounts
// that another client connects, blackouts and pauses, queues and their slots, and series.
func (m *Model) pollSilent() {
	if m.link.state != linkOpen || m.Now.Sub(m.silentAt) < silentPause {
		return
	}
	m.silentAt = m.Now
	m.ReloadAccounts()
	m.reloadPlans()
	m.room().Refresh()
}
