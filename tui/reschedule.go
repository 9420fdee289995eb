package tui

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
)

// nudgeAfter is how long to wait for more key presses before one change is sent for
// all of them.
const nudgeAfter = 500 * time.Millisecond

// shift is an offset of a time. Days keep the time of day.
type shift struct {
	by   time.Duration
	days int
}

// nudge is the post that is being moved with keys.
type nudge struct {
	id   string // or empty
	post apiv1.Post
	at   time.Time
	seq  int
}

// nudgeMsg says that no more key presses followed.
type nudgeMsg struct{ seq int }

// nudgePost moves a scheduled post in time. The change is sent when no more key
// presses follow.
func (m *Model) nudgePost(p apiv1.Post, by shift) tea.Cmd {
	if p.Status != schedctl.Scheduled || p.PublishAt == nil {
		m.showError("the post has no time: press s to schedule it")
		return nil
	}
	var before tea.Cmd
	if m.nudge.id != "" && m.nudge.id != p.ID {
		before = m.sendNudge()
	}
	if _, sent := m.busy[p.ID]; sent {
		m.showNotice("the last change of this post is still being saved")
		return before
	}
	if m.nudge.id == "" {
		m.nudge = nudge{id: p.ID, post: p, at: p.PublishAt.Time, seq: m.nudge.seq}
	}
	at := m.nudge.at.In(m.zone).AddDate(0, 0, by.days).Add(by.by)
	if !at.After(m.now) {
		m.showError("that time is in the past: press P to publish the post now")
	} else {
		m.nudge.at = at
	}
	shown := m.nudge.post
	shown.PublishAt = apiv1.NewTime(m.nudge.at)
	m.preview(shown)
	m.nudge.seq++
	seq := m.nudge.seq
	return tea.Batch(before, tea.Tick(nudgeAfter, func(time.Time) tea.Msg { return nudgeMsg{seq} }))
}

// sendNudge saves the time to which a post was moved.
func (m *Model) sendNudge() tea.Cmd {
	n := m.nudge
	if m.nudge = (nudge{seq: n.seq}); n.id == "" {
		return nil
	}
	if n.at.Equal(n.post.PublishAt.Time) {
		return m.markStale(n.id) // show changes that were hidden during the move
	}
	return m.moveTo(n.post, n.at)
}

// moveTo sets the time of a post. A draft becomes scheduled.
func (m *Model) moveTo(p apiv1.Post, at time.Time) tea.Cmd {
	shown := p
	shown.PublishAt, shown.Status = apiv1.NewTime(at), schedctl.Scheduled
	c := m.cfg.Client
	ch := change{
		post: p, shown: shown, done: "scheduled for " + when.Format(at.In(m.zone)),
		undo: func(after apiv1.Post) *undo { return m.restoreUndo(p, after) },
	}
	if p.Status == schedctl.Draft {
		ch.call = func(ctx context.Context) (apiv1.Post, error) {
			return c.Schedule(ctx, versionOf(p), apiv1.SchedulePost{PublishAt: apiv1.Time{Time: at}})
		}
		return m.startChange(ch)
	}
	ch.call = func(ctx context.Context) (apiv1.Post, error) {
		return c.Edit(ctx, versionOf(p), apiv1.EditPost{PublishAt: apiv1.NewTime(at)})
	}
	return m.startChange(ch)
}

// askTime asks for the time of a post, in the same format as the command line.
func (m *Model) askTime(p apiv1.Post) tea.Cmd {
	if m.changePending(p.ID) {
		return nil
	}
	if len(p.SocialAccountIDs) == 0 {
		m.showError("the post has no account: press i to choose one")
		return nil
	}
	d := newPrompt(m.theme, "When? ", "")
	d.echo = func(m *Model, text string) string { return echoTime(text, m.now, m.zone) }
	d.accept = func(m *Model, text string) (tea.Cmd, string) {
		at, err := parseTime(text, m.now, m.zone)
		if err != nil {
			return nil, err.Error()
		}
		return m.moveTo(p, at), ""
	}
	m.dialog = d
	return nil
}

// parseTime parses a time in the future.
func parseTime(text string, now time.Time, zone *time.Location) (time.Time, error) {
	at, err := when.Parse(text, now, zone)
	if err == nil {
		err = at.Check(now)
	}
	return at.Time, err
}

// echoTime describes the parsed time, or what is wrong with it.
func echoTime(text string, now time.Time, zone *time.Location) string {
	if text == "" {
		return "for example: tomorrow 9am, friday noon, in 2h, 2026-12-08 09:00"
	}
	at, err := when.Parse(text, now, zone)
	if err == nil {
		err = at.Check(now)
	}
	if err != nil {
		return err.Error()
	}
	if at.Note != "" {
		return at.Echo(now, zone) + "; " + at.Note
	}
	return at.Echo(now, zone)
}

// asError finds a [schedctl.Error] in an error.
func asError(err error, refused **schedctl.Error) bool { return errors.As(err, refused) }
