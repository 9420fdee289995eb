package queues

import (
	"context"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// reflow is the preview of new slots for displaced posts, with the question whether to
// move them.
type reflow struct {
	frame Frame
	queue apiv1.Queue
	moves apiv1.QueueMoves
	top   int
}

type (
	// previewMsg is the preview of a reflow.
	previewMsg struct {
		queue apiv1.Queue
		moves apiv1.QueueMoves
		err   error
	}
	// reflowedMsg is the response to a reflow.
	reflowedMsg struct {
		moves apiv1.QueueMoves
		err   error
	}
)

// PreviewReflow implements [postlist.Orderer].
func (h *Screen) PreviewReflow() tea.Cmd {
	q, ok := h.opened()
	if !ok {
		return nil
	}
	c := h.frame.Client()
	return h.frame.Call(func(ctx context.Context) tea.Msg {
		moves, err := c.PreviewReflow(ctx, q.ID)
		return previewMsg{queue: q, moves: moves, err: err}
	})
}

func (h *Screen) takePreview(msg previewMsg) {
	switch {
	case msg.err != nil:
		h.frame.ShowError(screen.Explain(msg.err))
	case !h.frame.IsOpen(nil) || h.openID != msg.queue.ID:
	case len(msg.moves.Moves) == 0:
		h.frame.ShowNotice("nothing to move: all posts have slots of the queue")
	default:
		h.frame.Open(&reflow{frame: h.frame, queue: msg.queue, moves: msg.moves})
	}
}

// FullScreen implements [screen.Dialog].
func (d *reflow) FullScreen() bool { return true }

// Key implements [screen.Dialog].
func (d *reflow) Key(_ screen.Frame, k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, d.frame.Current().Keys.Kill):
		return tea.Quit
	case key.Matches(k, d.frame.Current().Keys.Down, d.frame.Current().Keys.PageDown):
		d.top = screen.Clamp(d.top+1, len(d.moves.Moves))
	case key.Matches(k, d.frame.Current().Keys.Up, d.frame.Current().Keys.PageUp):
		d.top = screen.Clamp(d.top-1, len(d.moves.Moves))
	case key.Matches(k, d.frame.Current().Keys.Yes):
		d.frame.Close()
		c, id, digest := d.frame.Client(), d.queue.ID, d.moves.Digest
		return d.frame.Call(func(ctx context.Context) tea.Msg {
			moves, err := c.ReflowQueue(ctx, id, digest)
			return reflowedMsg{moves: moves, err: err}
		})
	case key.Matches(k, d.frame.Current().Keys.No):
		d.frame.Close()
		d.frame.ShowNotice("nothing changed")
	}
	return nil
}

// Lines implements [screen.Dialog].
func (d *reflow) Lines(_ screen.Frame, width, height int) []string {
	s, t := d.frame.PostScene(), d.frame.Current().Theme
	head := []string{t.Title.Render(screen.Clip("Give "+screen.Plural(len(d.moves.Moves), "post")+" of "+screen.OneLine(d.queue.Name)+" new slots? This cannot be undone.", width)), ""}
	arrow := " → "
	if t.Plain {
		arrow = " to "
	}
	var rows []string
	for _, move := range d.moves.Moves {
		text := move.PostID
		if p, ok := d.frame.NewestKnown(move.PostID); ok {
			text = postlist.PostText(p)
		}
		const layout = "Mon _2 Jan 15:04"
		times := move.From.In(s.Zone).Format(layout) + arrow + move.To.In(s.Zone).Format(layout)
		if n := len(move.Behind); n > 0 {
			times += "  behind " + screen.Plural(n, "post") + " that stay"
		}
		rows = append(rows, screen.Clip("  "+times+"  "+screen.Excerpt(text, width), width))
	}
	room := max(1, height-len(head)-2)
	first := max(0, min(d.top, len(rows)-room))
	lines := append(head, screen.FitLines(rows[first:], width, min(room, len(rows)))...)
	return append(lines, "", t.Hint.Render(screen.Clip("y yes   n no   ↑ ↓ scroll", width)))
}

func (h *Screen) takeReflowed(msg reflowedMsg) tea.Cmd {
	switch {
	case schedctl.CodeOf(msg.err) == schedctl.VersionMismatch:
		h.frame.ShowError("the queue has changed since the preview, so no post was moved: press F for a new preview")
		return nil
	case msg.err != nil:
		h.frame.ShowError(screen.Explain(msg.err))
		return nil
	}
	h.frame.ShowNotice(screen.Plural(len(msg.moves.Moves), "post") + " got new slots")
	h.frame.OfferUndo(&postlist.Undo{Why: "new slots cannot be undone: move the posts back with < and >"})
	h.frame.RefreshSlots()
	var cmds []tea.Cmd
	for _, move := range msg.moves.Moves {
		cmds = append(cmds, h.frame.MarkStale(move.PostID))
	}
	return tea.Batch(cmds...)
}
