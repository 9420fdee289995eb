package tui

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
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

// fillQueues requests the queues, and the slots of the open queue as the user scrolls.
func (m *Model) fillQueues() tea.Cmd {
	h, c := &m.queueList, m.Client()
	if !h.loaded && !h.loading && h.err == nil {
		h.loading = true
		return m.Call(func(ctx context.Context) tea.Msg {
			list, err := c.Queues(ctx)
			return queuesMsg{list: list, err: screen.UnlessUnknown(err)}
		})
	}
	if m.tab != tabQueues || m.queues.Opened == "" {
		return nil
	}
	w := &m.queues.Window
	if w.Missing(m.Now) {
		id, q := m.queues.Opened, screen.SlotQuery{After: m.Now}
		return m.askSlots(w, func(ctx context.Context, c screen.Client) postlist.SlotsMsg {
			queue, err := c.Queue(ctx, id)
			if err != nil {
				return postlist.SlotsMsg{Err: err}
			}
			list, next, err := postlist.ReadSlots(ctx, c, id, q, 1)
			return postlist.SlotsMsg{First: true, List: list, Next: next, Open: &queue, Err: err}
		})
	}
	if w.Request != 0 || w.Err != nil || !m.needsMoreSlots() {
		return nil
	}
	id, q := m.queues.Opened, screen.SlotQuery{After: w.Next}
	return m.askSlots(w, func(ctx context.Context, c screen.Client) postlist.SlotsMsg {
		list, next, err := postlist.ReadSlots(ctx, c, id, q, 1)
		return postlist.SlotsMsg{List: list, Next: next, Err: err}
	})
}

// needsMoreSlots reports whether the rows below the selection reach the end of the loaded
// slots.
func (m *Model) needsMoreSlots() bool {
	w := &m.queues.Window
	if w.Next.IsZero() || w.Next.Sub(m.Now) > schedctl.QueueHorizon {
		return false
	}
	reach, rows := max(postlist.LookAhead, m.height), 0
	list, at := m.entries(reach)
	for _, e := range list[max(0, at):] {
		if e.At().Before(w.Next) {
			rows++
		}
	}
	return rows < reach
}

func (m *Model) takeQueues(msg queuesMsg) tea.Cmd {
	h := &m.queueList
	h.loading = false
	if h.err = msg.err; msg.err != nil {
		h.wanted = false
		return m.RetryLater(msg.err)
	}
	if !slices.EqualFunc(h.list, msg.list, func(a, b apiv1.Queue) bool { return a.ID == b.ID && a.Version == b.Version }) {
		m.weekSlots = weekSlots{}
	}
	h.loaded, h.list = true, msg.list
	m.queues.Selected = screen.Clamp(m.queues.Selected, len(h.list))
	if _, ok := m.queue(m.queues.Opened); !ok {
		m.closeQueue()
	}
	if h.wanted {
		h.wanted = false
		return m.askQueue()
	}
	return nil
}

// replaceQueue shows a queue that was read alone: its times may have changed. Nil is ignored.
func (m *Model) replaceQueue(q *apiv1.QueueEnvelope) {
	for i := range m.queueList.list {
		if q != nil && m.queueList.list[i].ID == q.Queue.ID {
			m.queueList.list[i] = q.Queue
		}
	}
}

// queue returns the queue with an id.
func (m *Model) queue(id string) (apiv1.Queue, bool) {
	i := slices.IndexFunc(m.queueList.list, func(q apiv1.Queue) bool { return q.ID == id })
	if i < 0 {
		return apiv1.Queue{}, false
	}
	return m.queueList.list[i], true
}

// openQueue shows the posts and slots of the selected queue.
func (m *Model) openQueue() {
	h := m.queues
	if h.Opened != "" || h.Selected >= len(m.queueList.list) {
		return
	}
	q := m.queueList.list[h.Selected]
	h.Show(q)
	m.ghost = postlist.SlotKey{}
	query := tabQueues.query(m.week)
	query.QueueID = q.ID
	m.feeds[tabQueues].Reset(query)
}

// closeQueue returns to the list of queues.
func (m *Model) closeQueue() {
	m.queues.Close()
	m.feeds[tabQueues].Reset(tabQueues.query(m.week))
	if m.tab == tabQueues {
		m.ghost = postlist.SlotKey{}
		m.detail.Close()
	}
}

// needsQueues reports whether the screen needs the queues.
func (m *Model) needsQueues() bool {
	if m.dialog != nil {
		return true // a text can name a queue
	}
	if m.queueList.wanted || m.tab.isCalendar() || m.tab == tabQueues {
		return true
	}
	p, ok := m.CurrentPost()
	return ok && p.QueueID != nil && (m.detail.Open || m.isSplit())
}

// reloadPlans reads again the queues, slots, blackouts and series that the screen shows.
func (m *Model) reloadPlans() {
	m.queueList.loaded, m.blackouts.loaded = false, false
	m.RefreshSlots()
	for id := range m.series {
		m.markSeries(id)
	}
}

// retryPlans clears the errors of failed reads of queues, slots, blackouts and series.
func (m *Model) retryPlans() {
	m.queueList.err, m.queues.Window.Err, m.blackouts.err = nil, nil, nil
	for i := range m.weekSlots.windows {
		m.weekSlots.windows[i].Err = nil
	}
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

// writePost opens the composer: for the selected slot if a free slot is selected, and for
// the next slot of an open queue.
func (m *Model) writePost() tea.Cmd {
	if g, ok := m.selectedGhost(); ok {
		q, _ := m.queue(g.QueueID)
		return compose.Open(m, compose.SlotPost(g, q))
	}
	if q, ok := m.queue(m.queues.Opened); ok && m.tab == tabQueues {
		return compose.Open(m, compose.QueuePost(q))
	}
	if m.tab == tabMonth {
		return compose.Open(m, m.monthDraft())
	}
	return compose.Open(m, compose.NewPost())
}

// monthDraft returns a draft for the selected day of the month if that is to come.
func (m *Model) monthDraft() compose.Draft {
	d := compose.NewPost()
	if day := m.month.Day; day.After(m.Now) {
		d.Time = day.Format("2006-01-02") + " 09:00"
	}
	return d
}
