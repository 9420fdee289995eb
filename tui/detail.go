package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

type (
	timelineMsg struct {
		of       *postlist.Detail
		id       string
		timeline apiv1.Timeline
		notes    []apiv1.PostNote
		err      error
	}
	timelineDueMsg struct {
		of  *postlist.Detail
		seq int
	}
)

// watchDetail closes the details if their post is no longer in this view, so that
// the details of another post are not mistaken for it.
func (m *Model) watchDetail() {
	h := m.holder()
	if h == nil || !h.Detail().Open {
		return
	}
	f, d := h.Feed(), h.Detail()
	if f.Anchor == d.OpenedFor {
		return // its page is being loaded
	}
	if p, ok := h.CurrentPost(); !ok && f.Size() > 0 || ok && p.ID == d.OpenedFor {
		return
	}
	d.Close()
	m.ShowNotice("the post is no longer in this view")
}

// fillDetail reads the timeline of the selected post if it is shown.
func (m *Model) fillDetail() tea.Cmd {
	h := m.holder()
	if h == nil || !h.Detail().Open && m.width < postlist.MinSplitWidth {
		return nil
	}
	p, ok := h.CurrentPost()
	if !ok {
		return nil
	}
	d := h.Detail()
	if p.ID != d.ID {
		*d = postlist.Detail{Open: d.Open, OpenedFor: d.OpenedFor, ID: p.ID, Seq: d.Seq + 1, Due: d.Open}
		if seq := d.Seq; !d.Open {
			return tea.Tick(postlist.TimelineDelay, func(time.Time) tea.Msg { return timelineDueMsg{of: d, seq: seq} })
		}
	}
	if !d.Due && !d.Open {
		return nil
	}
	if postlist.IsSeries(p) {
		return m.fillSeries(p) // it has no timeline and no notes
	}
	series := m.fillSeries(p)
	if d.Loaded && !d.Outdated || d.Loading || d.Err != nil {
		return series
	}
	d.Loading = true
	c, id := m.Client(), p.ID
	return tea.Batch(series, m.Call(func(ctx context.Context) tea.Msg {
		timeline, err := c.Timeline(ctx, id)
		var notes []apiv1.PostNote
		if err == nil {
			notes, err = c.Notes(ctx, id)
			err = screen.UnlessUnknown(err)
		}
		return timelineMsg{of: d, id: id, timeline: timeline, notes: notes, err: err}
	}))
}

func (m *Model) takeTimeline(msg timelineMsg) tea.Cmd {
	d := msg.of
	if msg.id != d.ID {
		return nil
	}
	d.Loading = false
	if d.Err = msg.err; msg.err == nil {
		d.Loaded, d.Outdated, d.Timeline, d.Notes = true, false, msg.timeline, msg.notes
	}
	return m.RetryLater(msg.err)
}
