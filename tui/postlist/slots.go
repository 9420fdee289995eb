package postlist

import (
	"context"
	"slices"
	"sort"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

const (
	SlotPage       = 200             // slots of a request
	slotPause      = 2 * time.Second // pause between reads of slots that change
	MaxWeekQueues  = 12              // queues whose slots the week shows
	MaxSlotReaders = 4               // windows that are read at the same time
)

// Ghost is a slot of a queue without a post of that queue.
type Ghost struct {
	QueueID, Queue string // id and name of the queue
	apiv1.QueueSlot
}

// SlotKey identifies a slot. The zero SlotKey is no slot.
type SlotKey struct {
	queueID string
	At      int64 // milliseconds
}

// Key identifies the slot.
func (g Ghost) Key() SlotKey { return SlotKey{g.QueueID, g.At.UnixMilli()} }

// IsFree reports whether a post can take the slot.
func (g Ghost) IsFree() bool { return g.State == apiv1.SlotFree }

// SlotWindow is the slots of one queue in a period.
type SlotWindow struct {
	Queue    apiv1.Queue
	Query    screen.SlotQuery
	list     []apiv1.QueueSlot
	Next     time.Time // where the slots after list start; zero after the last slot
	loaded   bool
	Outdated bool
	ReadAt   time.Time // zero to read an outdated window at once
	Request  int       // number of the request in progress, or 0
	Err      error
}

// Missing reports whether the window must be read now. Slots that change often are read
// again after a pause.
func (w *SlotWindow) Missing(now time.Time) bool {
	switch {
	case w.Request != 0 || w.Err != nil:
		return false
	case !w.loaded:
		return true
	}
	return w.Outdated && now.Sub(w.ReadAt) >= slotPause
}

// Take stores a response, and reports whether it belongs to the window.
func (w *SlotWindow) Take(msg SlotsMsg, now time.Time) bool {
	if w.Request != msg.Request {
		return false
	}
	w.Request = 0
	if w.Err = msg.Err; msg.Err != nil {
		return true
	}
	if msg.First {
		w.list, w.Outdated, w.ReadAt = nil, false, now
	}
	w.list, w.Next, w.loaded = append(w.list, msg.List...), msg.Next, true
	return true
}

// AskSlots requests slots for a window.
func AskSlots(f Frame, w *SlotWindow, read func(context.Context, screen.Client) SlotsMsg) tea.Cmd {
	w.Request = f.RequestNumber()
	c, request := f.Client(), w.Request
	return f.Call(func(ctx context.Context) tea.Msg {
		msg := read(ctx, c)
		msg.Request = request
		return msg
	})
}

// Outdate has the window read again when it is needed: at once, or after a pause.
func (w *SlotWindow) Outdate(msg SlotsChanged) {
	if w.Outdated = true; msg.AtOnce {
		w.ReadAt = time.Time{}
	}
}

// Ghosts returns the slots with one of the given states.
func (w *SlotWindow) Ghosts(states ...apiv1.QueueSlotState) (list []Ghost) {
	for _, s := range w.list {
		if slices.Contains(states, s.State) {
			list = append(list, Ghost{QueueID: w.Queue.ID, Queue: w.Queue.Name, QueueSlot: s})
		}
	}
	return list
}

// ReadSlots reads slots until the end of the query, in at most pages requests. next is
// where the remaining slots start.
func ReadSlots(ctx context.Context, c screen.Client, queueID string, q screen.SlotQuery, pages int) (list []apiv1.QueueSlot, next time.Time, err error) {
	q.Limit = SlotPage
	for range pages {
		page, err := c.QueueSlots(ctx, queueID, q)
		if err != nil {
			return nil, time.Time{}, err
		}
		list = append(list, page...)
		if len(page) < SlotPage {
			return list, time.Time{}, nil
		}
		q.After = page[len(page)-1].At.Add(time.Millisecond)
	}
	return list, q.After, nil
}

// GhostsFrom returns the slots at or after t.
func GhostsFrom(list []Ghost, t time.Time) []Ghost {
	return list[sort.Search(len(list), func(i int) bool { return !list[i].At.Before(t) }):]
}

// SlotsMsg is the response to a request for slots.
type SlotsMsg struct {
	Request int
	First   bool // list replaces the slots of the window
	List    []apiv1.QueueSlot
	Next    time.Time
	Open    *apiv1.QueueEnvelope // the open queue, in its first response
	Err     error
}
