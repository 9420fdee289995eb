package week

import (
	"cmp"
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// slots is the free slots of the displayed week.
type slots struct {
	query   screen.SlotQuery // the period and the account of windows
	windows []postlist.SlotWindow
	left    int // queues that are not shown
	free    []postlist.Ghost
}

// outdate has the slots read again when they are needed.
func (s *slots) outdate(msg postlist.SlotsChanged) {
	for i := range s.windows {
		s.windows[i].Outdate(msg)
	}
}

// Fill requests the free slots of the week.
func (w *Screen) Fill() tea.Cmd {
	if loaded, _ := w.frame.QueuesRead(); !loaded || !w.ShowsSlots() {
		return nil
	}
	q, now := w.Posts.Query, w.frame.Current().Now
	w.setSlots(screen.SlotQuery{AccountID: q.AccountID, After: q.After, Before: q.Before})
	if !w.slots.query.Before.After(now) {
		return nil
	}
	var cmds []tea.Cmd
	reading := 0
	for i := range w.slots.windows {
		win := &w.slots.windows[i]
		if win.Request != 0 {
			reading++
		}
		if reading < postlist.MaxSlotReaders && win.Missing(now) {
			q := win.Query
			if q.After.Before(now) {
				q.After = now
			}
			reading++
			id := win.Queue.ID
			cmds = append(cmds, postlist.AskSlots(w.frame, win, func(ctx context.Context, c screen.Client) postlist.SlotsMsg {
				const pages = schedctl.MaxSlotsPerDay*7/postlist.SlotPage + 1
				list, _, err := postlist.ReadSlots(ctx, c, id, q, pages)
				return postlist.SlotsMsg{First: true, List: list, Err: err}
			}))
		}
	}
	return tea.Batch(cmds...)
}

// setSlots prepares the windows of a week, unless they are those of the query.
func (w *Screen) setSlots(q screen.SlotQuery) {
	s := &w.slots
	if s.windows != nil && s.query == q {
		return
	}
	*s = slots{query: q, windows: []postlist.SlotWindow{}}
	for _, queue := range w.frame.PostScene().Queues {
		switch {
		case q.AccountID != "" && len(queue.SocialAccountIDs) > 0 && !slices.Contains(queue.SocialAccountIDs, q.AccountID):
		case len(s.windows) == postlist.MaxWeekQueues:
			s.left++
		default:
			s.windows = append(s.windows, postlist.SlotWindow{Queue: queue, Query: q})
		}
	}
}

// takeSlots uses the slots that a window of the week has received.
func (w *Screen) takeSlots(msg postlist.SlotsMsg) tea.Cmd {
	s := &w.slots
	for i := range s.windows {
		if !s.windows[i].Take(msg, w.frame.Current().Now) {
			continue
		}
		s.free = nil
		for j := range s.windows {
			s.free = append(s.free, s.windows[j].Ghosts(apiv1.SlotFree)...)
		}
		slices.SortStableFunc(s.free, func(a, b postlist.Ghost) int { return cmp.Or(a.At.Compare(b.At.Time), cmp.Compare(a.Queue, b.Queue)) })
		return w.frame.RetryLater(msg.Err)
	}
	return nil
}
