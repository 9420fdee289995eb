package tui

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

// previewReflow asks for the preview of the open queue.
func (m *Model) previewReflow() tea.Cmd {
	q, ok := m.queue(m.queues.opened)
	if m.tab != tabQueues || !ok {
		m.ShowError("open a queue first: press " + tabQueues.number())
		return nil
	}
	c := m.Client()
	return m.Call(func(ctx context.Context) tea.Msg {
		moves, err := c.PreviewReflow(ctx, q.ID)
		return previewMsg{queue: q, moves: moves, err: err}
	})
}

func (m *Model) takePreview(msg previewMsg) {
	switch {
	case msg.err != nil:
		m.ShowError(screen.Explain(msg.err))
	case m.dialog != nil || m.queues.opened != msg.queue.ID:
	case len(msg.moves.Moves) == 0:
		m.ShowNotice("nothing to move: all posts have slots of the queue")
	default:
		m.dialog = &reflow{queue: msg.queue, moves: msg.moves}
	}
}

// FullScreen implements [screen.Dialog].
func (d *reflow) FullScreen() bool { return true }

// Key implements [screen.Dialog].
func (d *reflow) Key(f screen.Frame, k tea.KeyMsg) tea.Cmd {
	m := f.(*Model)
	switch {
	case key.Matches(k, m.Keys.Kill):
		return tea.Quit
	case key.Matches(k, m.Keys.Down, m.Keys.PageDown):
		d.top = screen.Clamp(d.top+1, len(d.moves.Moves))
	case key.Matches(k, m.Keys.Up, m.Keys.PageUp):
		d.top = screen.Clamp(d.top-1, len(d.moves.Moves))
	case key.Matches(k, m.Keys.Yes):
		m.dialog = nil
		c, id, digest := m.Client(), d.queue.ID, d.moves.Digest
		return m.Call(func(ctx context.Context) tea.Msg {
			moves, err := c.ReflowQueue(ctx, id, digest)
			return reflowedMsg{moves: moves, err: err}
		})
	case key.Matches(k, m.Keys.No):
		m.dialog = nil
		m.ShowNotice("nothing changed")
	}
	return nil
}

// Lines implements [screen.Dialog].
func (d *reflow) Lines(f screen.Frame, width, height int) []string {
	m := f.(*Model)
	s, t := m.PostScene(), m.Theme
	head := []string{t.Title.Render(screen.Clip("Give "+screen.Plural(len(d.moves.Moves), "post")+" of "+screen.OneLine(d.queue.Name)+" new slots? This cannot be undone.", width)), ""}
	arrow := " → "
	if t.Plain {
		arrow = " to "
	}
	var rows []string
	for _, move := range d.moves.Moves {
		text := move.PostID
		if p, ok := m.NewestKnown(move.PostID); ok {
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

func (m *Model) takeReflowed(msg reflowedMsg) tea.Cmd {
	switch {
	case schedctl.CodeOf(msg.err) == schedctl.VersionMismatch:
		m.ShowError("the queue has changed since the preview, so no post was moved: press F for a new preview")
		return nil
	case msg.err != nil:
		m.ShowError(screen.Explain(msg.err))
		return nil
	}
	m.ShowNotice(screen.Plural(len(msg.moves.Moves), "post") + " got new slots")
	m.OfferUndo(&postlist.Undo{Why: "new slots cannot be undone: move the posts back with < and >"})
	m.RefreshSlots()
	var cmds []tea.Cmd
	for _, move := range msg.moves.Moves {
		cmds = append(cmds, m.markStale(move.PostID))
	}
	return tea.Batch(cmds...)
}
