// Package review is the review of posts and series: the form in which people approve,
// request changes, ask for an approval and write notes.
package review

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

// Frame is what the review asks of the program around it.
type Frame interface {
	postlist.Frame
	// NotesChanged has the notes of a post read again where they are shown.
	NotesChanged(id string)
	// Decided shows a post or series after a step of its review.
	Decided(p apiv1.Post)
	// ReloadKeys has the API keys that may ask for approvals read again.
	ReloadKeys()
}

// Review handles the keys of reviews, and their forms.
type Review struct {
	frame Frame
	key   apiv1.APIKey // of the browser; zero if it is not known
}

// New returns the review for the key of the browser, which may be zero.
func New(f Frame, key apiv1.APIKey) *Review { return &Review{frame: f, key: key} }

// Handle handles the messages of the review. It ignores others.
func (r *Review) Handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case notesMsg:
		msg.form.notes = msg.notes
		if msg.err != nil {
			msg.form.fault = "the notes cannot be read: " + screen.Explain(msg.err)
		}
	case reviewedMsg:
		return r.takeReviewed(msg)
	}
	return nil
}

// HandleKey handles a key of the review of a post, and reports whether it was one.
func (r *Review) HandleKey(k tea.KeyMsg, p apiv1.Post) (cmd tea.Cmd, ok bool) {
	switch {
	case key.Matches(k, r.keyMap().Approve):
		cmd = r.decide(p, stepApprove, schedctl.OpApprove)
	case key.Matches(k, r.keyMap().Cancel) && postlist.IsPending(p):
		cmd = r.decide(p, stepChanges, schedctl.OpRequestChanges)
	case key.Matches(k, r.keyMap().Submit):
		cmd = r.submit(p)
	case key.Matches(k, r.keyMap().Withdraw):
		cmd = r.ifReviewable(p, schedctl.OpWithdraw, func() tea.Cmd { return r.askWithdraw(p) })
	case key.Matches(k, r.keyMap().Note):
		cmd = r.openReview(p, stepNote)
	default:
		return nil, false
	}
	return cmd, true
}

// ifReviewable is IfAllowed for the steps of a review. They are also allowed for a post that
// has failed for lack of an approval.
func (r *Review) ifReviewable(p apiv1.Post, op schedctl.Operation, do func() tea.Cmd) tea.Cmd {
	lacksApproval := func(t apiv1.Target) bool { return t.Error != nil && t.Error.Kind == schedctl.KindApproval }
	if !slices.ContainsFunc(postlist.FailedTargets(p), lacksApproval) {
		return r.frame.IfAllowed(p, op, do)
	}
	if r.frame.ChangePending(p.ID) {
		return nil
	}
	return do()
}

// decide opens the form for a decision about a post, unless the key of the browser may not
// decide.
func (r *Review) decide(p apiv1.Post, step step, op schedctl.Operation) tea.Cmd {
	return r.ifReviewable(p, op, func() tea.Cmd {
		switch own := r.key; {
		case postlist.HasApproval(p, schedctl.ApprovalChangesRequested):
			r.frame.ShowError("changes were requested: A asks for approval again")
		case !postlist.IsPending(p) && (op != schedctl.OpRequestChanges || !postlist.HasApproval(p, schedctl.ApprovalApproved)):
			r.frame.ShowError("the " + postlist.Noun(p) + " does not wait for an approval: A asks for one")
		case !r.MayApprove():
			r.frame.ShowError(postlist.NoApproverText)
		case own.ID != "" && own.ID == p.Approval.RequestedBy.ID:
			r.frame.ShowError(postlist.OwnRequestText)
		default:
			return r.openReview(p, step)
		}
		return nil
	})
}

// MayApprove reports whether the key of the browser may decide about posts of others, or is
// not known.
func (r *Review) MayApprove() bool {
	return r.key.ID == "" || slices.Contains(r.key.Scopes, schedctl.ScopePostsApprove)
}

// submit opens the form that asks for an approval.
func (r *Review) submit(p apiv1.Post) tea.Cmd {
	return r.ifReviewable(p, schedctl.OpSubmit, func() tea.Cmd {
		switch {
		case postlist.IsPending(p):
			r.frame.ShowNotice("the post waits for an approval already")
		case len(p.SocialAccountIDs) == 0:
			r.frame.ShowError("the post has no account: press i to choose one")
		default:
			return r.openReview(p, stepSubmit)
		}
		return nil
	})
}

// askWithdraw asks whether to end the wait for an approval.
func (r *Review) askWithdraw(p apiv1.Post) tea.Cmd {
	if p.Approval == nil || postlist.HasApproval(p, schedctl.ApprovalWithdrawn) {
		r.frame.ShowError("the " + postlist.Noun(p) + " does not wait for an approval, and has none")
		return nil
	}
	before := *p.Approval
	shown, approval := p, before
	approval.State = schedctl.ApprovalWithdrawn
	shown.Approval = &approval
	if postlist.IsSeries(p) {
		r.frame.Open(r.withdrawSeries(p, shown))
		return nil
	}
	r.frame.Open(&screen.Confirm{
		Question: []string{"Withdraw this post from review? It is a draft then, and can be submitted again.", "", screen.Excerpt(postlist.PostText(p), 200)},
		Yes: func() tea.Cmd {
			c := r.frame.Client()
			return r.frame.StartChange(postlist.Change{
				Post: p, Shown: shown, Done: "withdrawn from review",
				Call: func(ctx context.Context) (apiv1.Post, error) { return c.Withdraw(ctx, postlist.VersionOf(p)) },
				Undo: func(after apiv1.Post) *postlist.Undo {
					if before.State != schedctl.ApprovalPending {
						return &postlist.Undo{Why: "cannot undo the withdrawal of " + postlist.Quoted(p) + ": A asks for approval again"}
					}
					return &postlist.Undo{
						Label: "ask again for the approval of " + postlist.Quoted(p), At: postlist.VersionOf(after), From: p.Version,
						Run: func(u *postlist.Undo) tea.Cmd { return r.submitAgain(u, after, before) },
					}
				},
			})
		},
	})
	return nil
}

// submitAgain undoes a withdrawal: it asks for the approval again, with the same note.
func (r *Review) submitAgain(u *postlist.Undo, p apiv1.Post, before apiv1.Approval) tea.Cmd {
	if newest, ok := r.frame.NewestKnown(u.At.ID); ok {
		p = newest
	}
	p.ID, p.Version = u.At.ID, u.At.Number
	shown := p
	shown.Approval = &before
	c, at := r.frame.Client(), u.At
	return r.frame.StartChange(postlist.Change{
		Post: p, Shown: shown, Done: "undone: the post waits for approval", Undoes: u,
		Call: func(ctx context.Context) (apiv1.Post, error) {
			return c.Submit(ctx, at, apiv1.SubmitPost{Note: before.Note}, "tui-submit-"+screen.NewID(p.ID, at.Number))
		},
	})
}

func (r *Review) keyMap() *screen.KeyMap { return &r.frame.Current().Keys }

func (d *form) keyMap() *screen.KeyMap { return d.review.keyMap() }
