package tui

import (
	"context"
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// reviewPages is the maximum number of pages of the daemon that are sorted together.
const reviewPages = 10

// reviewReader returns a function that reads posts as [Client.Posts] does, several pages
// at once, and also in the order of their proposed times. After the last page it adds rows
// for series, and returns these series.
func reviewReader(c screen.Client) func(context.Context, screen.Query) (apiv1.PostList, []apiv1.Series, error) {
	return func(ctx context.Context, q screen.Query) (all apiv1.PostList, pending []apiv1.Series, err error) {
		asked, byTime := q, q.Sort == postlist.SortProposed
		if byTime {
			q.Sort = "created_at"
		}
		for range reviewPages {
			list, err := c.Posts(ctx, q)
			if err != nil {
				return apiv1.PostList{}, nil, unlessNoApprovals(err)
			}
			all.Results, all.NextCursor = append(all.Results, list.Results...), list.NextCursor
			if list.NextCursor == nil {
				break
			}
			q.Cursor = *list.NextCursor
		}
		if all.Count = len(all.Results); byTime {
			slices.SortStableFunc(all.Results, postlist.CompareProposed)
		}
		if all.NextCursor == nil {
			pending, err = addPendingSeries(ctx, c, asked, &all)
		}
		return all, pending, err
	}
}

// unlessNoApprovals returns nil for the error of a daemon that has no approvals yet.
func unlessNoApprovals(err error) error {
	var refused *schedctl.Error
	if screen.AsError(err, &refused) && refused.Code == schedctl.ValidationFailed && refused.Field == "approval" {
		return nil
	}
	return err
}

// reviewers is what is known about the API keys that ask for approvals.
type reviewers struct {
	kinds           map[string]string // by the id of the key
	loaded, loading bool
}

// keysMsg is the API keys of the workspace.
type keysMsg struct{ list []apiv1.APIKey }

// fillKeys requests the API keys if the screen shows who asked for an approval, and if the
// key of the browser may see them.
func (m *Model) fillKeys() tea.Cmd {
	r := &m.reviewers
	if r.loaded || r.loading || !slices.Contains(m.cfg.Key.Scopes, schedctl.ScopeKeysWrite) {
		return nil
	}
	p, ok := m.currentPost()
	if m.tab != tabReview && (!ok || p.Approval == nil || !m.detail.Open && !m.isSplit()) {
		return nil
	}
	r.loading = true
	c := m.Client()
	return m.Call(func(ctx context.Context) tea.Msg {
		list, err := c.APIKeys(ctx)
		if err != nil {
			return keysMsg{} // the names of the keys are in the posts
		}
		return keysMsg{list: list}
	})
}

func (m *Model) takeKeys(msg keysMsg) {
	m.reviewers = reviewers{kinds: map[string]string{}, loaded: true}
	for _, k := range msg.list {
		m.reviewers.kinds[k.ID] = k.Kind
	}
}

// handleReviewKey handles a key of the review of a post, and reports whether it was one.
func (m *Model) handleReviewKey(k tea.KeyMsg, p apiv1.Post) (cmd tea.Cmd, ok bool) {
	switch {
	case key.Matches(k, m.Keys.Approve):
		cmd = m.decide(p, stepApprove, schedctl.OpApprove)
	case key.Matches(k, m.Keys.Cancel) && postlist.IsPending(p):
		cmd = m.decide(p, stepChanges, schedctl.OpRequestChanges)
	case key.Matches(k, m.Keys.Submit):
		cmd = m.submit(p)
	case key.Matches(k, m.Keys.Withdraw):
		cmd = m.ifReviewable(p, schedctl.OpWithdraw, func() tea.Cmd { return m.askWithdraw(p) })
	case key.Matches(k, m.Keys.Note):
		cmd = m.openReview(p, stepNote)
	default:
		return nil, false
	}
	return cmd, true
}

// ifReviewable is ifAllowed for the steps of a review. They are also allowed for a post that
// has failed for lack of an approval.
func (m *Model) ifReviewable(p apiv1.Post, op schedctl.Operation, do func() tea.Cmd) tea.Cmd {
	lacksApproval := func(t apiv1.Target) bool { return t.Error != nil && t.Error.Kind == schedctl.KindApproval }
	if !slices.ContainsFunc(postlist.FailedTargets(p), lacksApproval) {
		return m.ifAllowed(p, op, do)
	}
	if m.changePending(p.ID) {
		return nil
	}
	return do()
}

// decide opens the form for a decision about a post, unless the key of the browser may not
// decide.
func (m *Model) decide(p apiv1.Post, step reviewStep, op schedctl.Operation) tea.Cmd {
	return m.ifReviewable(p, op, func() tea.Cmd {
		switch own := m.cfg.Key; {
		case postlist.HasApproval(p, schedctl.ApprovalChangesRequested):
			m.ShowError("changes were requested: A asks for approval again")
		case !postlist.IsPending(p) && (op != schedctl.OpRequestChanges || !postlist.HasApproval(p, schedctl.ApprovalApproved)):
			m.ShowError("the " + postlist.Noun(p) + " does not wait for an approval: A asks for one")
		case !m.mayApprove():
			m.ShowError(postlist.NoApproverText)
		case own.ID != "" && own.ID == p.Approval.RequestedBy.ID:
			m.ShowError(postlist.OwnRequestText)
		default:
			return m.openReview(p, step)
		}
		return nil
	})
}

// mayApprove reports whether the key of the browser may decide about posts of others, or is
// not known.
func (m *Model) mayApprove() bool {
	return m.cfg.Key.ID == "" || slices.Contains(m.cfg.Key.Scopes, schedctl.ScopePostsApprove)
}

// submit opens the form that asks for an approval.
func (m *Model) submit(p apiv1.Post) tea.Cmd {
	return m.ifReviewable(p, schedctl.OpSubmit, func() tea.Cmd {
		switch {
		case postlist.IsPending(p):
			m.ShowNotice("the post waits for an approval already")
		case len(p.SocialAccountIDs) == 0:
			m.ShowError("the post has no account: press i to choose one")
		default:
			return m.openReview(p, stepSubmit)
		}
		return nil
	})
}

// askWithdraw asks whether to end the wait for an approval.
func (m *Model) askWithdraw(p apiv1.Post) tea.Cmd {
	if p.Approval == nil || postlist.HasApproval(p, schedctl.ApprovalWithdrawn) {
		m.ShowError("the " + postlist.Noun(p) + " does not wait for an approval, and has none")
		return nil
	}
	before := *p.Approval
	shown, approval := p, before
	approval.State = schedctl.ApprovalWithdrawn
	shown.Approval = &approval
	if postlist.IsSeries(p) {
		m.dialog = m.withdrawSeries(p, shown)
		return nil
	}
	m.dialog = &screen.Confirm{
		Question: []string{"Withdraw this post from review? It is a draft then, and can be submitted again.", "", screen.Excerpt(postlist.PostText(p), 200)},
		Yes: func() tea.Cmd {
			c := m.Client()
			return m.startChange(postlist.Change{
				Post: p, Shown: shown, Done: "withdrawn from review",
				Call: func(ctx context.Context) (apiv1.Post, error) { return c.Withdraw(ctx, postlist.VersionOf(p)) },
				Undo: func(after apiv1.Post) *postlist.Undo {
					if before.State != schedctl.ApprovalPending {
						return &postlist.Undo{Why: "cannot undo the withdrawal of " + postlist.Quoted(p) + ": A asks for approval again"}
					}
					return &postlist.Undo{
						Label: "ask again for the approval of " + postlist.Quoted(p), At: postlist.VersionOf(after), From: p.Version,
						Run: func(u *postlist.Undo) tea.Cmd { return m.submitAgain(u, after, before) },
					}
				},
			})
		},
	}
	return nil
}

// submitAgain undoes a withdrawal: it asks for the approval again, with the same note.
func (m *Model) submitAgain(u *postlist.Undo, p apiv1.Post, before apiv1.Approval) tea.Cmd {
	if newest, ok := m.newestKnown(u.At.ID); ok {
		p = newest
	}
	p.ID, p.Version = u.At.ID, u.At.Number
	shown := p
	shown.Approval = &before
	c, at := m.Client(), u.At
	return m.startChange(postlist.Change{
		Post: p, Shown: shown, Done: "undone: the post waits for approval", Undoes: u,
		Call: func(ctx context.Context) (apiv1.Post, error) {
			return c.Submit(ctx, at, apiv1.SubmitPost{Note: before.Note}, "tui-submit-"+newID(p.ID, at.Number))
		},
	})
}
