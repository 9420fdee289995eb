package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// OfferUndo makes a change undoable and shows the offer for a while. Nil is ignored.
func (m *Model) OfferUndo(u *postlist.Undo) {
	if u != nil {
		m.undos.Push(u)
		m.undos.Until = m.Now.Add(postlist.UndoOfferTime)
	}
}

// undoLast undoes the latest change.
func (m *Model) undoLast() tea.Cmd {
	if m.nudge.id != "" {
		return m.dropNudge()
	}
	if h, ok := m.dragging(); ok {
		return h.DropOrder()
	}
	u := m.undos.Last()
	if u == nil {
		m.ShowNotice("nothing to undo")
		return nil
	}
	if u.At.ID != "" && m.ChangePending(u.At.ID) {
		return nil
	}
	m.undos.List = m.undos.List[:len(m.undos.List)-1]
	if u.Why == "" {
		u.Why = m.undoConflict(u)
	}
	if u.Why != "" {
		m.ShowError(u.Why)
		m.undos.Until = m.Now.Add(postlist.UndoOfferTime)
		return nil
	}
	return u.Run(u)
}

// undoConflict says why a change can no longer be undone, as far as the loaded posts
// show.
func (m *Model) undoConflict(u *postlist.Undo) string {
	if p, ok := m.NewestKnown(u.At.ID); ok && p.Version > u.At.Number {
		return postlist.UndoConflictText(u, p)
	}
	return ""
}

// NewestKnown returns the newest loaded version of a post.
func (m *Model) NewestKnown(id string) (newest apiv1.Post, ok bool) {
	for f := range m.feeds() {
		if i, found := f.Find(id); found {
			p, _ := f.At(i)
			newest, ok = postlist.Newer(newest, p), true
		}
	}
	return newest, ok
}

// dropNudge reverts a move by keys that was not sent yet.
func (m *Model) dropNudge() tea.Cmd {
	n := m.nudge
	m.nudge = nudge{seq: n.seq + 1, started: n.started}
	m.preview(n.post)
	m.follow(n.post)
	m.ShowNotice("not moved")
	return m.MarkStale(n.id)
}

// RestoreUndo returns an undo that restores a post to its state before a change.
func (m *Model) RestoreUndo(before, after apiv1.Post) *postlist.Undo {
	return &postlist.Undo{
		Label: m.restoreLabel(before, after), At: postlist.VersionOf(after), From: before.Version,
		Run: func(u *postlist.Undo) tea.Cmd { return m.restore(u, before, after) },
	}
}

// restoreLabel describes what the undo restores.
func (m *Model) restoreLabel(before, after apiv1.Post) string {
	name, at := postlist.Quoted(after), ""
	if before.PublishAt != nil {
		at = before.PublishAt.In(m.Zone).Format("Mon 2 Jan 15:04")
	}
	body := postlist.EditTo(before, after)
	switch {
	case before.Status == schedctl.Draft && after.Status == schedctl.Scheduled:
		return "unschedule " + name
	case before.Status == schedctl.Scheduled && after.Status == schedctl.Draft:
		return "reschedule for " + at + " " + name
	case body.PublishAt != nil && body.Content == nil && body.SocialAccountIDs == nil && body.TargetOverrides == nil:
		return "move back to " + at + " " + name
	}
	return "undo the edit of " + name
}

// restore restores a post to its state before a change.
func (m *Model) restore(u *postlist.Undo, before, after apiv1.Post) tea.Cmd {
	body := postlist.EditTo(before, after)
	have := after
	if p, ok := m.NewestKnown(u.At.ID); ok {
		have = p
	}
	have.ID, have.Version = u.At.ID, u.At.Number
	if body.PublishAt != nil && !before.PublishAt.After(m.Now) {
		m.ShowError("cannot " + u.Label + ": that time has passed")
		m.undos.Rebase(u, have) // earlier changes can still be undone
		return nil
	}
	shown := before
	shown.ID, shown.Version = u.At.ID, u.At.Number
	c, at := m.Client(), u.At
	unschedule := before.Status == schedctl.Draft && after.Status == schedctl.Scheduled
	zone := m.Zone
	return m.StartChange(postlist.Change{Post: have, Shown: shown, Done: "undone: " + m.Describe(before), Undoes: u,
		Report: func(after apiv1.Post) (string, bool) {
			if body.PublishAt == nil || !body.PublishAt.NextSlot {
				return "", false
			}
			text, other := postlist.SlotReport(after, before.PublishAt.Time, zone)
			return "undone: " + text, other
		},
		Call: func(ctx context.Context) (p apiv1.Post, err error) {
			if unschedule {
				if p, err = c.Unschedule(ctx, at); err != nil || body == (apiv1.EditPost{}) {
					return p, err
				}
				at = postlist.VersionOf(p)
			}
			return c.Edit(ctx, at, body)
		}})
}

// FinishUndo updates the stack after an undo: earlier changes apply to its result,
// and an undo that may have failed can be repeated.
func (m *Model) FinishUndo(u *postlist.Undo, restored apiv1.Post, err error) {
	switch {
	case u == nil:
	case err == nil:
		m.undos.Rebase(u, restored)
		m.undos.Until = m.Now.Add(postlist.UndoOfferTime)
	case screen.NoResponse(err), schedctl.CodeOf(err) == schedctl.RateLimited:
		m.OfferUndo(u)
	}
}
