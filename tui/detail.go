package tui

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl/tui/screen"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
)

const (
	// minSplitWidth is the width from which the details are shown next to the list.
	minSplitWidth = 100
	// timelineDelay is how long the selection must stay on a post before its timeline
	// is read.
	timelineDelay = 150 * time.Millisecond
)

// detail is the state of the details of the selected post.
type detail struct {
	open      bool   // the details have the focus
	openedFor string // the post for which the details were opened
	id        string // the displayed post
	timeline  apiv1.Timeline
	notes     []apiv1.PostNote
	loaded    bool
	outdated  bool // timeline may be out of date
	loading   bool
	due       bool
	err       error
	seq       int
	top       int
}

type (
	timelineMsg struct {
		id       string
		timeline apiv1.Timeline
		notes    []apiv1.PostNote
		err      error
	}
	timelineDueMsg struct{ seq int }
)

func (d *detail) close() { d.open, d.top = false, 0 }

// watchDetail closes the details if their post is no longer in this view, so that
// the details of another post are not mistaken for it.
func (m *Model) watchDetail() {
	f := m.feed()
	if f == nil || !m.detail.open {
		return
	}
	if f.anchor == m.detail.openedFor {
		return // its page is being loaded
	}
	if p, ok := m.currentPost(); !ok && f.size() > 0 || ok && p.ID == m.detail.openedFor {
		return
	}
	m.detail.close()
	m.ShowNotice("the post is no longer in this view")
}

// scroll scrolls the details. Rendering limits the position to the end.
func (d *detail) scroll(by int) { d.top = max(0, min(d.top+by, 10_000)) }

// fillDetail reads the timeline of the selected post if it is shown.
func (m *Model) fillDetail() tea.Cmd {
	f := m.feed()
	if f == nil || !m.detail.open && m.width < minSplitWidth {
		return nil
	}
	p, ok := m.currentPost()
	if !ok {
		return nil
	}
	d := &m.detail
	if p.ID != d.id {
		*d = detail{open: d.open, openedFor: d.openedFor, id: p.ID, seq: d.seq + 1, due: d.open}
		if seq := d.seq; !d.open {
			return tea.Tick(timelineDelay, func(time.Time) tea.Msg { return timelineDueMsg{seq} })
		}
	}
	if !d.due && !d.open {
		return nil
	}
	if isSeries(p) {
		return m.fillSeries(p) // it has no timeline and no notes
	}
	series := m.fillSeries(p)
	if d.loaded && !d.outdated || d.loading || d.err != nil {
		return series
	}
	d.loading = true
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
	if msg.id != d.id {
		return nil
	}
	d.loading = false
	if d.err = msg.err; msg.err == nil {
		d.loaded, d.outdated, d.timeline, d.notes = true, false, msg.timeline, msg.notes
	}
	return m.RetryLater(msg.err)
}

// outcomeUnknown reports whether the network may have the post.
func outcomeUnknown(t apiv1.Target) bool {
	return t.Error != nil && t.Error.Outcome == schedctl.OutcomeUnknown
}

// targetReason says why a target is not published.
func targetReason(t apiv1.Target) string {
	if t.Error == nil {
		return string(t.Status)
	}
	return errorLabel(t) + ": " + t.Error.Message
}

// waitsText says why a target waits, and until when if that is known.
func waitsText(s drawContext, w apiv1.Waits) string {
	if w.Until == nil {
		return screen.OneLine(w.Message)
	}
	return "waits until " + when.Format(w.Until.In(s.Zone)) + ": " + screen.OneLine(w.Message)
}

// errorLabel returns a short label for the error of a target.
func errorLabel(t apiv1.Target) string {
	switch {
	case outcomeUnknown(t):
		return "unknown"
	case t.Status != schedctl.Failed:
		return string(t.Error.Kind)
	}
	switch t.Error.Kind {
	case schedctl.KindMissed:
		return "missed"
	case schedctl.KindContent, schedctl.KindDuplicate:
		return "rejected"
	case schedctl.KindNetwork, schedctl.KindPlatform, schedctl.KindRateLimited:
		return "gave up (" + strings.ReplaceAll(string(t.Error.Kind), "_", " ") + ")"
	}
	return string(t.Error.Kind)
}

// nextStep says what the user can do about a failed target.
func nextStep(t apiv1.Target) string {
	if outcomeUnknown(t) {
		return "check the network first: the post may be there. If it is not, r sends it again"
	}
	if t.Error == nil {
		return "r retries"
	}
	switch t.Error.Kind {
	case schedctl.KindAuth:
		return "schedctl account show " + t.SocialAccountID + " says what to do; then r retries"
	case schedctl.KindMissed:
		return "r sends it now, D creates a copy for another time"
	case schedctl.KindContent:
		return "i changes the post and sends it again"
	case schedctl.KindMedia: // also a file that the daemon has lost, until it is uploaded again
		return "r retries when the cause is gone, i changes the files and sends the post again"
	case schedctl.KindDuplicate:
		return "the network already has this text; i changes the post and sends it again"
	case schedctl.KindApproval:
		return "r retries when the post is approved; A asks for the approval"
	case schedctl.KindRateLimited:
		return "wait a while, then r retries"
	}
	return "r retries"
}

// timelineEntry is a line of the timeline.
type timelineEntry struct {
	at   *apiv1.Time
	text string
	bad  bool
}

// timelineEntries returns the events of a post and the attempts of its targets, in
// order of time.
func timelineEntries(s drawContext, tl apiv1.Timeline) []timelineEntry {
	var out []timelineEntry
	for _, e := range tl.Events {
		text := strings.ReplaceAll(strings.TrimPrefix(string(e.Type), "post."), "_", " ")
		if e.SocialAccountID != nil {
			text += " " + s.Name(*e.SocialAccountID)
		}
		if e.Error != nil {
			text += ": " + screen.OneLine(e.Error.Message)
		}
		out = append(out, timelineEntry{e.CreatedAt, text, e.Error != nil && e.Type != schedctl.EventPostPublished})
	}
	for _, t := range tl.Targets {
		for _, a := range t.Attempts {
			out = append(out, attemptEntry(s, t, a))
		}
	}
	slices.SortStableFunc(out, func(a, b timelineEntry) int {
		if a.at == nil || b.at == nil {
			return 0
		}
		return a.at.Compare(b.at.Time)
	})
	return out
}

func attemptEntry(s drawContext, t apiv1.TargetTimeline, a apiv1.Attempt) timelineEntry {
	text := "attempt " + strconv.Itoa(a.Number) + " " + s.Name(t.SocialAccountID) + ": " + outcomeText(a)
	if a.Error != nil {
		text += ", " + screen.OneLine(a.Error.Message)
	}
	return timelineEntry{a.StartedAt, text, a.Error != nil && a.Outcome != schedctl.OutcomePublished}
}

func outcomeText(a apiv1.Attempt) string {
	switch {
	case a.Preparing:
		return "preparing files"
	case a.Outcome == schedctl.OutcomeNotPublished:
		return "not published"
	}
	return string(a.Outcome)
}
