package tui

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// drag is the posts of a queue that exchange their slots while one of them is dragged.
type drag struct {
	queueID string
	id      string   // the dragged post; empty if none is
	before  []string // the ids of the posts in their order before
	after   []string // the ids in the order on the screen
	seq     int

	versions map[string]int64 // of the posts before the first exchange
}

type (
	// dragMsg says that no more key presses followed.
	dragMsg struct{ seq int }
	// orderedMsg is the response to a new order of posts.
	orderedMsg struct {
		drag   drag
		posts  []apiv1.Post // current versions of some of the posts
		undoes *postlist.Undo
		err    error
	}
)

// openOrderer returns the current screen if it shows the posts of a queue in their order.
func (m *Model) openOrderer() (h postlist.Orderer, ok bool) {
	h, ok = m.room().(postlist.Orderer)
	return h, ok && h.OpenQueue() != ""
}

// ordererNumber returns the key that shows the screen with the posts of a queue.
func (m *Model) ordererNumber() string {
	_, t, _ := first[postlist.Orderer](m)
	return t.number()
}

// previewReflow asks for the preview of new slots in the open queue.
func (m *Model) previewReflow() tea.Cmd {
	if h, ok := m.openOrderer(); ok {
		return h.PreviewReflow()
	}
	m.ShowError("open a queue first: press " + m.ordererNumber())
	return nil
}

// dragPost exchanges the slots of a queued post and the next one in its queue. The
// change is sent when no more key presses follow.
func (m *Model) dragPost(p apiv1.Post, by int) tea.Cmd {
	h, ok := m.openOrderer()
	switch {
	case !ok || m.detail().Open:
		m.ShowError("posts are put in order in their queue: press " + m.ordererNumber() + " and open it")
		return nil
	case h.IsFiltered():
		m.ShowError("the order cannot be changed while posts are hidden: press esc first")
		return nil
	case p.Slot == nil || p.Status != schedctl.Scheduled:
		m.ShowError("only scheduled posts with a slot can be put in order")
		return nil
	}
	if m.drag.id != "" && m.drag.id != p.ID {
		return m.sendDrag()
	}
	if m.drag.id == "" && m.ChangePending(p.ID) {
		return nil
	}
	f := h.Feed()
	other, ok := f.At(f.Selected + by)
	if !ok || other.Slot == nil || other.Status != schedctl.Scheduled {
		m.ShowNotice("there is no queued post to exchange the slot with")
		return nil
	}
	if !slices.Contains(m.drag.after, other.ID) && m.ChangePending(other.ID) {
		return nil
	}
	m.extendDrag(h.OpenQueue(), p, other, by)
	m.exchange(f, f.Selected, by)
	h.SelectPost()
	m.drag.seq++
	seq := m.drag.seq
	return tea.Tick(nudgeAfter, func(time.Time) tea.Msg { return dragMsg{seq} })
}

// extendDrag notes that two posts exchange their slots.
func (m *Model) extendDrag(queueID string, p, other apiv1.Post, by int) {
	d := &m.drag
	if d.id == "" {
		*d = drag{queueID: queueID, id: p.ID, before: []string{p.ID}, after: []string{p.ID}, versions: map[string]int64{p.ID: p.Version}, seq: d.seq}
		m.busy[p.ID] = p
	}
	if !slices.Contains(d.after, other.ID) {
		m.busy[other.ID], d.versions[other.ID] = other, other.Version
		if by > 0 {
			d.before, d.after = append(d.before, other.ID), append(d.after, other.ID)
		} else {
			d.before, d.after = slices.Insert(d.before, 0, other.ID), slices.Insert(d.after, 0, other.ID)
		}
	}
	i, j := slices.Index(d.after, p.ID), slices.Index(d.after, other.ID)
	d.after[i], d.after[j] = d.after[j], d.after[i]
}

// exchange shows the exchange of two neighbors. The selection follows its post.
func (m *Model) exchange(f *postlist.Feed, i, by int) {
	a, _ := f.At(i)
	b, _ := f.At(i + by)
	a.PublishAt, b.PublishAt = b.PublishAt, a.PublishAt
	a.Slot, b.Slot = b.Slot, a.Slot
	f.Put(i, b)
	f.Put(i+by, a)
	f.Move(by)
}

// sendDrag sends the order to which posts were dragged.
func (m *Model) sendDrag() tea.Cmd {
	d := m.drag
	if m.drag = (drag{seq: d.seq}); d.id == "" {
		return nil
	}
	if slices.Equal(d.before, d.after) {
		return m.revertDrag(d)
	}
	return m.order(d, nil)
}

// order sends an order of posts, and reads some of them again.
func (m *Model) order(d drag, undoes *postlist.Undo) tea.Cmd {
	c := m.Client()
	return m.Call(func(ctx context.Context) tea.Msg {
		msg := orderedMsg{drag: d, undoes: undoes}
		if _, msg.err = c.OrderQueue(ctx, d.queueID, d.after); msg.err != nil {
			return msg
		}
		for _, id := range d.after[:min(len(d.after), staleBatch)] {
			if p, err := c.Post(ctx, id); err == nil {
				msg.posts = append(msg.posts, p)
			}
		}
		return msg
	})
}

// dropDrag reverts an order that was not sent yet.
func (m *Model) dropDrag() tea.Cmd {
	d := m.drag
	m.drag = drag{seq: d.seq + 1}
	m.ShowNotice("not moved")
	return m.revertDrag(d)
}

// revertDrag removes the order of a drag from the screen, and reads its posts again.
func (m *Model) revertDrag(d drag) tea.Cmd {
	cmds := []tea.Cmd{}
	f := &postlist.Feed{} // the queue may be closed
	if h, _, ok := first[postlist.Orderer](m); ok && h.Feed() != nil {
		f = h.Feed()
	}
	chosen, _ := f.Current()
	for _, id := range d.before {
		if before, pending := m.busy[id]; pending {
			delete(m.busy, id)
			f.Remove(id)
			f.Update(before)
		}
		cmds = append(cmds, m.MarkStale(id))
	}
	if i, ok := f.Find(chosen.ID); ok {
		f.Selected = i
	}
	return tea.Batch(cmds...)
}

func (m *Model) takeOrdered(msg orderedMsg) tea.Cmd {
	d := msg.drag
	m.finishUndo(msg.undoes, apiv1.Post{}, msg.err)
	if msg.err != nil {
		m.ShowError(m.refusal(postlist.Change{Undoes: msg.undoes}, msg.err))
		return m.revertDrag(d)
	}
	var cmds []tea.Cmd
	for _, id := range d.after {
		delete(m.busy, id)
		cmds = append(cmds, m.MarkStale(id))
	}
	for _, p := range msg.posts {
		m.ApplyPost(p)
		if msg.undoes != nil {
			m.undos.Rebase(&postlist.Undo{At: screen.Version{ID: p.ID}, From: d.versions[p.ID]}, p)
		}
	}
	m.RefreshSlots()
	cmd := tea.Batch(cmds...)
	if msg.undoes != nil {
		m.ShowNotice("undone: the order is as before")
		return cmd
	}
	m.ShowNotice("the order is changed")
	back := drag{queueID: d.queueID, before: d.after, after: d.before, versions: d.versions}
	m.OfferUndo(&postlist.Undo{
		Label: "put " + screen.Plural(len(d.before), "post") + " back in order",
		Run:   func(u *postlist.Undo) tea.Cmd { return m.order(back, u) },
	})
	return cmd
}
