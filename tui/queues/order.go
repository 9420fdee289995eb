package queues

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

// readBack is the number of posts that are read at once after an exchange.
const readBack = 20

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
	// DragMsg says that no more key presses followed.
	DragMsg struct{ seq int }
	// orderedMsg is the response to a new order of posts.
	orderedMsg struct {
		drag   drag
		posts  []apiv1.Post // current versions of some of the posts
		undoes *postlist.Undo
		err    error
	}
)

// Drag implements [postlist.Orderer]. The change is sent when no more key presses follow.
func (h *Screen) Drag(p apiv1.Post, by int) tea.Cmd {
	switch {
	case h.IsFiltered():
		h.frame.ShowError("the order cannot be changed while posts are hidden: press esc first")
		return nil
	case p.Slot == nil || p.Status != schedctl.Scheduled:
		h.frame.ShowError("only scheduled posts with a slot can be put in order")
		return nil
	}
	if h.drag.id != "" && h.drag.id != p.ID {
		return h.SendOrder()
	}
	if h.drag.id == "" && h.frame.ChangePending(p.ID) {
		return nil
	}
	f := &h.Posts
	other, ok := f.At(f.Selected + by)
	if !ok || other.Slot == nil || other.Status != schedctl.Scheduled {
		h.frame.ShowNotice("there is no queued post to exchange the slot with")
		return nil
	}
	if !slices.Contains(h.drag.after, other.ID) && h.frame.ChangePending(other.ID) {
		return nil
	}
	h.extendDrag(p, other, by)
	h.exchange(by)
	h.drag.seq++
	seq := h.drag.seq
	return tea.Tick(postlist.SendAfter, func(time.Time) tea.Msg { return DragMsg{seq} })
}

// extendDrag notes that two posts exchange their slots.
func (h *Screen) extendDrag(p, other apiv1.Post, by int) {
	d := &h.drag
	if d.id == "" {
		*d = drag{queueID: h.openID, id: p.ID, before: []string{p.ID}, after: []string{p.ID}, versions: map[string]int64{p.ID: p.Version}, seq: d.seq}
		h.frame.StartSaving(p)
	}
	if !slices.Contains(d.after, other.ID) {
		h.frame.StartSaving(other)
		d.versions[other.ID] = other.Version
		if by > 0 {
			d.before, d.after = append(d.before, other.ID), append(d.after, other.ID)
		} else {
			d.before, d.after = slices.Insert(d.before, 0, other.ID), slices.Insert(d.after, 0, other.ID)
		}
	}
	i, j := slices.Index(d.after, p.ID), slices.Index(d.after, other.ID)
	d.after[i], d.after[j] = d.after[j], d.after[i]
}

// exchange shows the exchange of the selected post and its neighbor. The selection follows
// its post.
func (h *Screen) exchange(by int) {
	f := &h.Posts
	i := f.Selected
	a, _ := f.At(i)
	b, _ := f.At(i + by)
	a.PublishAt, b.PublishAt = b.PublishAt, a.PublishAt
	a.Slot, b.Slot = b.Slot, a.Slot
	f.Put(i, b)
	f.Put(i+by, a)
	f.Move(by)
	h.SelectPost()
}

// IsDragging implements [postlist.Orderer].
func (h *Screen) IsDragging() bool { return h.drag.id != "" }

// SendOrder implements [postlist.Orderer].
func (h *Screen) SendOrder() tea.Cmd {
	d := h.drag
	if h.drag = (drag{seq: d.seq}); d.id == "" {
		return nil
	}
	if slices.Equal(d.before, d.after) {
		return h.revertDrag(d)
	}
	return h.order(d, nil)
}

// order sends an order of posts, and reads some of them again.
func (h *Screen) order(d drag, undoes *postlist.Undo) tea.Cmd {
	c := h.frame.Client()
	return h.frame.Call(func(ctx context.Context) tea.Msg {
		msg := orderedMsg{drag: d, undoes: undoes}
		if _, msg.err = c.OrderQueue(ctx, d.queueID, d.after); msg.err != nil {
			return msg
		}
		for _, id := range d.after[:min(len(d.after), readBack)] {
			if p, err := c.Post(ctx, id); err == nil {
				msg.posts = append(msg.posts, p)
			}
		}
		return msg
	})
}

// DropOrder implements [postlist.Orderer].
func (h *Screen) DropOrder() tea.Cmd {
	d := h.drag
	h.drag = drag{seq: d.seq + 1}
	h.frame.ShowNotice("not moved")
	return h.revertDrag(d)
}

// revertDrag removes the order of a drag from the screen, and reads its posts again.
func (h *Screen) revertDrag(d drag) tea.Cmd {
	cmds := []tea.Cmd{}
	f := &h.Posts
	chosen, _ := f.Current()
	for _, id := range d.before {
		if before, pending := h.frame.EndSaving(id); pending {
			f.Remove(id)
			f.Update(before)
		}
		cmds = append(cmds, h.frame.MarkStale(id))
	}
	if i, ok := f.Find(chosen.ID); ok {
		f.Selected = i
	}
	return tea.Batch(cmds...)
}

func (h *Screen) takeOrdered(msg orderedMsg) tea.Cmd {
	d := msg.drag
	h.frame.FinishUndo(msg.undoes, apiv1.Post{}, msg.err)
	if msg.err != nil {
		h.frame.ShowError(h.frame.Refusal(postlist.Change{Undoes: msg.undoes}, msg.err))
		return h.revertDrag(d)
	}
	var cmds []tea.Cmd
	for _, id := range d.after {
		h.frame.EndSaving(id)
		cmds = append(cmds, h.frame.MarkStale(id))
	}
	for _, p := range msg.posts {
		h.frame.ApplyPost(p)
		if msg.undoes != nil {
			h.frame.RebaseUndo(&postlist.Undo{At: screen.Version{ID: p.ID}, From: d.versions[p.ID]}, p)
		}
	}
	h.frame.RefreshSlots()
	cmd := tea.Batch(cmds...)
	if msg.undoes != nil {
		h.frame.ShowNotice("undone: the order is as before")
		return cmd
	}
	h.frame.ShowNotice("the order is changed")
	back := drag{queueID: d.queueID, before: d.after, after: d.before, versions: d.versions}
	h.frame.OfferUndo(&postlist.Undo{
		Label: "put " + screen.Plural(len(d.before), "post") + " back in order",
		Run:   func(u *postlist.Undo) tea.Cmd { return h.order(back, u) },
	})
	return cmd
}
