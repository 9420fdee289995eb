package queues

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// Fill requests the slots of the open queue as the user scrolls.
func (h *Screen) Fill() tea.Cmd {
	w, now := &h.window, h.frame.Current().Now
	switch {
	case h.openID == "":
		return nil
	case w.Missing(now):
		id, q := h.openID, screen.SlotQuery{After: now}
		return postlist.AskSlots(h.frame, w, func(ctx context.Context, c screen.Client) postlist.SlotsMsg {
			queue, err := c.Queue(ctx, id)
			if err != nil {
				return postlist.SlotsMsg{Err: err}
			}
			list, next, err := postlist.ReadSlots(ctx, c, id, q, 1)
			return postlist.SlotsMsg{First: true, List: list, Next: next, Open: &queue, Err: err}
		})
	case w.Request != 0 || w.Err != nil || !h.needsMoreSlots():
		return nil
	}
	id, q := h.openID, screen.SlotQuery{After: w.Next}
	return postlist.AskSlots(h.frame, w, func(ctx context.Context, c screen.Client) postlist.SlotsMsg {
		list, next, err := postlist.ReadSlots(ctx, c, id, q, 1)
		return postlist.SlotsMsg{List: list, Next: next, Err: err}
	})
}

// needsMoreSlots reports whether the rows below the selection reach the end of the loaded
// slots.
func (h *Screen) needsMoreSlots() bool {
	w := &h.window
	if w.Next.IsZero() || w.Next.Sub(h.frame.Current().Now) > schedctl.QueueHorizon {
		return false
	}
	_, height := h.frame.Size()
	reach, rows := max(postlist.LookAhead, height), 0
	list, at := h.Entries(reach)
	for _, e := range list[max(0, at):] {
		if e.At().Before(w.Next) {
			rows++
		}
	}
	return rows < reach
}

// takeSlots uses the slots that the window of the open queue has received.
func (h *Screen) takeSlots(msg postlist.SlotsMsg) tea.Cmd {
	if !h.window.Take(msg, h.frame.Current().Now) {
		return nil
	}
	if msg.Err == nil {
		h.ghosts = h.window.Ghosts(apiv1.SlotFree, apiv1.SlotProposed, apiv1.SlotBlocked, apiv1.SlotIsTaken)
		if msg.Open != nil {
			h.displaced, h.timetable = msg.Open.Displaced, timetable(msg.Open.Queue)
			h.frame.ReplaceQueue(msg.Open.Queue)
		}
	}
	return h.frame.RetryLater(msg.Err)
}

// Retry implements [screen.Screen].
func (h *Screen) Retry() {
	h.List.Retry()
	h.window.Err = nil
}

// Summary implements [postlist.Holder].
func (h *Screen) Summary() []string {
	if n := len(h.displaced); n > 0 {
		return []string{fmt.Sprintf("%d displaced: F previews new slots", n)}
	}
	return h.List.Summary()
}
