package tui

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"time"

	"github.com/schedctl/schedctl/tui/screen"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
)

const (
	slotPage       = 200             // slots of a request
	slotPause      = 2 * time.Second // pause between reads of slots that change
	maxWeekQueues  = 12              // queues whose slots the week shows
	maxSlotReaders = 4               // windows that are read at the same time
)

// ghost is a slot of a queue without a post of that queue.
type ghost struct {
	queueID, queue string // id and name of the queue
	apiv1.QueueSlot
}

// slotKey identifies a slot. The zero slotKey is no slot.
type slotKey struct {
	queueID string
	at      int64 // milliseconds
}

func (g ghost) key() slotKey { return slotKey{g.queueID, g.At.UnixMilli()} }

// isFree reports whether a post can take the slot.
func (g ghost) isFree() bool { return g.State == apiv1.SlotFree }

// slotWindow is the slots of one queue in a period.
type slotWindow struct {
	queue    apiv1.Queue
	query    screen.SlotQuery
	list     []apiv1.QueueSlot
	next     time.Time // where the slots after list start; zero after the last slot
	loaded   bool
	outdated bool
	readAt   time.Time
	request  int // number of the request in progress, or 0
	err      error
}

// slotsMsg is the response to a request for slots.
type slotsMsg struct {
	request int
	first   bool // list replaces the slots of the window
	list    []apiv1.QueueSlot
	next    time.Time
	open    *apiv1.QueueEnvelope // the open queue, in its first response
	err     error
}

// missing reports whether the window must be read now. Slots that change often are read
// again after a pause.
func (w *slotWindow) missing(now time.Time) bool {
	switch {
	case w.request != 0 || w.err != nil:
		return false
	case !w.loaded:
		return true
	}
	return w.outdated && now.Sub(w.readAt) >= slotPause
}

// take stores a response, and reports whether it belongs to the window.
func (w *slotWindow) take(msg slotsMsg, now time.Time) bool {
	if w.request != msg.request {
		return false
	}
	w.request = 0
	if w.err = msg.err; msg.err != nil {
		return true
	}
	if msg.first {
		w.list, w.outdated, w.readAt = nil, false, now
	}
	w.list, w.next, w.loaded = append(w.list, msg.list...), msg.next, true
	return true
}

// ghosts returns the slots with one of the given states.
func (w *slotWindow) ghosts(states ...apiv1.QueueSlotState) (list []ghost) {
	for _, s := range w.list {
		if slices.Contains(states, s.State) {
			list = append(list, ghost{queueID: w.queue.ID, queue: w.queue.Name, QueueSlot: s})
		}
	}
	return list
}

// readSlots reads slots until the end of the query, in at most pages requests. next is
// where the remaining slots start.
func readSlots(ctx context.Context, c screen.Client, queueID string, q screen.SlotQuery, pages int) (list []apiv1.QueueSlot, next time.Time, err error) {
	q.Limit = slotPage
	for range pages {
		page, err := c.QueueSlots(ctx, queueID, q)
		if err != nil {
			return nil, time.Time{}, err
		}
		list = append(list, page...)
		if len(page) < slotPage {
			return list, time.Time{}, nil
		}
		q.After = page[len(page)-1].At.Add(time.Millisecond)
	}
	return list, q.After, nil
}

// askSlots requests slots for a window.
func (m *Model) askSlots(w *slotWindow, read func(context.Context, screen.Client) slotsMsg) tea.Cmd {
	m.slotRequests++
	w.request = m.slotRequests
	c, request := m.Client(), w.request
	return m.Call(func(ctx context.Context) tea.Msg {
		msg := read(ctx, c)
		msg.request = request
		return msg
	})
}

func (m *Model) takeSlots(msg slotsMsg) tea.Cmd {
	if m.queues.window.take(msg, m.Now) {
		if msg.err == nil {
			m.queues.takeSlots(msg)
		}
		return m.RetryLater(msg.err)
	}
	s := &m.weekSlots
	for i := range s.windows {
		if !s.windows[i].take(msg, m.Now) {
			continue
		}
		s.free = nil
		for j := range s.windows {
			s.free = append(s.free, s.windows[j].ghosts(apiv1.SlotFree)...)
		}
		slices.SortStableFunc(s.free, func(a, b ghost) int { return cmp.Or(a.At.Compare(b.At.Time), cmp.Compare(a.queue, b.queue)) })
		return m.RetryLater(msg.err)
	}
	return nil
}

// slotsChanged makes the slots be read again when they are needed, after a pause.
func (m *Model) slotsChanged() {
	m.queues.window.outdated = true
	for i := range m.weekSlots.windows {
		m.weekSlots.windows[i].outdated = true
	}
}

// refreshSlots is slotsChanged without the pause, after a change by the user.
func (m *Model) refreshSlots() {
	m.slotsChanged()
	m.queues.window.readAt = time.Time{}
	for i := range m.weekSlots.windows {
		m.weekSlots.windows[i].readAt = time.Time{}
	}
}

// ghosts returns the slots that the current view shows, in order of time.
func (m *Model) ghosts() []ghost {
	var list []ghost
	switch {
	case !m.showsGhosts():
	case m.tab == tabWeek:
		list = m.weekSlots.free
	default:
		list = m.queues.ghosts
	}
	return ghostsFrom(list, m.Now.Add(time.Millisecond))
}

// ghostsFrom returns the slots at or after t.
func ghostsFrom(list []ghost, t time.Time) []ghost {
	return list[sort.Search(len(list), func(i int) bool { return !list[i].At.Before(t) }):]
}

// selectedGhost returns the selected slot, if a slot is selected and still free. Without
// posts, it is the first free slot.
func (m *Model) selectedGhost() (ghost, bool) {
	f := m.feed()
	if f == nil || m.ghost == (slotKey{}) && f.size() > 0 {
		return ghost{}, false
	}
	list := m.ghosts()
	if m.ghost != (slotKey{}) {
		for _, g := range ghostsFrom(list, time.UnixMilli(m.ghost.at)) {
			if g.key() == m.ghost {
				return g, g.isFree()
			}
			if g.At.UnixMilli() > m.ghost.at {
				break
			}
		}
	}
	if i := slices.IndexFunc(list, ghost.isFree); i >= 0 && f.loaded && f.size() == 0 {
		return list[i], true
	}
	return ghost{}, false
}

// currentPost returns the selected post, unless a slot is selected.
func (m *Model) currentPost() (apiv1.Post, bool) {
	f := m.feed()
	if f == nil {
		return apiv1.Post{}, false
	}
	if _, is := m.selectedGhost(); is {
		return apiv1.Post{}, false
	}
	p, ok := f.current()
	if m.tab == tabMonth && !m.month.has(p, m.Zone) {
		return apiv1.Post{}, false
	}
	return p, ok
}
