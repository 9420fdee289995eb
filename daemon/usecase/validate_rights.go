package usecase

import (
	"errors"
	"slices"

	"github.com/schedctl/schedctl"
)

// addRefusals adds why the key could not make the request for the post: its rights, and
// approvals that the post lacks. The post itself has no problem.
func (v *validation) addRefusals() error {
	refusal := v.mayRequest()
	if refusal == nil && v.result.Allowed {
		refusal = v.mayStart()
	}
	var known *schedctl.Error
	if refusal != nil && !errors.As(refusal, &known) {
		return refusal
	}
	v.result.Refusals = append(v.result.Refusals, problemsOf(refusal)...)
	return nil
}

// mayRequest returns the error with which the rights of the key refuse the request, or nil.
func (v *validation) mayRequest() error {
	c, b := v.request, &v.body
	if c.draftsOnly() && !c.Key.Allows(schedctl.ScopePostsDraft) {
		return schedctl.Errorf(schedctl.InsufficientScope, "", "this API key only reads; use a key with the scope posts:write or posts:draft")
	}
	if err := c.mayWrite(b.Now || b.NextSlot || !b.PublishAt.IsZero() || b.Replaces != "", b.Source); err != nil || v.postID == "" {
		return err
	}
	p, err := c.PostByID(v.r, v.postID)
	if err != nil {
		return err
	}
	if c.draftsOnly() && p.Status() != schedctl.Draft {
		return errDraftsOnly
	}
	return c.mayChange(&p, schedctl.OpEdit)
}

// mayStart returns the error of a valid post that needs an approval, or nil.
func (v *validation) mayStart() error {
	n := v.body.NewPost
	n.Accounts = v.foundAccounts
	by, err := v.request.reviewer(v.r)
	if err != nil {
		return err
	}
	if n.By = by; v.postID == "" {
		p, _, err := schedctl.Create(n, v.request.Now)
		if err != nil {
			return nil // the problems of the post name it
		}
		return v.mayLeaveStarted(&start{post: &p, accounts: v.foundAccounts})
	}
	p, err := v.request.PostByID(v.r, v.postID)
	if err != nil || p.CheckOperation(schedctl.OpEdit) != nil {
		return err
	}
	edit := schedctl.Edit{ContentChange: n.Content.ChangeTo(), Overrides: &n.Overrides, By: by, Source: n.Source}
	if !slices.Equal(slices.Sorted(slices.Values(p.AccountIDs())), slices.Sorted(slices.Values(v.body.AccountIDs))) {
		edit.Accounts = &n.Accounts
	}
	if !n.PublishAt.Equal(p.PublishAt) {
		edit.PublishAt, edit.Booking = n.PublishAt, n.Booking
	}
	was := p
	events, err := p.Edit(edit, v.request.Now)
	if schedctl.CodeOf(err) == schedctl.ApprovalMissing {
		return err
	}
	if err == nil && n.Now {
		events, err = p.PublishNow(nil, v.request.Now)
	}
	if err != nil || len(events) == 0 {
		return nil
	}
	return editRefusal(v.mayLeaveStarted(&start{post: &p, was: &was, accounts: v.foundAccounts}), &was, &p)
}
