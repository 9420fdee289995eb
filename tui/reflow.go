package tui

import (
	"context"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
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
		m.showError("open a queue first: press " + tabQueues.number())
		return nil
	}
	c := m.cfg.Client
	return m.call(func(ctx context.Context) tea.Msg {
		moves, err := c.PreviewReflow(ctx, q.ID)
		return previewMsg{queue: q, moves: moves, err: err}
	})
}

func (m *Model) takePreview(msg previewMsg) {
	switch {
	case msg.err != nil:
		m.showError(explain(msg.err))
	case m.dialog != nil || m.queues.opened != msg.queue.ID:
	case len(msg.moves.Moves) == 0:
		m.showNotice("nothing to move: all posts have slots of the queue")
	default:
		m.dialog = &reflow{queue: msg.queue, moves: msg.moves}
	}
}

func (d *reflow) fullScreen() bool { return true }

func (d *reflow) key(m *Model, k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, m.keys.Kill):
		return tea.Quit
	case key.Matches(k, m.keys.Down, m.keys.PageDown):
		d.top = clamp(d.top+1, len(d.moves.Moves))
	case key.Matches(k, m.keys.Up, m.keys.PageUp):
		d.top = clamp(d.top-1, len(d.moves.Moves))
	case key.Matches(k, m.keys.Yes):
		m.dialog = nil
		c, id, digest := m.cfg.Client, d.queue.ID, d.moves.Digest
		return m.call(func(ctx context.Context) tea.Msg {
			moves, err := c.ReflowQueue(ctx, id, digest)
			return reflowedMsg{moves: moves, err: err}
		})
	case key.Matches(k, m.keys.No):
		m.dialog = nil
		m.showNotice("nothing changed")
	}
	return nil
}

func (d *reflow) lines(m *Model, width, height int) []string {
	s, t := m.scene(), m.theme
	head := []string{t.title.Render(clip("Give "+plural(len(d.moves.Moves), "post")+" of "+oneLine(d.queue.Name)+" new slots? This cannot be undone.", width)), ""}
	arrow := " → "
	if t.plain {
		arrow = " to "
	}
	var rows []string
	for _, move := range d.moves.Moves {
		text := move.PostID
		if p, ok := m.newestKnown(move.PostID); ok {
			text = postText(p)
		}
		const layout = "Mon _2 Jan 15:04"
		times := move.From.In(s.zone).Format(layout) + arrow + move.To.In(s.zone).Format(layout)
		if n := len(move.Behind); n > 0 {
			times += "  behind " + plural(n, "post") + " that stay"
		}
		rows = append(rows, clip("  "+times+"  "+excerpt(text, width), width))
	}
	room := max(1, height-len(head)-2)
	first := max(0, min(d.top, len(rows)-room))
	lines := append(head, fitLines(rows[first:], width, min(room, len(rows)))...)
	return append(lines, "", t.hint.Render(clip("y yes   n no   ↑ ↓ scroll", width)))
}

func (m *Model) takeReflowed(msg reflowedMsg) tea.Cmd {
	switch {
	case schedctl.CodeOf(msg.err) == schedctl.VersionMismatch:
		m.showError("the queue has changed since the preview, so no post was moved: press F for a new preview")
		return nil
	case msg.err != nil:
		m.showError(explain(msg.err))
		return nil
	}
	m.showNotice(plural(len(msg.moves.Moves), "post") + " got new slots")
	m.offerUndo(&undo{why: "new slots cannot be undone: move the posts back with < and >"})
	m.refreshSlots()
	var cmds []tea.Cmd
	for _, move := range msg.moves.Moves {
		cmds = append(cmds, m.markStale(move.PostID))
	}
	return tea.Batch(cmds...)
}
