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
		id       string
		timeline apiv1.Timeline
		notes    []apiv1.PostNote
		err      error
	}
	timelineDueMsg struct{ seq int }
)

// watchDetail closes the details if their post is no longer in this view, so that
// the details of another post are not mistaken for it.
func (m *Model) watchDetail() {
	f := m.Feed()
	if f == nil || !m.detail.Open {
		return
	}
	if f.Anchor == m.detail.OpenedFor {
		return // its page is being loaded
	}
	if p, ok := m.CurrentPost(); !ok && f.Size() > 0 || ok && p.ID == m.detail.OpenedFor {
		return
	}
	m.detail.Close()
	m.ShowNotice("the post is no longer in this view")
}

// fillDetail reads the timeline of the selected post if it is shown.
func (m *Model) fillDetail() tea.Cmd {
	f := m.Feed()
	if f == nil || !m.detail.Open && m.width < postlist.MinSplitWidth {
		return nil
	}
	p, ok := m.CurrentPost()
	if !ok {
		return nil
	}
	d := &m.detail
	if p.ID != d.ID {
		*d = postlist.Detail{Open: d.Open, OpenedFor: d.OpenedFor, ID: p.ID, Seq: d.Seq + 1, Due: d.Open}
		if seq := d.Seq; !d.Open {
			return tea.Tick(postlist.TimelineDelay, func(time.Time) tea.Msg { return timelineDueMsg{seq} })
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
		return timelineMsg{id: id, timeline: timeline, notes: notes, err: err}
	}))
}

func (m *Model) takeTimeline(msg timelineMsg) tea.Cmd {
	d := &m.detail
	if msg.id != d.ID {
		return nil
	}
	d.Loading = false
	if d.Err = msg.err; msg.err == nil {
		d.Loaded, d.Outdated, d.Timeline, d.Notes = true, false, msg.timeline, msg.notes
	}
	return m.RetryLater(msg.err)
}
