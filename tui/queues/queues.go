// Package queues is the screen of the queues, and of the slots of the one that is open.
package queues

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
)

// Frame is what the queues ask of the program around them.
type Frame interface {
	postlist.Frame
	// QueuesRead reports whether the queues of the scene were read, and why they could not
	// be read.
	QueuesRead() (loaded bool, err error)
	// MarkStale has a post read again.
	MarkStale(id string) tea.Cmd
}

// Screen is the queues. The posts of the open one are in a feed of the frame.
type Screen struct {
	frame    Frame
	Selected int // the index of the selected queue

	Opened    string              // id of the open queue, or empty
	Window    postlist.SlotWindow // slots of the open queue
	Ghosts    []postlist.Ghost    // of Window
	Displaced []string            // ids of posts whose slots the open queue no longer has
	timetable schedctl.Queue      // times of the open queue
}

// New returns the list of queues in a frame.
func New(f Frame) *Screen { return &Screen{frame: f} }

// Show opens a queue.
func (h *Screen) Show(q apiv1.Queue) {
	h.Opened, h.timetable, h.Window, h.Ghosts, h.Displaced = q.ID, timetable(q), postlist.SlotWindow{Queue: q}, nil, nil
}

// Close returns to the list of queues.
func (h *Screen) Close() {
	h.Opened, h.Window, h.Ghosts, h.Displaced = "", postlist.SlotWindow{}, nil, nil
}

// opened returns the open queue.
func (h *Screen) opened() (apiv1.Queue, bool) {
	list := h.frame.PostScene().Queues
	i := slices.IndexFunc(list, func(q apiv1.Queue) bool { return q.ID == h.Opened })
	if i < 0 {
		return apiv1.Queue{}, false
	}
	return list[i], true
}

// Keys returns the most important keys for the last line.
func (h *Screen) Keys() []key.Binding {
	k := &h.frame.Current().Keys
	if h.Opened == "" {
		return []key.Binding{k.Help, k.Open, k.Reload, k.Quit}
	}
	keys := []key.Binding{k.Help, k.Back, k.New, k.Edit, k.DragDown, k.DragUp, k.HourLater, k.Skip, k.Quit}
	if len(h.Displaced) > 0 {
		keys = slices.Insert(keys, 1, k.Reflow)
	}
	return keys
}

// TakeSlots uses the slots that the window of the open queue has received.
func (h *Screen) TakeSlots(msg postlist.SlotsMsg) {
	h.Ghosts = h.Window.Ghosts(apiv1.SlotFree, apiv1.SlotProposed, apiv1.SlotBlocked, apiv1.SlotIsTaken)
	if msg.Open != nil {
		h.Displaced, h.timetable = msg.Open.Displaced, timetable(msg.Open.Queue)
	}
}

// IsDisplaced reports whether the open queue no longer has the slot of a scheduled post.
func (h *Screen) IsDisplaced(p apiv1.Post) bool {
	return p.Slot != nil && p.Status == schedctl.Scheduled &&
		!h.timetable.HasSlot(schedctl.Slot{Local: schedctl.LocalTime(p.Slot.Local), Timezone: p.Slot.Timezone})
}

// timetable returns the zone and the times of a queue.
func timetable(q apiv1.Queue) schedctl.Queue {
	out := schedctl.Queue{Timezone: q.Timezone}
	for _, t := range q.Times {
		if at, valid := t.Domain(); valid {
			out.Times = append(out.Times, at)
		}
	}
	return out
}
