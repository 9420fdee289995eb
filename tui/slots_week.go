package tui

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// weekSlots is the free slots of the displayed week.
type weekSlots struct {
	query   screen.SlotQuery // the period and the account of windows
	windows []postlist.SlotWindow
	left    int // queues that are not shown
	free    []postlist.Ghost
}

// showsGhosts reports whether the current view shows slots: slots have neither text nor
// labels.
func (m *Model) showsGhosts() bool {
	f := m.Feed()
	if f == nil || m.tab != tabWeek && m.tab != tabQueues {
		return false
	}
	q := f.Query
	return q.Search == "" && q.Label == "" && slices.Contains(q.Statuses, schedctl.Scheduled) && (m.tab == tabWeek || q.AccountID == "")
}

// fillWeekSlots requests the free slots of the week.
func (m *Model) fillWeekSlots() tea.Cmd {
	if m.tab != tabWeek || !m.queueList.loaded || !m.showsGhosts() {
		return nil
	}
	q := m.feeds[tabWeek].Query
	m.setWeekSlots(screen.SlotQuery{AccountID: q.AccountID, After: q.After, Before: q.Before})
	if w := &m.weekSlots; !w.query.Before.After(m.Now) {
		return nil
	}
	var cmds []tea.Cmd
	reading := 0
	for i := range m.weekSlots.windows {
		w := &m.weekSlots.windows[i]
		if w.Request != 0 {
			reading++
		}
		if reading < postlist.MaxSlotReaders && w.Missing(m.Now) {
			q := w.Query
			if q.After.Before(m.Now) {
				q.After = m.Now
			}
			reading++
			id := w.Queue.ID
			cmds = append(cmds, m.askSlots(w, func(ctx context.Context, c screen.Client) postlist.SlotsMsg {
				const pages = schedctl.MaxSlotsPerDay*7/postlist.SlotPage + 1
				list, _, err := postlist.ReadSlots(ctx, c, id, q, pages)
				return postlist.SlotsMsg{First: true, List: list, Err: err}
			}))
		}
	}
	return tea.Batch(cmds...)
}

// setWeekSlots prepares the windows of a week, unless they are those of the query.
func (m *Model) setWeekSlots(q screen.SlotQuery) {
	s := &m.weekSlots
	if s.windows != nil && s.query == q {
		return
	}
	*s = weekSlots{query: q, windows: []postlist.SlotWindow{}}
	for _, queue := range m.queueList.list {
		switch {
		case q.AccountID != "" && len(queue.SocialAccountIDs) > 0 && !slices.Contains(queue.SocialAccountIDs, q.AccountID):
		case len(s.windows) == postlist.MaxWeekQueues:
			s.left++
		default:
			s.windows = append(s.windows, postlist.SlotWindow{Queue: queue, Query: q})
		}
	}
}
