package usecase

import (
	"context"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/duplicate"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/storage"
)

// Allow says which checks a request overrides.
type Allow struct{ Duplicate, Blackout bool }

// start is a post that a request creates, changes or starts.
type start struct {
	Allow
	post      *schedctl.Post
	was       *schedctl.Post      // before the change; nil for a new post
	accounts  []schedctl.Account  // of the targets, in their order
	overrides []schedctl.Override // of the request: errors name them by their index
	style     *schedctl.PostStyle // that the request names, or nil
}

// check checks a post that was created or changed, before it is stored. All requests that
// write a post share this order, and the first refusal ends it:
//
//  1. the style that the request names fits the text and the files,
//  2. no blackout avoids a fixed time that is new for an account,
//  3. a slot that the post keeps is free for new accounts,
//  4. a post that is not a draft has the approval that it needs, which covers its time for
//     agents and for keys that need approvals,
//  5. its files are uploaded,
//  6. the networks accept it,
//  7. under review, it has the link card that reviewers see,
//  8. in the transaction, no account with a guard gets it twice.
//
// A retry has a checked post, and needs only step 4. The occurrences of a series need
// steps 5 and 6 for each change of the series, and 2 to 4 and 8 for each of its posts; see
// package series.
func (d *Decision) check(ctx context.Context, s *start) error {
	p := s.post
	if err := d.checkStyle(s.style, p); err != nil {
		return err
	}
	if err := d.avoidBlackouts(s); err != nil {
		return err
	}
	if err := d.keepSlot(s); err != nil {
		return err
	}
	if err := d.mayLeaveStarted(s); err != nil {
		return err
	}
	if err := d.accept(ctx, p, s.accounts, s.overrides); err != nil {
		return err
	}
	if err := d.settleCard(s, false); err != nil || d.tx == nil || s.Allow.Duplicate {
		return err
	}
	return duplicate.Refuse(d.tx, p, s.accounts)
}

// mayLeaveStarted is step 4 of check.
func (d *Decision) mayLeaveStarted(s *start) error {
	p, by := s.post, d.request.actor()
	if p.Status() == schedctl.Draft {
		return nil
	}
	if s.was != nil {
		if err := p.KeepsTime(s.was, by); err != nil {
			return err
		}
	}
	err := p.StartedBy(by, s.accounts, d.request.Now)
	if schedctl.CodeOf(err) == schedctl.ApprovalMissing && s.was != nil && s.was.Approval != nil && s.was.Approval.State == schedctl.ApprovalPending {
		return errNotYetApproved
	}
	return err
}

var errNotYetApproved = schedctl.Errorf(schedctl.ApprovalMissing, "",
	"this post waits for the approval of another key; take it back with POST /posts/{id}/withdraw (schedctl post withdraw), or wait")

// avoidBlackouts returns an error with code BLACKOUT if a blackout of an account avoids the
// fixed time of a scheduled post. For a changed post, it checks a new time for all
// accounts, and the time that the post has for new accounts.
func (d *Decision) avoidBlackouts(s *start) error {
	p := s.post
	if s.Allow.Blackout || p.Status() != schedctl.Scheduled || p.Slot != (schedctl.Slot{}) {
		return nil
	}
	var known []string
	if s.was != nil && p.PublishAt.Equal(s.was.PublishAt) {
		known = s.was.AccountIDs()
	}
	for i := range s.accounts {
		if slices.Contains(known, s.accounts[i].ID) {
			continue
		}
		if err := d.avoidBlackout(&s.accounts[i], p.PublishAt); err != nil {
			return err
		}
	}
	return nil
}

// keepSlot returns an error if a post must not keep its slot with added accounts: the
// queue does not serve them all, or the slot is not free for the added ones.
func (d *Decision) keepSlot(s *start) error {
	p := s.post
	if s.was == nil || p.Slot == (schedctl.Slot{}) || p.Slot != s.was.Slot || !p.PublishAt.Equal(s.was.PublishAt) || p.Status() != schedctl.Scheduled {
		return nil
	}
	before := s.was.AccountIDs()
	added := slices.DeleteFunc(p.AccountIDs(), func(id string) bool { return slices.Contains(before, id) })
	if len(added) == 0 {
		return nil
	}
	return d.view(func(r storage.Reader) error {
		q, err := r.Queue(p.WorkspaceID, p.QueueID)
		if p.QueueID == "" || schedctl.CodeOf(err) == schedctl.NotFound { // it was deleted
			q, err = schedctl.Queue{}, nil
		}
		if err != nil {
			return err
		}
		if err := slots.CheckServes(r, &q, p.AccountIDs()); err != nil {
			return err
		}
		accounts, err := slots.Accounts(r, p.WorkspaceID, added)
		if err != nil {
			return err
		}
		return slots.IsFree(r, &q, slots.Search{WorkspaceID: p.WorkspaceID, Accounts: accounts, PostID: p.ID}, p.PublishAt)
	})
}

// accept returns an error if files of the post are not uploaded, or if a network would not
// accept it. See checkContent.
func (d *Decision) accept(ctx context.Context, p *schedctl.Post, accounts []schedctl.Account, overrides []schedctl.Override) error {
	if p.Status() != schedctl.Draft || p.Approval != nil && p.Approval.State == schedctl.ApprovalPending {
		if err := d.settleFiles(p); err != nil {
			return err
		}
	}
	return d.checkContent(ctx, p, accounts, overrides)
}

// settleFiles sets the missing hashes and alt texts of a post, whose assets were read. Errors:
// MEDIA_NOT_READY if an upload is not confirmed.
func (d *Decision) settleFiles(p *schedctl.Post) error {
	return p.EachMedia(func(_ string, list *[]schedctl.PostMedia) error {
		for i := range *list {
			m := &(*list)[i]
			if m.SHA256 != [32]byte{} {
				continue
			}
			a := d.asset(m.AssetID)
			if a == nil || a.Status != schedctl.MediaReady {
				return notReady(m.AssetID)
			}
			m.SHA256 = a.SHA256
			m.CopyAltText(a)
		}
		return nil
	})
}

// accountsOf reads the accounts of the targets of a post, in their order. A missing one is
// an account without settings.
func accountsOf(r storage.Reader, p *schedctl.Post) ([]schedctl.Account, error) {
	accounts := make([]schedctl.Account, len(p.Targets))
	for i := range p.Targets {
		a, err := r.Account(p.WorkspaceID, p.Targets[i].AccountID)
		if err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
			return nil, err
		}
		accounts[i] = a
	}
	return accounts, nil
}
