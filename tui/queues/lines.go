package queues

import (
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// Lines implements [screen.Screen].
func (h *Screen) Lines(width, height int) []string {
	switch {
	case h.openID == "":
		return h.list(width, height)
	case h.IsEmpty():
		return append(h.title(width), h.EmptyLines(width)...)
	}
	return h.rows(width, height).Lines
}

// rows renders the posts and slots near the selection, below the title.
func (h *Screen) rows(width, height int) postlist.EntryRows {
	title := h.title(width)
	room := max(1, height-len(title))
	s, at := h.frame.PostScene(), 0
	style := postlist.EntryStyle{Layout: postlist.ClockLayout + " ", Post: func(s postlist.Scene, p apiv1.Post, selected bool, width int) []string {
		return postlist.QueuedRow(s, p, h.isDisplaced(p), selected, width)
	}}
	list, selected := h.Entries(room)
	d := postlist.EntryRows{Entries: list}
	for i, e := range list {
		if i == selected {
			at = len(d.Lines)
		}
		d.Add(i, style.Lines(s, e, i == selected, width)...)
	}
	d.Cut(at, room)
	d.Title(title)
	return d
}

// Click implements [postlist.Holder].
func (h *Screen) Click(_, row, width, height int) (again bool) {
	return h.ClickEntry(h.rows(width, height), row)
}

// Scroll implements [postlist.Holder]: the rows are always around the selection.
func (h *Screen) Scroll(int, int) { h.Posts.Top = h.Posts.Selected }

// list renders the list of queues.
func (h *Screen) list(width, height int) []string {
	s := h.frame.PostScene()
	if len(s.Queues) == 0 {
		loaded, err := h.frame.QueuesRead()
		return screen.EmptyMessage(s.Scene, loaded, err, "No queue yet. Create one with: schedctl queue create", width)
	}
	var lines []string
	at := 0
	for i, q := range s.Queues {
		if i == h.selected {
			at = len(lines)
		}
		name := screen.OneLine(q.Name)
		if q.Default {
			name += ", default"
		}
		lines = append(lines, screen.Justify(s.Theme.Mark(i == h.selected)+s.Theme.Row(screen.Clip(name, width-2), i == h.selected), s.QueueAccounts(q), width))
		for _, l := range screen.Wrap(postlist.QueueTimes(q), width-4) {
			lines = append(lines, "    "+s.Theme.Faint.Render(l))
		}
	}
	return screen.LinesAround(lines, at, height)
}

// title renders the lines above the posts of an open queue.
func (h *Screen) title(width int) []string {
	q, ok := h.opened()
	if !ok {
		return nil
	}
	s := h.frame.PostScene()
	lines := []string{screen.Justify(s.Theme.Title.Render(screen.Clip(screen.OneLine(q.Name), width)), s.Theme.Faint.Render(screen.Clip(s.QueueAccounts(q), width/2)), width)}
	lines = append(lines, s.Theme.Faint.Render(screen.Clip(postlist.QueueTimes(q), width)))
	if n := len(h.displaced); n > 0 {
		text := screen.Plural(n, "post") + " without a slot of the queue: press F for a preview of new slots"
		lines = append(lines, s.Theme.Warn.Render(screen.Clip(text, width)))
	}
	return append(lines, "")
}
