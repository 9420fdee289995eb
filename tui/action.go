package tui

import (
	"context"
	"slices"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/tui/compose"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// handleActionKey handles a key that acts on the selected item.
func (m *Model) handleActionKey(k tea.KeyMsg) tea.Cmd {
	f := m.Feed()
	if f == nil {
		return m.room().Key(k)
	}
	if key.Matches(k, m.Keys.Reflow) {
		return m.previewReflow()
	}
	p, ok := m.CurrentPost()
	if key.Matches(k, m.Keys.Share) {
		return m.openShare(p, ok)
	}
	if _, moves := nudgeOf(m.Keys, k); moves && m.nudge.id != "" && f.Anchor == m.nudge.id {
		p, ok = m.nudge.post, true // its page is being loaded
	}
	if !ok {
		return m.handleGhostKey(k)
	}
	return m.handlePostKey(k, p)
}

// handlePostKey handles a key that acts on a post. If the status of the post does
// not permit the operation, it shows the reason and sends nothing.
func (m *Model) handlePostKey(k tea.KeyMsg, p apiv1.Post) tea.Cmd {
	if postlist.IsSeries(p) {
		return m.review.HandleSeriesKey(k, p)
	}
	if by, ok := slotStep(m.Keys, k, p); ok {
		return m.ifSettled(func() tea.Cmd { return m.stepPost(p, by) })
	}
	if by, ok := nudgeOf(m.Keys, k); ok {
		return m.ifSettled(func() tea.Cmd {
			return m.IfAllowed(p, schedctl.OpEdit, func() tea.Cmd { return m.nudgePost(p, by) })
		})
	}
	if cmd, ok := m.review.HandleKey(k, p); ok {
		return cmd
	}
	switch {
	case key.Matches(k, m.Keys.Edit) && p.Status == schedctl.Failed:
		return m.resend(p)
	case key.Matches(k, m.Keys.Edit):
		return m.IfAllowed(p, schedctl.OpEdit, func() tea.Cmd { return compose.Open(m, compose.EditPost(p)) })
	case key.Matches(k, m.Keys.Editor):
		return m.IfAllowed(p, schedctl.OpEdit, func() tea.Cmd { return compose.OpenInEditor(m, compose.EditPost(p)) })
	case key.Matches(k, m.Keys.Duplicate):
		return compose.Open(m, compose.CopyPost(p))
	case key.Matches(k, m.Keys.Schedule):
		return m.IfAllowed(p, schedctl.OpEdit, func() tea.Cmd { return m.askTime(p) })
	case key.Matches(k, m.Keys.Publish):
		return m.IfAllowed(p, schedctl.OpPublishNow, func() tea.Cmd { return m.askPublish(p) })
	case key.Matches(k, m.Keys.Unschedule):
		return m.ifSettled(func() tea.Cmd {
			return m.IfAllowed(p, schedctl.OpUnschedule, func() tea.Cmd { return m.unschedule(p) })
		})
	case key.Matches(k, m.Keys.Cancel):
		return m.IfAllowed(p, schedctl.OpCancel, func() tea.Cmd { return m.askCancel(p) })
	case key.Matches(k, m.Keys.Delete):
		return m.IfAllowed(p, schedctl.OpDelete, func() tea.Cmd { return m.askDelete(p) })
	case key.Matches(k, m.Keys.Retry):
		return m.IfAllowed(p, schedctl.OpRetry, func() tea.Cmd { return m.askRetry(p) })
	case key.Matches(k, m.Keys.Skip):
		return m.askSkip(p)
	case key.Matches(k, m.Keys.DragDown):
		return m.ifSettled(func() tea.Cmd { return m.dragPost(p, 1) })
	case key.Matches(k, m.Keys.DragUp):
		return m.ifSettled(func() tea.Cmd { return m.dragPost(p, -1) })
	case key.Matches(k, m.Keys.View):
		return m.showPictures(p)
	case key.Matches(k, m.Keys.Copy):
		return m.copyAddress(p)
	case key.Matches(k, m.Keys.Browse):
		return m.openAddress(p)
	}
	return nil
}

// handleGhostKey handles a key that acts on a free slot.
func (m *Model) handleGhostKey(k tea.KeyMsg) tea.Cmd {
	if _, ok := m.selectedGhost(); ok && len(k.Runes) == 1 && key.Matches(k, m.Keys.PostKeys()...) {
		m.ShowNotice("this slot is free: press n to write a post for it")
	}
	return nil
}

func (m *Model) IfAllowed(p apiv1.Post, op schedctl.Operation, do func() tea.Cmd) tea.Cmd {
	if m.ChangePending(p.ID) && op != schedctl.OpEdit {
		return nil
	}
	var refused *schedctl.Error
	if err := schedctl.CheckOperation(op, p.Status); screen.AsError(err, &refused) {
		m.ShowError(refused.Message)
		return nil
	}
	return do()
}

func (m *Model) askPublish(p apiv1.Post) tea.Cmd {
	if len(p.SocialAccountIDs) == 0 {
		m.ShowError("the post has no account: press i to choose one")
		return nil
	}
	shown := p
	shown.Status = schedctl.Publishing
	m.dialog = &screen.Confirm{
		Question: []string{"Publish this now, to " + m.PostScene().AccountNames(p.SocialAccountIDs) + "?", "", screen.Excerpt(postlist.PostText(p), 200)},
		Yes: func() tea.Cmd {
			c := m.Client()
			return m.StartChange(postlist.Change{Post: p, Shown: shown, Done: "publishing to " + screen.Plural(len(p.SocialAccountIDs), "account"),
				Call: func(ctx context.Context) (apiv1.Post, error) { return c.Publish(ctx, postlist.VersionOf(p)) },
				Undo: func(after apiv1.Post) *postlist.Undo { return postlist.CannotUndo(after, "was published") }})
		},
	}
	return nil
}

// unschedule turns a scheduled post into a draft.
func (m *Model) unschedule(p apiv1.Post) tea.Cmd {
	if p.Status == schedctl.Draft {
		m.ShowNotice("the post is already a draft")
		return nil
	}
	shown := p
	shown.Status, shown.PublishAt = schedctl.Draft, nil
	c := m.Client()
	return m.StartChange(postlist.Change{
		Post: p, Shown: shown, Done: "changed to a draft",
		Call: func(ctx context.Context) (apiv1.Post, error) { return c.Unschedule(ctx, postlist.VersionOf(p)) },
		Undo: func(after apiv1.Post) *postlist.Undo { return m.RestoreUndo(p, after) },
	})
}

func (m *Model) askCancel(p apiv1.Post) tea.Cmd {
	shown := p
	shown.Status = schedctl.Canceled
	m.dialog = &screen.Confirm{
		Question: []string{"Cancel this post? Press u afterwards to create a copy.", "", screen.Excerpt(postlist.PostText(p), 200)},
		Yes: func() tea.Cmd {
			c := m.Client()
			return m.StartChange(postlist.Change{Post: p, Shown: shown, Done: "canceled",
				Call: func(ctx context.Context) (apiv1.Post, error) { return c.Cancel(ctx, postlist.VersionOf(p)) },
				Undo: func(after apiv1.Post) *postlist.Undo {
					return &postlist.Undo{
						Label: "create a copy of " + postlist.Quoted(p), At: postlist.VersionOf(after), From: p.Version,
						Run: func(u *postlist.Undo) tea.Cmd { return m.recreate(u, after) },
					}
				}})
		},
	}
	return nil
}

func (m *Model) askDelete(p apiv1.Post) tea.Cmd {
	m.dialog = &screen.Confirm{
		Question: []string{"Delete this draft? Press u afterwards to restore it.", "", screen.Excerpt(postlist.PostText(p), 200)},
		Yes: func() tea.Cmd {
			c := m.Client()
			return m.StartChange(postlist.Change{Post: p, Done: "deleted", Removes: true,
				Call: func(ctx context.Context) (apiv1.Post, error) { return p, c.Delete(ctx, p.ID) },
				Undo: func(apiv1.Post) *postlist.Undo {
					return &postlist.Undo{
						Label: "restore " + postlist.Quoted(p), At: postlist.VersionOf(p), From: p.Version,
						Run: func(u *postlist.Undo) tea.Cmd { return m.recreate(u, p) },
					}
				}})
		},
	}
	return nil
}

// recreate undoes a cancellation or deletion. It creates a copy for the accounts
// that have not published any part of the post, with the same time if that is in the future.
func (m *Model) recreate(u *postlist.Undo, p apiv1.Post) tea.Cmd {
	c, body, key := m.Client(), m.copyOf(p), "tui-again-"+p.ID
	return m.Call(func(ctx context.Context) tea.Msg {
		post, err := c.Create(ctx, body, key)
		return doneMsg{done: "undone: created a copy, ", post: post, err: err, undoes: u}
	})
}

// copyOf returns the request that creates the copy.
func (m *Model) copyOf(p apiv1.Post) apiv1.CreatePost {
	body := fields.Request(p)
	body.AllowDuplicate, body.SocialAccountIDs, body.TargetOverrides = true, nil, nil
	for _, id := range p.SocialAccountIDs {
		if i := slices.IndexFunc(p.Targets, func(t apiv1.Target) bool { return t.SocialAccountID == id }); i < 0 || p.Targets[i].Status != schedctl.Published && p.Targets[i].PlatformPostID == nil {
			body.SocialAccountIDs = append(body.SocialAccountIDs, id)
		}
	}
	for _, o := range p.TargetOverrides {
		if slices.Contains(body.SocialAccountIDs, o.SocialAccountID) {
			body.TargetOverrides = append(body.TargetOverrides, o)
		}
	}
	if at := p.ProposedAt; at != nil && (at.NextSlot || at.Time.After(m.Now)) {
		body.ProposedAt = at
	}
	if p.PublishAt != nil && p.PublishAt.After(m.Now) && len(body.SocialAccountIDs) > 0 {
		b := postlist.BookingOf(p)
		body.PublishAt, body.QueueID, body.NotBefore = b.PublishAt, b.QueueID, b.NotBefore
	}
	return body
}

// Describe describes the state of a post.
func (m *Model) Describe(p apiv1.Post) string {
	switch {
	case p.Status == schedctl.Draft:
		return "draft"
	case p.Status == schedctl.Scheduled && p.PublishAt != nil:
		return "scheduled for " + when.Format(p.PublishAt.In(m.Zone))
	}
	return string(p.Status)
}

// selectPost selects a post in every list that has it.
func (m *Model) selectPost(id string) {
	found := false
	for f := range m.feeds() {
		if i, ok := f.Find(id); ok {
			f.Selected, found = i, true
		}
	}
	if h := m.holder(); h != nil && found {
		h.SelectPost()
	}
}

// doneMsg is the result of an action without a change on the screen.
type doneMsg struct {
	done string
	post apiv1.Post // the created post, or the zero value
	err  error

	undoes *postlist.Undo // the undo that was run, or nil
}

func (m *Model) takeDone(msg doneMsg) {
	m.FinishUndo(msg.undoes, msg.post, msg.err)
	if msg.err != nil {
		m.ShowError(screen.Explain(msg.err))
		return
	}
	if msg.post.ID != "" {
		m.ApplyPost(msg.post)
		m.RefreshSlots()
		m.selectPost(msg.post.ID)
		msg.done += m.Describe(msg.post)
	}
	m.ShowNotice(msg.done)
}

// nudgeOf returns how far a key moves a post in time.
func nudgeOf(k screen.KeyMap, msg tea.KeyMsg) (shift, bool) {
	switch {
	case key.Matches(msg, k.Later):
		return shift{by: 15 * time.Minute}, true
	case key.Matches(msg, k.Sooner):
		return shift{by: -15 * time.Minute}, true
	case key.Matches(msg, k.HourLater):
		return shift{by: time.Hour}, true
	case key.Matches(msg, k.HourSooner):
		return shift{by: -time.Hour}, true
	case key.Matches(msg, k.DayLater):
		return shift{days: 1}, true
	case key.Matches(msg, k.DaySooner):
		return shift{days: -1}, true
	}
	return shift{}, false
}
