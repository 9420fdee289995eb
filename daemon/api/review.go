package api

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/storage"
)

// submitPost handles POST /posts/{id}/submit.
func (s *Server) submitPost(ctx context.Context, c *request, b submitPost) (response, error) {
	return s.changePost(ctx, c, http.StatusOK, schedctl.OpSubmit, func(r storage.Reader, p *schedctl.Post) ([]schedctl.Event, error) {
		if err := settleAll(r, p); err != nil {
			return nil, err
		}
		return p.Submit(schedctl.Submission{By: c.Key.Actor(), Note: b.note, Proposed: b.proposed}, c.Now)
	})
}

// approvePost handles POST /posts/{id}/approve.
func (s *Server) approvePost(ctx context.Context, c *request, b approvePost) (response, error) {
	slot := slotTaker{c: c, choice: b.slotChoice}
	return s.changeFitting(ctx, c, http.StatusOK, schedctl.OpApprove, func(r storage.Reader, p *schedctl.Post, known *contentChecks) ([]schedctl.Event, error) {
		c.decides(p)
		if err := slot.lockChosen(r, known); err != nil {
			return nil, err
		}
		if _, err := c.launchAccounts(r, p, nil); err != nil { // they must still be connected
			return nil, err
		}
		if p.Status() == schedctl.Failed && b.publishAt == (schedctl.ProposedTime{}) {
			return p.Approve(schedctl.Decision{By: c.Key.Actor(), Note: b.note}, c.Now)
		}
		if err := p.CheckApproval(c.Key.Actor()); err != nil { // before errors about the time
			return nil, err
		}
		at, err := b.publishTime(p)
		if err != nil {
			return nil, err
		}
		taken, was := slots.Taken{At: at.At}, *p
		if at.NextSlot {
			if taken, err = slot.take(r, p, nil, known); err != nil {
				return nil, err
			}
		}
		events, err := p.Approve(schedctl.Decision{By: c.Key.Actor(), Note: b.note, PublishAt: taken.At, Booking: taken.Booking}, c.Now)
		if err == nil && !b.allowBlackout {
			err = c.refuseEditInBlackout(r, &was, p)
		}
		if err != nil {
			return nil, err
		}
		return events, s.checkChanged(ctx, r, p, changeOptions{by: c.Key.Actor(), now: c.Now}, known)
	})
}

// requestChanges handles POST /posts/{id}/request-changes.
func (s *Server) requestChanges(ctx context.Context, c *request, b requestChanges) (response, error) {
	return s.changePost(ctx, c, http.StatusOK, schedctl.OpRequestChanges, func(_ storage.Reader, p *schedctl.Post) ([]schedctl.Event, error) {
		c.decides(p)
		return p.RequestChanges(schedctl.Decision{By: c.Key.Actor(), Note: b.note}, c.Now)
	})
}

// withdrawPost handles POST /posts/{id}/withdraw.
func (s *Server) withdrawPost(ctx context.Context, c *request) (response, error) {
	return s.changePost(ctx, c, http.StatusOK, schedctl.OpWithdraw, func(_ storage.Reader, p *schedctl.Post) ([]schedctl.Event, error) {
		return p.Withdraw(c.Key.Actor(), c.Now)
	})
}

// listNotes handles GET /posts/{id}/notes.
func (s *Server) listNotes(ctx context.Context, c *request) (response, error) {
	if q := parseQuery(c.query, nil, nil); q.err != nil {
		return response{}, q.err
	}
	post, err := storage.Read(ctx, s.view, c.post)
	if err != nil {
		return response{}, err
	}
	return newResponse(http.StatusOK, apiv1.PostNoteList{Results: convert(post.Notes, apiv1.NewPostNote), Count: len(post.Notes)})
}

// addNote handles POST /posts/{id}/notes. The version of the post stays.
func (s *Server) addNote(ctx context.Context, c *request, text string) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		post, err := c.post(tx)
		if err != nil {
			return response{}, err
		}
		note, err := post.AddNote(c.Key.Actor(), text, c.Now)
		if err != nil {
			return response{}, err
		}
		if err := tx.PutPost(post); err != nil {
			return response{}, err
		}
		return newResponse(http.StatusCreated, apiv1.PostNoteEnvelope{Note: apiv1.NewPostNote(note)})
	})
}

// refuseUnapproved returns an error if the actor may not start a post again without an
// approval. Otherwise the retry would fail without a request.
func refuseUnapproved(r storage.Reader, p *schedctl.Post, by schedctl.Actor) error {
	var accounts []schedctl.Account
	for _, id := range p.AccountIDs() {
		a, err := r.Account(p.WorkspaceID, id)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			continue
		}
		if err != nil {
			return err
		}
		accounts = append(accounts, a)
	}
	return p.CheckApproved(by, accounts)
}

// decides writes the key that asked for the approval to the audit log, next to the key of
// the request.
func (c *request) decides(p *schedctl.Post) {
	if p.Approval != nil {
		c.Detail = "requested by " + p.Approval.RequestedBy.ID
	}
}

// maxReviewedUsers is how many posts with a file are read to find one under review.
const maxReviewedUsers = 1000

// refuseReviewed returns an error if a post that is to be published with the asset waits
// for an approval or is approved: reviewers have seen the alt text.
func (c *request) refuseReviewed(r storage.Reader, a *schedctl.MediaAsset) error {
	ids, err := r.MediaUsers(a.ID, maxReviewedUsers)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, isSeries := schedctl.ParseID(schedctl.SeriesPrefix, id); isSeries {
			if err := c.refuseReviewedSeries(r, a.WorkspaceID, id); err != nil {
				return err
			}
			continue
		}
		p, err := r.Post(a.WorkspaceID, id)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			continue
		}
		if err != nil || !p.NeedsMedia() {
			return err // posts that need the file come first
		}
		if p.Approval != nil && (p.Approval.State == schedctl.ApprovalPending || p.Approval.State == schedctl.ApprovalApproved) {
			name := "a post"
			if c.MaySee(&p) {
				name = p.ID
			}
			return schedctl.Errorf(schedctl.ApprovalMissing, "alt_text", "%s shows this file, and its review covers the alt text; change the alt text in the post, or withdraw the post from review first", name)
		}
	}
	return nil
}

// refuseReviewedSeries is refuseReviewed for a series that uses the asset.
func (c *request) refuseReviewedSeries(r storage.Reader, workspaceID, id string) error {
	one, err := r.Series(workspaceID, id)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return nil
	}
	a := one.Template.Approval
	if err != nil || one.State == schedctl.SeriesEnded || a == nil || a.State != schedctl.ApprovalPending && a.State != schedctl.ApprovalApproved {
		return err
	}
	name := "a series"
	if c.MaySee(&one.Template) {
		name = one.ID
	}
	return schedctl.Errorf(schedctl.ApprovalMissing, "alt_text", "%s shows this file, and its review covers the alt text; change the alt text in the series, or withdraw the series from review first", name)
}
