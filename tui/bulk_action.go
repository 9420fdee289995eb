package tui

import (
	"context"
	"fmt"
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// handleBulkKey handles a key that acts on the marked posts, or on the selected one. It
// reports whether it was such a key. Cancel and unschedule have dialogs of their own for one
// post.
func (m *Model) handleBulkKey(k tea.KeyMsg) (cmd tea.Cmd, ok bool) {
	if m.Feed() == nil {
		return nil, false
	}
	several := len(m.marks.Order) > 0
	switch {
	case key.Matches(k, m.Keys.Label):
		return m.askLabels(), true
	case key.Matches(k, m.Keys.Accounts):
		return m.askAccounts(), true
	case key.Matches(k, m.Keys.Enqueue):
		return m.askQueue(), true
	case key.Matches(k, m.Keys.Archive):
		return m.askBulk("archive", schedctl.OpArchive, m.archive), true
	case key.Matches(k, m.Keys.Cancel) && several:
		return m.askBulk("cancel", schedctl.OpCancel, m.cancelPosts), true
	case key.Matches(k, m.Keys.Unschedule) && several:
		return m.askBulk("change to drafts", schedctl.OpUnschedule, m.unschedulePosts), true
	}
	return nil, false
}

// allowed splits posts into those that an operation is allowed for and the others. reason
// says why it is not allowed for the first of the others.
func allowed(op schedctl.Operation, posts []apiv1.Post) (yes, no []apiv1.Post, reason string) {
	for _, p := range posts {
		var refused *schedctl.Error
		switch err := schedctl.CheckOperation(op, p.Status); {
		case op == schedctl.OpUnschedule && p.Status == schedctl.Draft:
			no, reason = append(no, p), "a draft stays as it is"
		case op == schedctl.OpArchive && p.ArchivedAt != nil:
			no, reason = append(no, p), "it is archived already"
		case screen.AsError(err, &refused):
			if no = append(no, p); len(no) == 1 {
				reason = refused.Message
			}
		default:
			yes = append(yes, p)
		}
	}
	return yes, no, reason
}

// usable returns the chosen posts that an operation is allowed for, and a sentence about the
// others. Without such posts it shows the reason and returns none.
func (m *Model) usable(op schedctl.Operation) (posts []apiv1.Post, left string) {
	yes, no, reason := allowed(op, m.chosen())
	switch {
	case len(yes) == 0 && len(no) == 0:
		m.ShowNotice("there is no post here: mark some with space, or select one")
	case len(yes) == 0:
		m.ShowError(reason)
	case len(no) > 0:
		left = screen.Plural(len(no), "marked post") + " cannot be part of it: " + reason
	}
	return yes, left
}

// askBulk asks before it changes the marked posts. Of one post it asks nothing if the change
// can be undone.
func (m *Model) askBulk(verb string, op schedctl.Operation, do func([]apiv1.Post) tea.Cmd) tea.Cmd {
	posts, left := m.usable(op)
	if len(posts) == 0 {
		return nil
	}
	if len(m.marks.Order) == 0 && op != schedctl.OpCancel {
		return do(posts)
	}
	question := []string{fmt.Sprintf("%s %s?", capital(verb), screen.Plural(len(posts), "post"))}
	const shown = 5
	for _, p := range posts[:min(len(posts), shown)] {
		question = append(question, "  "+screen.Excerpt(postlist.PostText(p), 120))
	}
	if n := len(posts) - shown; n > 0 {
		question = append(question, fmt.Sprintf("  and %d more", n))
	}
	if left != "" {
		question = append(question, left)
	}
	m.dialog = &screen.Confirm{Question: question, Yes: func() tea.Cmd { return do(posts) }}
	return nil
}

// capital returns a text that starts with a capital letter.
func capital(text string) string { return string(text[0]-'a'+'A') + text[1:] }

// archive puts posts away whose work is over.
func (m *Model) archive(posts []apiv1.Post) tea.Cmd {
	return m.startBulk(bulk{
		verb: "archived", backVerb: "unarchived", backLabel: "unarchive %s", posts: posts,
		call: func(ctx context.Context, c screen.Client, p apiv1.Post) (apiv1.Post, error) {
			return c.Archive(ctx, postlist.VersionOf(p))
		},
		back: func(ctx context.Context, c screen.Client, _, after apiv1.Post) (apiv1.Post, error) {
			return c.Unarchive(ctx, postlist.VersionOf(after))
		},
	})
}

// cancelPosts cancels posts. The undo creates copies of them.
func (m *Model) cancelPosts(posts []apiv1.Post) tea.Cmd {
	return m.startBulk(bulk{
		verb: "canceled", backVerb: "created copies of", backLabel: "create copies of %s", posts: posts,
		shown: func(p apiv1.Post) apiv1.Post {
			p.Status = schedctl.Canceled
			return p
		},
		call: func(ctx context.Context, c screen.Client, p apiv1.Post) (apiv1.Post, error) {
			return c.Cancel(ctx, postlist.VersionOf(p))
		},
		back: func(ctx context.Context, c screen.Client, _, after apiv1.Post) (apiv1.Post, error) {
			return c.Create(ctx, m.copyOf(after), "tui-again-"+after.ID)
		},
	})
}

// unschedulePosts changes scheduled posts to drafts.
func (m *Model) unschedulePosts(posts []apiv1.Post) tea.Cmd {
	return m.startBulk(bulk{
		verb: "changed to drafts:", backVerb: "scheduled", backLabel: "schedule %s again", posts: posts,
		shown: func(p apiv1.Post) apiv1.Post {
			p.Status, p.PublishAt = schedctl.Draft, nil
			return p
		},
		call: func(ctx context.Context, c screen.Client, p apiv1.Post) (apiv1.Post, error) {
			return c.Unschedule(ctx, postlist.VersionOf(p))
		},
		back: restorePost,
	})
}

// restorePost edits a post so that it is as before.
func restorePost(ctx context.Context, c screen.Client, before, after apiv1.Post) (apiv1.Post, error) {
	if before.Status == schedctl.Draft && after.Status == schedctl.Scheduled {
		p, err := c.Unschedule(ctx, postlist.VersionOf(after))
		if err != nil {
			return p, err
		}
		after = p
	}
	body := postlist.EditTo(before, after)
	if body == (apiv1.EditPost{}) {
		return after, nil
	}
	return c.Edit(ctx, postlist.VersionOf(after), body)
}

// enqueue gives posts the next free slots of a queue, in the order of their times.
func (m *Model) enqueue(posts []apiv1.Post, q apiv1.Queue) tea.Cmd {
	posts = slices.Clone(posts)
	slices.SortStableFunc(posts, func(a, b apiv1.Post) int {
		switch x, y := postlist.Planned(a), postlist.Planned(b); {
		case x == nil || y == nil:
			return 0
		default:
			return x.Compare(y.Time)
		}
	})
	id := q.ID
	return m.startBulk(bulk{
		verb: "queued in " + screen.OneLine(q.Name) + ":", backVerb: "took back", backLabel: "take %s back from the queue", posts: posts,
		call: func(ctx context.Context, c screen.Client, p apiv1.Post) (apiv1.Post, error) {
			if p.Status == schedctl.Draft {
				return c.Schedule(ctx, postlist.VersionOf(p), apiv1.SchedulePost{PublishAt: *apiv1.NextSlot(), QueueID: &id})
			}
			return c.Edit(ctx, postlist.VersionOf(p), apiv1.EditPost{PublishAt: apiv1.NextSlot(), QueueID: &id})
		},
		back: restorePost,
	})
}

// setLabels adds and removes labels of posts.
func (m *Model) setLabels(posts []apiv1.Post, add, remove []string) tea.Cmd {
	return m.startBulk(bulk{
		verb: "labeled", backVerb: "took back the labels of", backLabel: "take back the labels of %s", posts: posts,
		call: func(ctx context.Context, c screen.Client, p apiv1.Post) (apiv1.Post, error) {
			list := changedList(p.Labels, add, remove)
			return c.Edit(ctx, postlist.VersionOf(p), apiv1.EditPost{Labels: &list})
		},
		back: func(ctx context.Context, c screen.Client, before, after apiv1.Post) (apiv1.Post, error) {
			list := append([]string{}, before.Labels...)
			return c.Edit(ctx, postlist.VersionOf(after), apiv1.EditPost{Labels: &list})
		},
	})
}

// setAccounts adds and removes accounts of posts.
func (m *Model) setAccounts(posts []apiv1.Post, add, remove []string) tea.Cmd {
	return m.startBulk(bulk{
		verb: "changed the accounts of", backVerb: "restored the accounts of", backLabel: "restore the accounts of %s", posts: posts,
		call: func(ctx context.Context, c screen.Client, p apiv1.Post) (apiv1.Post, error) {
			list := changedList(p.SocialAccountIDs, add, remove)
			return c.Edit(ctx, postlist.VersionOf(p), apiv1.EditPost{SocialAccountIDs: &list})
		},
		back: restorePost,
	})
}

// changedList returns a list with some items added and others removed.
func changedList(list, add, remove []string) []string {
	out := slices.DeleteFunc(append([]string{}, list...), func(s string) bool { return slices.Contains(remove, s) })
	for _, s := range add {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
