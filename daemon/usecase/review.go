package usecase

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// SubmitPost asks for an approval of the post of the request in a transaction. proposed is
// nil to keep the proposed time. What reviewers approve includes the hashes of files.
func (d *Decision) SubmitPost(note string, proposed *schedctl.ProposedTime) (schedctl.Post, error) {
	return d.changePost(schedctl.OpSubmit, func(r storage.Reader, p *schedctl.Post) ([]schedctl.Event, error) {
		if err := d.readAssets(p); err != nil {
			return nil, err
		}
		if err := d.settleFiles(p); err != nil {
			return nil, err
		}
		events, err := p.Submit(schedctl.Submission{By: d.request.actor(), Note: note, Proposed: proposed}, d.request.Now)
		if err != nil {
			return nil, err
		}
		accounts, err := accountsOf(r, p)
		if err != nil {
			return nil, err
		}
		if err := d.alsoProposed(p); err != nil {
			return nil, err
		}
		return events, d.settleCard(&start{post: p, accounts: accounts}, true)
	})
}

// Approval is an approval as a request describes it.
type Approval struct {
	Note      string
	PublishAt time.Time // zero, without NextSlot, for the proposed time
	SlotChoice
	Allow
}

// ApprovePost approves the post of the request, and schedules it.
func (d *Decision) ApprovePost(ctx context.Context, a Approval) (schedctl.Post, error) {
	c := d.request
	return d.changePost(schedctl.OpApprove, func(r storage.Reader, p *schedctl.Post) ([]schedctl.Event, error) {
		c.namesRequester(p)
		by, err := c.reviewer(r)
		if err != nil {
			return nil, err
		}
		decision := schedctl.Decision{By: by, Note: a.Note}
		given := schedctl.ProposedTime{At: a.PublishAt, NextSlot: a.NextSlot}
		if p.Status() == schedctl.Failed && given == (schedctl.ProposedTime{}) {
			events, err := p.Approve(decision, c.Now)
			if err != nil {
				return nil, err
			}
			return events, d.approveCard(r, p)
		}
		if err := p.CheckApproval(decision.By); err != nil { // before errors about the time
			return nil, err
		}
		if given == (schedctl.ProposedTime{}) {
			given = p.Proposed
		}
		if given == (schedctl.ProposedTime{}) {
			return nil, schedctl.Errorf(schedctl.InvalidPublishAt, "publish_at", "the post has no proposed time; give publish_at (--at or --next-slot)")
		}
		slot := a.SlotChoice
		slot.NextSlot = given.NextSlot
		_, taken, err := d.place(r, p, placement{nil, true, given.At, slot})
		if err != nil {
			return nil, err
		}
		was := *p
		decision.PublishAt, decision.Booking = taken.At, taken.Booking
		events, err := p.Approve(decision, c.Now)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(d.approveCard(r, p), d.alsoProposed(p)); err != nil {
			return nil, err
		}
		return events, d.checkChange(ctx, r, &start{Allow: a.Allow, post: p, was: &was, overrides: p.Overrides()})
	})
}

// RequestChanges asks the author of the post of the request for changes.
func (c *Request) RequestChanges(tx storage.Tx, note string) (schedctl.Post, error) {
	return c.changePost(tx, tx, schedctl.OpRequestChanges, func(p *schedctl.Post) ([]schedctl.Event, error) {
		c.namesRequester(p)
		by, err := c.reviewer(tx)
		if err != nil {
			return nil, err
		}
		return p.RequestChanges(schedctl.Decision{By: by, Note: note}, c.Now)
	})
}

// WithdrawPost takes the post of the request back from its review.
func (c *Request) WithdrawPost(tx storage.Tx) (schedctl.Post, error) {
	return c.changePost(tx, tx, schedctl.OpWithdraw, func(p *schedctl.Post) ([]schedctl.Event, error) { return p.Withdraw(c.actor(), c.Now) })
}

// AddNote adds a note to the post of the request. The version of the post stays.
func (c *Request) AddNote(tx storage.Tx, text string) (schedctl.PostNote, error) {
	post, err := c.Post(tx)
	if err != nil {
		return schedctl.PostNote{}, err
	}
	note, event, err := post.AddNote(c.actor(), text, c.Now)
	if err != nil {
		return note, err
	}
	return note, errors.Join(tx.PutPost(post), tx.AddEvents(event))
}

// reviewer returns the actor of the request, who knows whether each text of the workspace
// needs two people.
func (c *Request) reviewer(r storage.Reader) (schedctl.Actor, error) {
	by := c.actor()
	if !by.Approver {
		return by, nil
	}
	w, err := r.Workspace(c.Key.WorkspaceID)
	by.FourEyes = w.FourEyes
	return by, err
}

// namesEdit writes what an approver has edited to the audit log: the fields, and the
// digests of the post or series before and after.
func (c *Request) namesEdit(by schedctl.Actor, was *schedctl.Approval, fields []string, before, after [32]byte) {
	if by.Approver && was != nil && before != after {
		c.Detail = fmt.Sprintf("edited %s; digest %x, then %x", strings.Join(fields, ", "), before, after)
	}
}

// namesRequester writes the key that asked for the approval to the audit log, next to the
// key of the request.
func (c *Request) namesRequester(p *schedctl.Post) {
	if p.Approval != nil {
		c.Detail = "requested by " + p.Approval.RequestedBy.ID
	}
}
