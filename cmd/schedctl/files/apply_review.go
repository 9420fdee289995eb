package files

import (
	"context"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// review changes a request for a post with a time: with --submit the time is proposed, and
// with --approved-by the post is approved.
func (p *planner) review(s *step, at **apiv1.PublishTime, proposed **apiv1.ProposedTime, approvedBy **string) error {
	switch {
	case !s.wanted.timed():
	case p.approvedBy != "":
		*approvedBy = &p.approvedBy
	case p.submit && s.wanted.At == "":
		return cli.InvalidError(schedctl.ValidationFailed, "a post with a queue cannot be submitted from a file; give it a time with \"at\"")
	case p.submit:
		*proposed, *at = &apiv1.ProposedTime{Time: s.wanted.moment.Time}, nil
	}
	return nil
}

// approvesWaiting reports whether --approved-by approves a draft that waits for an approval
// and is as its file describes it.
func (p *planner) approvesWaiting(s *step) bool {
	return p.approvedBy != "" && s.wanted.At != "" && inReview(s.post)
}

// reviewEdit is review for an edit. A post that is scheduled keeps its time and its
// approval if its text stays.
func (p *planner) reviewEdit(s *step, edit *apiv1.EditPost) error {
	if p.submit && s.post.Status != schedctl.Draft {
		return nil
	}
	return p.review(s, &edit.PublishAt, &edit.ProposedAt, &edit.ApprovedBy)
}

// reviewAgain makes a scheduled, approved post a draft and edits it.
func (p *planner) reviewAgain(ctx context.Context, s *step, edit apiv1.EditPost) error {
	post, err := p.client.UnschedulePost(ctx, s.post.ID, client.IfVersion(s.post.Version))
	if err != nil {
		return err
	}
	s.post = post
	if err := p.reviewEdit(s, &edit); err != nil {
		return err
	}
	return p.edit(ctx, s, edit)
}

// submitDraft submits the draft of a file with a time, with --submit.
func (p *planner) submitDraft(ctx context.Context, s *step) error {
	if !p.submit || s.wanted.doc == nil || !s.wanted.timed() || s.post.Status != schedctl.Draft {
		return nil
	}
	if a := s.post.Approval; a != nil && a.State == schedctl.ApprovalPending {
		return nil
	}
	post, err := p.client.SubmitPost(ctx, s.post.ID, apiv1.SubmitPost{}, client.IfVersion(s.post.Version))
	if err == nil {
		s.post, s.Message = post, "waits for an approval"
	}
	return err
}

// inReview reports whether the proposed time of a draft stands for the time in its file:
// there is a review, or an apply was interrupted before it asked for one. Other drafts have
// a proposed time that was theirs before another client unscheduled them.
func inReview(p apiv1.Post) bool {
	return p.Status == schedctl.Draft && p.Managed != nil && p.ProposedAt != nil && !p.ProposedAt.NextSlot &&
		(p.Approval != nil || p.Version == 1)
}
