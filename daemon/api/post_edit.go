package api

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// editPost handles PATCH /posts/{id}.
func (s *Server) editPost(ctx context.Context, c *request, b editPost) (response, error) {
	if c.draftsOnly() && b.publishAt.schedules() {
		return response{}, errDraftsOnly
	}
	if err := b.mayReview(&c.Key); err != nil {
		return response{}, err
	}
	c.Detail = b.approvedBy
	slot := slotTaker{c: c, choice: b.slotChoice}
	edit := schedctl.Edit{ContentChange: b.ContentChange, Overrides: b.overrides, PublishAt: b.publishAt.at, Annotation: b.Annotation,
		Proposed: b.proposed, By: b.by, Source: b.approvedBy}
	op := edit.Operation()
	if b.accountIDs != nil || b.publishAt.given {
		op = schedctl.OpEdit
	}
	return s.changeFitting(ctx, c, http.StatusOK, op, func(r storage.Reader, p *schedctl.Post, known *contentChecks) ([]schedctl.Event, error) {
		if c.draftsOnly() && p.Status() != schedctl.Draft {
			return nil, errDraftsOnly
		}
		if b.publishAt.null && p.Status() == schedctl.Scheduled {
			return nil, schedctl.Errorf(schedctl.InvalidPublishAt, "publish_at", "a scheduled post needs a time; give a new time, or cancel the post")
		}
		change, err := c.editTime(r, p, &b, edit, &slot, known)
		if err != nil {
			return nil, err
		}
		if err := c.refuseTaken(r, p, b.ExternalID); err != nil {
			return nil, err
		}
		if err := s.attachEdit(r, c, &b, &change); err != nil {
			return nil, err
		}
		was := *p
		events, err := p.Edit(change, c.Now)
		if err == nil && b.Style != nil {
			err = s.checkStyleOf(r, p)
		}
		if err == nil && !b.allowBlackout {
			err = c.refuseEditInBlackout(r, &was, p)
		}
		if err == nil && change.Accounts != nil && change.PublishAt.IsZero() {
			err = c.checkSlotStays(r, p, was.AccountIDs())
		}
		if err != nil || len(events) == 0 {
			return events, err
		}
		err = s.checkChanged(ctx, r, p, changeOptions{c.Key.Actor(), c.Now, change.Overrides, b.allowDuplicate}, known)
		if schedctl.CodeOf(err) == schedctl.ApprovalMissing && was.Status() == schedctl.Scheduled {
			err = errEditNeedsApproval
		}
		return events, err
	})
}

// errEditNeedsApproval is the error for an edit that another key has to approve. Only drafts
// can be submitted.
var errEditNeedsApproval = schedctl.Errorf(schedctl.ApprovalMissing, "",
	"the edited post needs the approval of another key; make it a draft (schedctl post unschedule, POST /posts/{id}/unschedule), then edit and submit it")

// checkStyleOf is checkStyle for the style of a changed post.
func (s *Server) checkStyleOf(r storage.Reader, p *schedctl.Post) error {
	assets, err := s.assetsOf(r, p)
	if err != nil {
		return err
	}
	return checkStyle(&p.Style, p.Text, p.Media, assets)
}

// attachEdit sets the fields of an edit that have media, with the hashes of their assets.
func (s *Server) attachEdit(r storage.Reader, c *request, b *editPost, change *schedctl.Edit) error {
	attach := s.attacher(r, c.Key.WorkspaceID)
	if b.overrides != nil {
		list, err := attach.overrides(*b.overrides)
		if err != nil {
			return err
		}
		change.Overrides = &list
	}
	attached, err := attach.content(b.contentBody)
	change.ContentChange = attached
	return err
}

// editTime returns the edit with its accounts, and with the slot that it takes.
func (c *request) editTime(r storage.Reader, p *schedctl.Post, b *editPost, edit schedctl.Edit, slot *slotTaker, known *contentChecks) (schedctl.Edit, error) {
	if b.publishAt.nextSlot {
		if err := slot.lock(r, known); err != nil {
			return edit, err
		}
	}
	accounts, err := c.editAccounts(r, p, *b)
	if edit.Accounts = accounts; err != nil || !b.publishAt.nextSlot {
		return edit, err
	}
	taken, err := slot.take(r, p, accounts, known)
	edit.PublishAt, edit.Booking = taken.At, taken.Booking
	return edit, err
}

// editAccounts resolves the accounts of an edited post, nil when they stay.
func (c *request) editAccounts(r storage.Reader, p *schedctl.Post, b editPost) (*[]schedctl.Account, error) {
	if b.publishAt.schedules() {
		return c.launchAccounts(r, p, b.accountIDs)
	}
	return c.accountList(r, b.accountIDs)
}
