package tui

import (
	"context"
	"slices"
	"time"

	"github.com/schedctl/schedctl/tui/screen"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

const (
	maxUndo       = 50               // maximum number of changes that can be undone
	undoOfferTime = 10 * time.Second // how long the offer to undo is shown
)

// undo reverts one change.
type undo struct {
	label string // the action, for example: unschedule “Hello”
	why   string // why the change cannot be undone; empty if it can

	at       screen.Version   // the post after the change; without an id if no post is involved
	from     int64            // the version before the change
	versions map[string]int64 // the same for several posts, by id
	run      func(u *undo) tea.Cmd
}

// undoStack is the stack of changes that can be undone, latest last.
type undoStack struct {
	list  []*undo
	until time.Time // end of the offer to undo the latest change
}

// last returns the latest change, or nil.
func (s *undoStack) last() *undo {
	if len(s.list) == 0 {
		return nil
	}
	return s.list[len(s.list)-1]
}

// offered returns the undo that is offered at the time now, or nil.
func (s *undoStack) offered(now time.Time) *undo {
	u := s.last()
	if u == nil || u.why != "" || now.After(s.until) {
		return nil
	}
	return u
}

// push adds a change. If there are too many, the oldest is dropped.
func (s *undoStack) push(u *undo) {
	if s.list = append(s.list, u); len(s.list) > maxUndo {
		s.list = slices.Delete(s.list, 0, 1)
	}
}

// rebase redirects earlier changes of a post to the result of an undo, which
// restored version u.from, possibly as a new post.
func (s *undoStack) rebase(u *undo, restored apiv1.Post) {
	if u.at.ID == "" {
		return
	}
	for _, earlier := range s.list {
		if earlier.at == (screen.Version{ID: u.at.ID, Number: u.from}) {
			earlier.at = versionOf(restored)
		}
	}
}

// offerUndo makes a change undoable and shows the offer for a while. Nil is ignored.
func (m *Model) offerUndo(u *undo) {
	if u != nil {
		m.undos.push(u)
		m.undos.until = m.Now.Add(undoOfferTime)
	}
}

// undoLast undoes the latest change.
func (m *Model) undoLast() tea.Cmd {
	switch {
	case m.nudge.id != "":
		return m.dropNudge()
	case m.drag.id != "":
		return m.dropDrag()
	}
	u := m.undos.last()
	if u == nil {
		m.ShowNotice("nothing to undo")
		return nil
	}
	if u.at.ID != "" && m.changePending(u.at.ID) {
		return nil
	}
	m.undos.list = m.undos.list[:len(m.undos.list)-1]
	if u.why == "" {
		u.why = m.undoConflict(u)
	}
	if u.why != "" {
		m.ShowError(u.why)
		m.undos.until = m.Now.Add(undoOfferTime)
		return nil
	}
	return u.run(u)
}

// undoConflict says why a change can no longer be undone, as far as the loaded posts
// show.
func (m *Model) undoConflict(u *undo) string {
	if p, ok := m.newestKnown(u.at.ID); ok && p.Version > u.at.Number {
		return undoConflictText(u, p)
	}
	return ""
}

// undoConflictText says why a change cannot be undone after another change of the
// post.
func undoConflictText(u *undo, p apiv1.Post) string {
	reason := "it has been changed since"
	switch p.Status {
	case schedctl.Publishing, schedctl.Published, schedctl.Failed, schedctl.Canceled:
		reason = "it is " + string(p.Status) + " now"
	}
	return "cannot " + u.label + ": " + reason
}

// newestKnown returns the newest loaded version of a post.
func (m *Model) newestKnown(id string) (newest apiv1.Post, ok bool) {
	for t := range m.feeds {
		if i, found := m.feeds[t].find(id); found {
			p, _ := m.feeds[t].at(i)
			newest, ok = newer(newest, p), true
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
	return m.markStale(n.id)
}

// restoreUndo returns an undo that restores a post to its state before a change.
func (m *Model) restoreUndo(before, after apiv1.Post) *undo {
	return &undo{
		label: m.restoreLabel(before, after), at: versionOf(after), from: before.Version,
		run: func(u *undo) tea.Cmd { return m.restore(u, before, after) },
	}
}

// restoreLabel describes what the undo restores.
func (m *Model) restoreLabel(before, after apiv1.Post) string {
	name, at := quoted(after), ""
	if before.PublishAt != nil {
		at = before.PublishAt.In(m.Zone).Format("Mon 2 Jan 15:04")
	}
	body := editTo(before, after)
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
func (m *Model) restore(u *undo, before, after apiv1.Post) tea.Cmd {
	body := editTo(before, after)
	have := after
	if p, ok := m.newestKnown(u.at.ID); ok {
		have = p
	}
	have.ID, have.Version = u.at.ID, u.at.Number
	if body.PublishAt != nil && !before.PublishAt.After(m.Now) {
		m.ShowError("cannot " + u.label + ": that time has passed")
		m.undos.rebase(u, have) // earlier changes can still be undone
		return nil
	}
	shown := before
	shown.ID, shown.Version = u.at.ID, u.at.Number
	c, at := m.Client(), u.at
	unschedule := before.Status == schedctl.Draft && after.Status == schedctl.Scheduled
	zone := m.Zone
	return m.startChange(change{post: have, shown: shown, done: "undone: " + m.describe(before), undoes: u,
		report: func(after apiv1.Post) (string, bool) {
			if body.PublishAt == nil || !body.PublishAt.NextSlot {
				return "", false
			}
			text, other := slotReport(after, before.PublishAt.Time, zone)
			return "undone: " + text, other
		},
		call: func(ctx context.Context) (p apiv1.Post, err error) {
			if unschedule {
				if p, err = c.Unschedule(ctx, at); err != nil || body == (apiv1.EditPost{}) {
					return p, err
				}
				at = versionOf(p)
			}
			return c.Edit(ctx, at, body)
		}})
}

// finishUndo updates the stack after an undo: earlier changes apply to its result,
// and an undo that may have failed can be repeated.
func (m *Model) finishUndo(u *undo, restored apiv1.Post, err error) {
	switch {
	case u == nil:
	case err == nil:
		m.undos.rebase(u, restored)
		m.undos.until = m.Now.Add(undoOfferTime)
	case screen.NoResponse(err), schedctl.CodeOf(err) == schedctl.RateLimited:
		m.offerUndo(u)
	}
}

// cannotUndo is a change that cannot be undone. It makes u report that instead of
// undoing the change before.
func cannotUndo(p apiv1.Post, what string) *undo {
	return &undo{why: quoted(p) + " " + what + ": that cannot be undone"}
}

// quoted returns the start of a post's text in quotes.
func quoted(p apiv1.Post) string {
	const most = 24
	return "“" + screen.Clip(screen.Excerpt(postText(p), most), most) + "”"
}
