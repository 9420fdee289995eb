package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// changedMsg is the response to a change.
type changedMsg struct {
	change postlist.Change
	post   apiv1.Post
	err    error
}

// StartChange shows a change and sends it. Each post has at most one change in
// progress.
func (m *Model) StartChange(c postlist.Change) tea.Cmd {
	if m.ChangePending(c.Post.ID) {
		return nil
	}
	m.busy[c.Post.ID] = c.Post
	if c.Shown.ID != "" {
		m.preview(c.Shown)
	}
	return m.Call(func(ctx context.Context) tea.Msg {
		post, err := c.Call(ctx)
		return changedMsg{change: c, post: post, err: err}
	})
}

// ChangePending reports whether a change of the post is in progress, and shows a
// notice if so.
func (m *Model) ChangePending(id string) bool {
	_, sent := m.busy[id]
	if sent || m.nudge.id == id {
		m.ShowNotice("the last change of this post is still being saved")
		return true
	}
	return false
}

// preview shows a post as a change will make it, without moving it in the list.
func (m *Model) preview(p apiv1.Post) {
	for f := range m.feeds() {
		f.Replace(p)
	}
}

// previewAll is preview for several posts.
func (m *Model) previewAll(list []apiv1.Post) {
	byID := make(map[string]*apiv1.Post, len(list))
	for i := range list {
		byID[list[i].ID] = &list[i]
	}
	for f := range m.feeds() {
		f.ReplaceAll(byID)
	}
}

// takeChanged shows the result of a change. A refused change is reverted, with the
// daemon's message.
func (m *Model) takeChanged(msg changedMsg) tea.Cmd {
	id := msg.change.Post.ID
	before, chosen := m.busy[id], m.selectedID() == id
	delete(m.busy, id)
	if cmd, moving := m.takeNudged(msg); moving {
		return cmd
	}
	m.preview(before) // restore the old time, by which the list finds the post
	m.FinishUndo(msg.change.Undoes, msg.post, msg.err)
	if msg.err != nil {
		if chosen {
			m.follow(before)
		}
		m.ShowError(m.Refusal(msg.change, msg.err))
		m.askAnyway(msg)
		return m.MarkStale(id)
	}
	if msg.change.Removes {
		if m.detail().OpenedFor == id {
			m.detail().Close()
		}
		for f := range m.feeds() {
			f.Remove(id)
		}
	} else {
		m.ApplyPost(postlist.Newer(before, msg.post))
	}
	m.RefreshSlots()
	m.showDone(msg.change, msg.post)
	if chosen && !msg.change.Removes {
		m.follow(postlist.Newer(before, msg.post))
		m.sayWhere(postlist.Newer(before, msg.post))
	}
	if msg.change.Undo != nil {
		m.OfferUndo(msg.change.Undo(msg.post))
	}
	return nil
}

// askAnyway asks whether to repeat a change that a blackout refuses.
func (m *Model) askAnyway(msg changedMsg) {
	if schedctl.CodeOf(msg.err) != schedctl.InBlackout || msg.change.Anyway == nil || m.dialog != nil || m.quitting {
		return
	}
	m.notice = notice{}
	m.dialog = &screen.Confirm{Question: []string{"Use this time in spite of a blackout?", postlist.BlackoutText(msg.err)}, Yes: msg.change.Anyway}
}

// showDone shows the notice after a change.
func (m *Model) showDone(c postlist.Change, after apiv1.Post) {
	text, bad := "", false
	if c.Report != nil {
		text, bad = c.Report(after)
	}
	switch {
	case text == "":
		m.ShowNotice(c.Done)
	case bad:
		m.ShowError(text)
	default:
		m.ShowNotice(text)
	}
}

// Refusal describes why a change failed.
func (m *Model) Refusal(c postlist.Change, err error) string {
	code, undoes, what := schedctl.CodeOf(err), c.Undoes, postlist.Noun(c.Post)
	switch {
	case undoes != nil && code == schedctl.VersionMismatch:
		return "cannot " + undoes.Label + ": it has been changed since"
	case undoes != nil && code == schedctl.NotFound:
		return "cannot " + undoes.Label + ": it has been deleted since"
	case undoes != nil && !screen.NoResponse(err):
		return "cannot " + undoes.Label + ": " + screen.Explain(err)
	case schedctl.CodeOf(err) == schedctl.VersionMismatch:
		return "someone else has changed this " + what + ": nothing was saved. Check the " + what + " and try again"
	case code == schedctl.ApprovalNotPending:
		return "the " + what + " no longer waits for an approval, so your change was not saved"
	case screen.NoResponse(err):
		return "no response: the change may or may not be saved. The post reloads when the daemon is back: " + screen.Explain(err)
	}
	return "not saved: " + screen.Explain(err)
}
