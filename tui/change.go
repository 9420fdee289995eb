package tui

import (
	"context"

	"github.com/schedctl/schedctl/tui/screen"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// change is a change of a post by the user.
type change struct {
	post    apiv1.Post                                     // before the change
	shown   apiv1.Post                                     // shown until the daemon responds
	done    string                                         // the notice after success
	report  func(after apiv1.Post) (text string, bad bool) // replaces done unless it returns no text; may be nil
	removes bool                                           // the change deletes the post
	call    func(ctx context.Context) (apiv1.Post, error)

	anyway func() tea.Cmd               // repeats a change that a blackout refuses; nil if it cannot
	undo   func(after apiv1.Post) *undo // returns the undo of the change, given its result; nil for an undo
	undoes *undo                        // the undo that the change runs, or nil
}

// changedMsg is the response to a change.
type changedMsg struct {
	change change
	post   apiv1.Post
	err    error
}

// startChange shows a change and sends it. Each post has at most one change in
// progress.
func (m *Model) startChange(c change) tea.Cmd {
	if m.changePending(c.post.ID) {
		return nil
	}
	m.busy[c.post.ID] = c.post
	if c.shown.ID != "" {
		m.preview(c.shown)
	}
	return m.Call(func(ctx context.Context) tea.Msg {
		post, err := c.call(ctx)
		return changedMsg{change: c, post: post, err: err}
	})
}

// changePending reports whether a change of the post is in progress, and shows a
// notice if so.
func (m *Model) changePending(id string) bool {
	_, sent := m.busy[id]
	if sent || m.nudge.id == id {
		m.ShowNotice("the last change of this post is still being saved")
		return true
	}
	return false
}

// preview shows a post as a change will make it, without moving it in the list.
func (m *Model) preview(p apiv1.Post) {
	for t := range m.feeds {
		m.feeds[t].replace(p)
	}
}

// previewAll is preview for several posts.
func (m *Model) previewAll(list []apiv1.Post) {
	byID := make(map[string]*apiv1.Post, len(list))
	for i := range list {
		byID[list[i].ID] = &list[i]
	}
	for t := range m.feeds {
		f := &m.feeds[t]
		for i := range f.moved {
			if p := byID[f.moved[i].ID]; p != nil {
				f.moved[i] = *p
			}
		}
		for i := range f.pages {
			for j := range f.pages[i].posts {
				if p := byID[f.pages[i].posts[j].ID]; p != nil {
					f.pages[i].posts[j] = *p
				}
			}
		}
	}
}

// takeChanged shows the result of a change. A refused change is reverted, with the
// daemon's message.
func (m *Model) takeChanged(msg changedMsg) tea.Cmd {
	id := msg.change.post.ID
	before, chosen := m.busy[id], m.selectedID() == id
	delete(m.busy, id)
	if cmd, moving := m.takeNudged(msg); moving {
		return cmd
	}
	m.preview(before) // restore the old time, by which the list finds the post
	m.finishUndo(msg.change.undoes, msg.post, msg.err)
	if msg.err != nil {
		if chosen {
			m.follow(before)
		}
		m.ShowError(m.refusal(msg.change, msg.err))
		m.askAnyway(msg)
		return m.markStale(id)
	}
	if msg.change.removes {
		if m.detail.openedFor == id {
			m.detail.close()
		}
		for t := range m.feeds {
			m.feeds[t].remove(id)
		}
	} else {
		m.applyPost(newer(before, msg.post))
	}
	m.refreshSlots()
	m.showDone(msg.change, msg.post)
	if chosen && !msg.change.removes {
		m.follow(newer(before, msg.post))
		m.sayWhere(newer(before, msg.post))
	}
	if msg.change.undo != nil {
		m.offerUndo(msg.change.undo(msg.post))
	}
	return nil
}

// askAnyway asks whether to repeat a change that a blackout refuses.
func (m *Model) askAnyway(msg changedMsg) {
	if schedctl.CodeOf(msg.err) != schedctl.InBlackout || msg.change.anyway == nil || m.dialog != nil || m.quitting {
		return
	}
	m.notice = notice{}
	m.dialog = &screen.Confirm{Question: []string{"Use this time in spite of a blackout?", blackoutText(msg.err)}, Yes: msg.change.anyway}
}

// showDone shows the notice after a change.
func (m *Model) showDone(c change, after apiv1.Post) {
	text, bad := "", false
	if c.report != nil {
		text, bad = c.report(after)
	}
	switch {
	case text == "":
		m.ShowNotice(c.done)
	case bad:
		m.ShowError(text)
	default:
		m.ShowNotice(text)
	}
}

// refusal describes why a change failed.
func (m *Model) refusal(c change, err error) string {
	code, undoes, what := schedctl.CodeOf(err), c.undoes, noun(c.post)
	switch {
	case undoes != nil && code == schedctl.VersionMismatch:
		return "cannot " + undoes.label + ": it has been changed since"
	case undoes != nil && code == schedctl.NotFound:
		return "cannot " + undoes.label + ": it has been deleted since"
	case undoes != nil && !screen.NoResponse(err):
		return "cannot " + undoes.label + ": " + screen.Explain(err)
	case schedctl.CodeOf(err) == schedctl.VersionMismatch:
		return "someone else has changed this " + what + ": nothing was saved. Check the " + what + " and try again"
	case code == schedctl.ApprovalNotPending:
		return "the " + what + " no longer waits for an approval, so your change was not saved"
	case screen.NoResponse(err):
		return "no response: the change may or may not be saved. The post reloads when the daemon is back: " + screen.Explain(err)
	}
	return "not saved: " + screen.Explain(err)
}

func versionOf(p apiv1.Post) screen.Version { return screen.Version{ID: p.ID, Number: p.Version} }
