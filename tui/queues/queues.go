// Package queues is the screen of the queues, and of the slots of the one that is open.
package queues

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// Frame is what the queues ask of the program around them.
type Frame interface {
	postlist.Frame
	// MarkStale has a post read again.
	MarkStale(id string) tea.Cmd
	// StartSaving notes that a change of a post is in progress, and EndSaving that it is not.
	// It returns the post before the change, and reports whether there was one.
	StartSaving(p apiv1.Post)
	EndSaving(id string) (before apiv1.Post, was bool)
	// FinishUndo updates the changes that can be undone after an undo, which may be nil. If it
	// may have failed, it can be repeated.
	FinishUndo(u *postlist.Undo, restored apiv1.Post, err error)
	// RebaseUndo redirects earlier changes of a post to the result of an undo.
	RebaseUndo(u *postlist.Undo, restored apiv1.Post)
	// Refusal describes why a change failed.
	Refusal(c postlist.Change, err error) string
	// ReplaceQueue shows a queue that was read alone: its times may have changed.
	ReplaceQueue(q apiv1.Queue)
}

// Screen is the queues, or the posts and slots of the open one. It is a [postlist.Orderer].
type Screen struct {
	postlist.List
	frame    Frame
	selected int // the index of the selected queue

	openID    string              // id of the open queue, or empty
	window    postlist.SlotWindow // slots of the open queue
	ghosts    []postlist.Ghost    // of window
	displaced []string            // ids of posts whose slots the open queue no longer has
	timetable schedctl.Queue      // times of the open queue
	drag      drag
}

// New returns the list of queues in a frame.
func New(f Frame) *Screen {
	h := &Screen{frame: f, List: postlist.NewList(f, postlist.Traits{
		Query: screen.Query{Statuses: postlist.Upcoming},
		Sorts: []string{"publish_at"},
		Empty: "No posts and no free slots in this queue.",
		Plans: true,
	})}
	h.Slots = h.slots
	return h
}

// slots returns the slots of the open queue. They are not those of one account.
func (h *Screen) slots() []postlist.Ghost {
	if h.openID == "" || h.Posts.Query.AccountID != "" {
		return nil
	}
	return h.ghosts
}

// Feed implements [postlist.Holder].
func (h *Screen) Feed() *postlist.Feed {
	if h.openID == "" {
		return nil
	}
	return &h.Posts
}

// OpenQueue implements [postlist.Orderer].
func (h *Screen) OpenQueue() string { return h.openID }

// Start implements [postlist.Holder].
func (h *Screen) Start() postlist.Start { return postlist.Start{QueueID: h.openID} }

// Open shows the posts and slots of the selected queue.
func (h *Screen) Open() {
	list := h.frame.PostScene().Queues
	if h.openID != "" || h.selected >= len(list) {
		return
	}
	q := list[h.selected]
	h.SelectPost()
	h.openID, h.timetable, h.window, h.ghosts, h.displaced = q.ID, timetable(q), postlist.SlotWindow{Queue: q}, nil, nil
	query := h.Traits().Query
	query.QueueID = q.ID
	h.Posts.Reset(query)
}

// Back returns to the list of queues.
func (h *Screen) Back() {
	if h.openID == "" {
		h.List.Back()
		return
	}
	h.SelectPost()
	h.openID, h.window, h.ghosts, h.displaced = "", postlist.SlotWindow{}, nil, nil
	h.Posts.Reset(h.Traits().Query)
	h.Detail().Close()
	h.Detail().Outdated = true // a closed queue misses changes
}

// Move implements [screen.Screen].
func (h *Screen) Move(by int) {
	if h.openID == "" {
		h.selected = screen.Clamp(h.selected+by, len(h.frame.PostScene().Queues))
		return
	}
	h.List.Move(by)
}

// Handle implements [screen.Screen].
func (h *Screen) Handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case previewMsg:
		h.takePreview(msg)
	case reflowedMsg:
		return h.takeReflowed(msg)
	case DragMsg:
		if msg.seq == h.drag.seq {
			return h.SendOrder()
		}
	case orderedMsg:
		return h.takeOrdered(msg)
	case postlist.SlotsMsg:
		return h.takeSlots(msg)
	case postlist.SlotsChanged:
		h.window.Outdate(msg)
	case postlist.QueuesRead:
		h.takeQueues()
	}
	return nil
}

// takeQueues closes the open queue if it no longer exists.
func (h *Screen) takeQueues() {
	h.selected = screen.Clamp(h.selected, len(h.frame.PostScene().Queues))
	if _, ok := h.opened(); !ok && h.openID != "" {
		h.Back()
	}
}

// opened returns the open queue.
func (h *Screen) opened() (apiv1.Queue, bool) { return h.frame.PostScene().Queue(h.openID) }

// Keys returns the most important keys for the last line.
func (h *Screen) Keys() []key.Binding {
	k := &h.frame.Current().Keys
	if h.openID == "" {
		return []key.Binding{k.Help, k.Open, k.Reload, k.Quit}
	}
	if _, free := h.SelectedGhost(); free {
		return []key.Binding{k.Help, k.WriteHere, k.Up, k.Down, k.Back, k.Quit}
	}
	keys := []key.Binding{k.Help, k.Back, k.New, k.Edit, k.DragDown, k.DragUp, k.HourLater, k.Skip, k.Quit}
	if len(h.displaced) > 0 {
		keys = slices.Insert(keys, 1, k.Reflow)
	}
	return keys
}

// isDisplaced reports whether the open queue no longer has the slot of a scheduled post.
func (h *Screen) isDisplaced(p apiv1.Post) bool {
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
