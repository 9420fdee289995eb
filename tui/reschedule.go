package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// shift is an offset of a time. Days keep the time of day.
type shift struct {
	by   time.Duration
	days int
}

// nudge is the post that is being moved with keys.
type nudge struct {
	id      string // or empty
	post    apiv1.Post
	at      time.Time
	seq     int
	started int  // number of the nudge, to ignore late responses
	due     bool // it is sent when the change of its post that is being saved has ended
	steps   slotSteps
}

// nudgeMsg says that no more key presses followed.
type nudgeMsg struct{ seq int }

// startNudge prepares to move a scheduled post with keys, and reports whether it can be
// moved. cmd sends the move of another post.
func (m *Model) startNudge(p apiv1.Post) (cmd tea.Cmd, ok bool) {
	if p.Status != schedctl.Scheduled || p.PublishAt == nil {
		m.ShowError("the post has no time: press s to schedule it")
		return nil, false
	}
	if m.nudge.id != "" && m.nudge.id != p.ID {
		if cmd = m.sendNudge(); m.nudge.id != "" {
			m.ShowNotice("the last move of another post is still being saved")
			return cmd, false
		}
	}
	if m.nudge.id == "" {
		m.nudge = nudge{id: p.ID, post: p, at: p.PublishAt.Time, seq: m.nudge.seq, started: m.nudge.started + 1}
	}
	return cmd, true
}

// nudgePost moves a scheduled post in time. The change is sent when no more key
// presses follow.
func (m *Model) nudgePost(p apiv1.Post, by shift) tea.Cmd {
	before, ok := m.startNudge(p)
	if !ok {
		return before
	}
	at := when.Span{Days: by.days, Elapsed: by.by}.From(m.nudge.at.In(m.Zone)).Time
	if !at.After(m.Now) {
		m.ShowError("that time is in the past: press P to publish the post now")
	} else {
		m.nudge.at, m.nudge.steps = at, slotSteps{}
		m.nudge.started++
	}
	shown := m.nudge.post
	shown.PublishAt = apiv1.NewTime(m.nudge.at)
	if !m.nudge.at.Equal(m.nudge.post.PublishAt.Time) {
		shown.Slot, shown.QueueID = nil, nil
	}
	m.preview(shown)
	m.follow(shown)
	return tea.Batch(before, m.nudgeLater())
}

// nudgeLater sends the move when no more key presses follow.
func (m *Model) nudgeLater() tea.Cmd {
	m.nudge.seq++
	seq := m.nudge.seq
	return tea.Tick(postlist.SendAfter, func(time.Time) tea.Msg { return nudgeMsg{seq} })
}

// sendNudge saves the time to which a post was moved.
func (m *Model) sendNudge() tea.Cmd {
	n := m.nudge
	if _, saving := m.busy[n.id]; saving {
		m.nudge.due = true
		return nil
	}
	if m.nudge = (nudge{seq: n.seq, started: n.started}); n.id == "" {
		return nil
	}
	switch {
	case n.at.Equal(n.post.PublishAt.Time):
		m.preview(n.post)
		m.follow(n.post)
		return m.MarkStale(n.id) // show changes that were hidden during the move
	case n.steps.chosen:
		return m.book(n.post, postlist.SlotTime(*n.post.QueueID, n.at))
	}
	return m.moveTo(n.post, n.at)
}

// takeNudged continues the move of a post by keys after an earlier change of it was saved,
// and reports whether it did. The move is dropped if the change failed or moved the post to
// a time that was not displayed.
func (m *Model) takeNudged(msg changedMsg) (cmd tea.Cmd, ok bool) {
	n := &m.nudge
	if n.id == "" || n.id != msg.change.Post.ID {
		return nil, false
	}
	if at := msg.post.PublishAt; msg.err != nil || msg.change.Removes || msg.post.Status != schedctl.Scheduled || at == nil || !at.Equal(n.post.PublishAt.Time) {
		m.nudge = nudge{seq: n.seq + 1, started: n.started}
		return nil, false
	}
	n.post = msg.post
	m.FinishUndo(msg.change.Undoes, msg.post, nil)
	m.RefreshSlots()
	if msg.change.Undo != nil {
		m.OfferUndo(msg.change.Undo(msg.post))
	}
	if n.due {
		cmd = m.sendNudge()
	}
	return cmd, true
}

// moveTo sets the time of a post. A draft becomes scheduled.
func (m *Model) moveTo(p apiv1.Post, at time.Time) tea.Cmd {
	return m.book(p, postlist.Booking{PublishAt: apiv1.At(at)})
}

// book schedules a post, or changes its time.
func (m *Model) book(p apiv1.Post, b postlist.Booking) tea.Cmd {
	shown, wanted, c, zone := p, b.WantedSlot(), m.Client(), m.Zone
	shown.Status = schedctl.Scheduled
	ch := postlist.Change{Post: p, Undo: func(after apiv1.Post) *postlist.Undo { return m.RestoreUndo(p, after) }}
	switch {
	case !b.PublishAt.NextSlot:
		at := b.PublishAt.Time
		shown.PublishAt, shown.Slot, shown.QueueID = apiv1.NewTime(at), nil, nil
		ch.Done = "scheduled for " + when.Format(at.In(m.Zone))
		ch.Anyway = func() tea.Cmd {
			b.AllowBlackout = true
			return m.book(p, b)
		}
	default:
		if !wanted.IsZero() {
			shown.PublishAt = apiv1.NewTime(wanted)
		}
		ch.Report = func(after apiv1.Post) (string, bool) { return postlist.SlotReport(after, wanted, zone) }
	}
	ch.Shown = shown
	ch.Call = func(ctx context.Context) (apiv1.Post, error) {
		if p.Status == schedctl.Draft {
			return c.Schedule(ctx, postlist.VersionOf(p), apiv1.SchedulePost{PublishAt: *b.PublishAt, QueueID: b.QueueID, NotBefore: b.NotBefore, AllowBlackout: b.AllowBlackout})
		}
		return c.Edit(ctx, postlist.VersionOf(p), apiv1.EditPost{PublishAt: b.PublishAt, QueueID: b.QueueID, NotBefore: b.NotBefore, AllowBlackout: b.AllowBlackout})
	}
	return m.StartChange(ch)
}

// askTime asks for the time of a post, in the same format as the command line.
func (m *Model) askTime(p apiv1.Post) tea.Cmd {
	if m.ChangePending(p.ID) {
		return nil
	}
	if len(p.SocialAccountIDs) == 0 {
		m.ShowError("the post has no account: press i to choose one")
		return nil
	}
	d := screen.NewPrompt(m.Theme, "When? ", "")
	d.Echo = func(text string) string { return m.EchoBooking(text) }
	d.Accept = func(text string) (tea.Cmd, string) {
		b, fault := m.ParseBooking(text)
		if fault != "" {
			return nil, fault
		}
		return m.book(p, b), ""
	}
	m.dialog = d
	return nil
}
