package tui

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/compose"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// queueList is the queues of the workspace.
type queueList struct {
	list    []apiv1.Queue
	loaded  bool
	loading bool
	err     error
	wanted  bool // the question for a queue waits for the list
}

// queuesMsg is the list of queues.
type queuesMsg struct {
	list []apiv1.Queue
	err  error
}

// fillQueues requests the queues.
func (m *Model) fillQueues() tea.Cmd {
	h, c := &m.queueList, m.Client()
	if !h.loaded && !h.loading && h.err == nil {
		h.loading = true
		return m.Call(func(ctx context.Context) tea.Msg {
			list, err := c.Queues(ctx)
			return queuesMsg{list: list, err: screen.UnlessUnknown(err)}
		})
	}
	return nil
}

func (m *Model) takeQueues(msg queuesMsg) tea.Cmd {
	h := &m.queueList
	h.loading = false
	if h.err = msg.err; msg.err != nil {
		h.wanted = false
		return m.RetryLater(msg.err)
	}
	same := slices.EqualFunc(h.list, msg.list, func(a, b apiv1.Queue) bool { return a.ID == b.ID && a.Version == b.Version })
	h.loaded, h.list = true, msg.list
	cmd := m.tellRooms(postlist.QueuesRead{Changed: !same})
	if h.wanted {
		h.wanted = false
		return tea.Batch(cmd, m.askQueue())
	}
	return cmd
}

// ReplaceQueue shows a queue that was read alone: its times may have changed.
func (m *Model) ReplaceQueue(q apiv1.Queue) {
	for i := range m.queueList.list {
		if m.queueList.list[i].ID == q.ID {
			m.queueList.list[i] = q
		}
	}
}

// slotsChanged has the slots read again when they are needed, after a pause.
func (m *Model) slotsChanged() { m.tellRooms(postlist.SlotsChanged{}) }

// RefreshSlots is slotsChanged without the pause, after a change by the user.
func (m *Model) RefreshSlots() { m.tellRooms(postlist.SlotsChanged{AtOnce: true}) }

// needsQueues reports whether the screen needs the queues.
func (m *Model) needsQueues() bool {
	if m.dialog != nil {
		return true // a text can name a queue
	}
	if m.queueList.wanted || m.traits().Plans {
		return true
	}
	p, ok := m.CurrentPost()
	return ok && p.QueueID != nil && (m.detail().Open || m.isSplit())
}

// reloadPlans reads again the queues, slots, blackouts and series that the screen shows.
func (m *Model) reloadPlans() {
	m.queueList.loaded, m.blackouts.loaded = false, false
	m.RefreshSlots()
	for id := range m.series {
		m.markSeries(id)
	}
}

// retryPlans clears the errors of failed reads of queues, blackouts and series.
func (m *Model) retryPlans() {
	m.queueList.err, m.blackouts.err = nil, nil
	for id, info := range m.series {
		info.Err = nil
		m.series[id] = info
	}
}

// isGhostSelected reports whether a free slot is selected.
func (m *Model) isGhostSelected() bool {
	_, ok := m.selectedGhost()
	return ok
}

// writePost opens the composer: for the selected slot if a free slot is selected, else with
// what the screen gives.
func (m *Model) writePost() tea.Cmd {
	s := m.PostScene()
	if g, ok := m.selectedGhost(); ok {
		q, _ := s.Queue(g.QueueID)
		return compose.Open(m, compose.SlotPost(g, q))
	}
	d := compose.NewPost()
	if h := m.holder(); h != nil {
		start := h.Start()
		d.Time = start.Time
		if q, ok := s.Queue(start.QueueID); ok {
			d = compose.QueuePost(q)
		}
	}
	return compose.Open(m, d)
}
