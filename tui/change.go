package tui

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// change is something that a person does to a post.
type change struct {
	post    apiv1.Post // as it is
	shown   apiv1.Post // as it is shown until the daemon has answered
	done    string     // what is said then
	removes bool       // the post is gone then
	call    func(ctx context.Context) (apiv1.Post, error)

	undo   func(after apiv1.Post) *undo // returns how it is undone, given its result; nil for an undo
	undoes *undo                        // what it undoes, or nil
}

// changedMsg is the answer to a change.
type changedMsg struct {
	change change
	post   apiv1.Post
	err    error
}

// startChange shows a change and asks for it. One post has one change on its way.
func (m *Model) startChange(c change) tea.Cmd {
	if m.changePending(c.post.ID) {
		return nil
	}
	m.busy[c.post.ID] = c.post
	if c.shown.ID != "" {
		m.preview(c.shown)
	}
	return m.call(func(ctx context.Context) tea.Msg {
		post, err := c.call(ctx)
		return changedMsg{change: c, post: post, err: err}
	})
}

// changePending tells the person when a post has a change on its way.
func (m *Model) changePending(id string) bool {
	_, sent := m.busy[id]
	if sent || m.nudge.id == id {
		m.showNotice("the last change of this post is still on its way")
		return true
	}
	return false
}

// preview shows a post as it is not yet, where it stands.
func (m *Model) preview(p apiv1.Post) {
	for t := range m.feeds {
		m.feeds[t].replace(p)
	}
}

// takeChanged shows what has become of a change. One that was refused is taken
// back, with the daemon's words.
func (m *Model) takeChanged(msg changedMsg) tea.Cmd {
	id := msg.change.post.ID
	before := m.busy[id]
	delete(m.busy, id)
	m.preview(before) // where it stands it is found again by its old time
	m.finishUndo(msg.change.undoes, msg.post, msg.err)
	if msg.err != nil {
		m.showError(m.refusal(msg.change.undoes, msg.err))
		return m.markStale(id)
	}
	if msg.change.removes {
		for t := range m.feeds {
			m.feeds[t].remove(id)
		}
	} else {
		m.applyPost(newer(before, msg.post))
	}
	m.showNotice(msg.change.done)
	if msg.change.undo != nil {
		m.offerUndo(msg.change.undo(msg.post))
	}
	return nil
}

// refusal says why a change was not made.
func (m *Model) refusal(undoes *undo, err error) string {
	code := schedctl.CodeOf(err)
	switch {
	case undoes != nil && code == schedctl.VersionMismatch:
		return "cannot " + undoes.label + ": it has been changed since"
	case undoes != nil && code == schedctl.NotFound:
		return "cannot " + undoes.label + ": it has been deleted since"
	case undoes != nil && !noResponse(err):
		return "cannot " + undoes.label + ": " + explain(err)
	case schedctl.CodeOf(err) == schedctl.VersionMismatch:
		return "somebody else has changed this post: nothing was done, look at it and do it again"
	case noResponse(err):
		return "no answer, so nobody knows whether it was done; the post is read again when the daemon is back: " + explain(err)
	}
	return "not done: " + explain(err)
}

// noResponse reports whether what was asked for may have happened.
func noResponse(err error) bool {
	return errors.Is(err, ErrUnreachable) || errors.Is(err, context.DeadlineExceeded)
}

func versionOf(p apiv1.Post) Version { return Version{ID: p.ID, Number: p.Version} }
