package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// bulkStep is the number of posts that are changed before the screen shows the progress.
const bulkStep = 10

// bulk is a change of several posts, which is undone in one step.
type bulk struct {
	verb  string                        // what happens to the posts, for example: moved
	posts []apiv1.Post                  // before the change
	shown func(p apiv1.Post) apiv1.Post // how a post is shown until the daemon responds; nil for no change
	call  func(ctx context.Context, c screen.Client, p apiv1.Post) (apiv1.Post, error)

	back      func(ctx context.Context, c screen.Client, before, after apiv1.Post) (apiv1.Post, error) // undoes the change of one post; nil if it cannot
	backVerb  string                                                                                   // for example: moved back
	backLabel string                                                                                   // for example: move %s back
	anyway    func(refused []apiv1.Post) tea.Cmd                                                       // repeats what a blackout refuses; may be nil

	undoes  *postlist.Undo
	results []bulkResult
}

// bulkResult is the result for one post.
type bulkResult struct {
	before, after apiv1.Post
	err           error
}

// bulkMsg is the results of some posts.
type bulkMsg struct {
	bulk    *bulk
	results []bulkResult
}

// startBulk shows a change of several posts and sends it. Posts with another change in
// progress are left out, with a notice.
func (m *Model) startBulk(b bulk) tea.Cmd {
	b.posts = slices.DeleteFunc(slices.Clone(b.posts), func(p apiv1.Post) bool {
		_, pending := m.busy[p.ID]
		return pending || m.nudge.id == p.ID
	})
	if len(b.posts) == 0 {
		m.ShowNotice("the last change of this post is still being saved")
		return nil
	}
	shown := slices.Clone(b.posts)
	for i, p := range b.posts {
		m.busy[p.ID] = p
		if b.shown != nil {
			shown[i] = b.shown(p)
		}
	}
	m.previewAll(shown)
	return m.stepBulk(&b)
}

// stepBulk sends the change of the next posts. After a response that will be the same for
// all others, it sends no more.
func (m *Model) stepBulk(b *bulk) tea.Cmd {
	c, list := m.Client(), b.posts[len(b.results):]
	return m.Call(func(ctx context.Context) tea.Msg {
		msg := bulkMsg{bulk: b}
		for i, p := range list {
			after, err := b.call(ctx, c, p)
			msg.results = append(msg.results, bulkResult{p, after, err})
			if screen.NoResponse(err) || schedctl.CodeOf(err) == schedctl.RateLimited {
				for _, p := range list[i+1:] {
					msg.results = append(msg.results, bulkResult{before: p, err: err})
				}
				break
			}
			if i+1 == bulkStep {
				break
			}
		}
		return msg
	})
}

// takeBulk shows the results of some posts, and continues with the others.
func (m *Model) takeBulk(msg bulkMsg) tea.Cmd {
	b := msg.bulk
	var cmds []tea.Cmd
	selected := m.selectedID()
	for _, r := range msg.results {
		before := m.busy[r.before.ID]
		delete(m.busy, r.before.ID)
		m.preview(before) // restore the old time, by which the list finds the post
		shown := before
		if r.err != nil {
			cmds = append(cmds, m.MarkStale(r.before.ID))
		} else {
			if shown = postlist.Newer(before, r.after); r.after.ID != before.ID {
				shown = r.after // a copy
			}
			m.ApplyPost(shown)
			m.marks.Drop(r.before.ID)
			if b.undoes != nil {
				m.undos.Rebase(&postlist.Undo{At: screen.Version{ID: r.after.ID}, From: b.wasVersion(r)}, r.after)
			}
		}
		if r.before.ID == selected {
			m.follow(shown)
		}
	}
	if b.results = append(b.results, msg.results...); len(b.results) < len(b.posts) {
		m.ShowNotice(fmt.Sprintf("%s: %d of %d", b.verb, len(b.results), len(b.posts)))
		return tea.Batch(append(cmds, m.stepBulk(b))...)
	}
	m.RefreshSlots()
	m.finishBulk(b)
	return tea.Batch(cmds...)
}

// wasVersion returns the version of a post before the change that an undo reverts.
func (b *bulk) wasVersion(r bulkResult) int64 {
	if v, ok := b.undoes.Versions[r.before.ID]; ok {
		return v
	}
	return 0
}

// finishBulk reports the results of all posts, and offers to undo the change.
func (m *Model) finishBulk(b *bulk) {
	var done, failed, blacked []bulkResult
	for _, r := range b.results {
		switch {
		case r.err == nil:
			done = append(done, r)
		case schedctl.CodeOf(r.err) == schedctl.InBlackout:
			blacked = append(blacked, r)
			fallthrough
		default:
			failed = append(failed, r)
		}
	}
	if len(failed) == 0 {
		m.ShowNotice(b.verb + " " + screen.Plural(len(done), "post"))
	} else {
		first := failed[0]
		m.ShowError(fmt.Sprintf("%s %d of %d posts; %s: %s", b.verb, len(done), len(b.results), postlist.Quoted(first.before),
			m.Refusal(postlist.Change{Post: first.before}, first.err)))
	}
	m.OfferUndo(b.undo(m, done, failed))
	if len(blacked) > 0 && b.anyway != nil && m.dialog == nil && !m.quitting {
		refused := make([]apiv1.Post, len(blacked))
		for i, r := range blacked {
			refused[i] = r.before
		}
		m.notice = notice{}
		m.dialog = &screen.Confirm{Question: []string{"Use " + screen.Plural(len(refused), "time") + " in spite of a blackout?", postlist.BlackoutText(blacked[0].err)},
			Yes: func() tea.Cmd { return b.anyway(refused) }}
	}
}

// undo returns the undo of the posts that were changed. After an undo it returns one for the
// posts that may not be as before, or nil.
func (b *bulk) undo(m *Model, done, failed []bulkResult) *postlist.Undo {
	if b.undoes != nil {
		left := slices.DeleteFunc(failed, func(r bulkResult) bool {
			return !screen.NoResponse(r.err) && schedctl.CodeOf(r.err) != schedctl.RateLimited
		})
		if len(left) > 0 {
			return b.undoes
		}
		return nil
	}
	if len(done) == 0 {
		return nil
	}
	if b.back == nil {
		return &postlist.Undo{Why: screen.Plural(len(done), "post") + " " + b.verb + ": that cannot be undone"}
	}
	befores, afters, versions := map[string]apiv1.Post{}, []apiv1.Post{}, map[string]int64{}
	for _, r := range done {
		befores[r.after.ID], versions[r.after.ID] = r.before, r.before.Version
		afters = append(afters, r.after)
	}
	return &postlist.Undo{
		Label: strings.Replace(b.backLabel, "%s", screen.Plural(len(done), "post"), 1), Versions: versions,
		Run: func(u *postlist.Undo) tea.Cmd {
			return m.startBulk(bulk{
				verb: "undone: " + b.backVerb, posts: afters, undoes: u,
				shown: func(p apiv1.Post) apiv1.Post {
					shown := befores[p.ID]
					shown.Version = p.Version
					return shown
				},
				call: func(ctx context.Context, c screen.Client, p apiv1.Post) (apiv1.Post, error) {
					return b.back(ctx, c, befores[p.ID], p)
				},
			})
		},
	}
}
