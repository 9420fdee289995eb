package queues

import (
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// Lines renders the list of queues.
func (h *Screen) Lines(width, height int) []string {
	s := h.frame.PostScene()
	if len(s.Queues) == 0 {
		loaded, err := h.frame.QueuesRead()
		return screen.EmptyMessage(s.Scene, loaded, err, "No queue yet. Create one with: schedctl queue create", width)
	}
	var lines []string
	at := 0
	for i, q := range s.Queues {
		if i == h.Selected {
			at = len(lines)
		}
		name := screen.OneLine(q.Name)
		if q.Default {
			name += ", default"
		}
		lines = append(lines, screen.Justify(s.Theme.Mark(i == h.Selected)+s.Theme.Row(screen.Clip(name, width-2), i == h.Selected), s.QueueAccounts(q), width))
		for _, l := range screen.Wrap(postlist.QueueTimes(q), width-4) {
			lines = append(lines, "    "+s.Theme.Faint.Render(l))
		}
	}
	return screen.LinesAround(lines, at, height)
}

// Title renders the lines above the posts of an open queue.
func (h *Screen) Title(width int) []string {
	q, ok := h.opened()
	if !ok {
		return nil
	}
	s := h.frame.PostScene()
	lines := []string{screen.Justify(s.Theme.Title.Render(screen.Clip(screen.OneLine(q.Name), width)), s.Theme.Faint.Render(screen.Clip(s.QueueAccounts(q), width/2)), width)}
	lines = append(lines, s.Theme.Faint.Render(screen.Clip(postlist.QueueTimes(q), width)))
	if n := len(h.Displaced); n > 0 {
		text := screen.Plural(n, "post") + " without a slot of the queue: press F for a preview of new slots"
		lines = append(lines, s.Theme.Warn.Render(screen.Clip(text, width)))
	}
	return append(lines, "")
}
