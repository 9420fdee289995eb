package usecase

import (
	"context"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/storage"
)

// EditPost is a change of a draft or a scheduled post as a request describes it. Its media
// lack their hashes.
type EditPost struct {
	schedctl.Edit
	AccountIDs *[]string // instead of Accounts; nil if they stay
	MediaField string    // the name of the field with the media of part 0
	SlotChoice
	NoTime bool // the request asks for a post without a time
	Allow
}

// EditPost changes the post of the request.
func (d *Decision) EditPost(ctx context.Context, e EditPost) (schedctl.Post, error) {
	c := d.request
	timed := e.NextSlot || !e.PublishAt.IsZero()
	if err := c.mayWrite(timed, e.Source); err != nil {
		return schedctl.Post{}, err
	}
	op := e.Operation()
	if e.AccountIDs != nil || timed || e.NoTime {
		op = schedctl.OpEdit
	}
	return d.changePost(op, func(r storage.Reader, p *schedctl.Post) ([]schedctl.Event, error) {
		if c.draftsOnly() && p.Status() != schedctl.Draft {
			return nil, errDraftsOnly
		}
		if e.NoTime && p.Status() == schedctl.Scheduled {
			return nil, schedctl.Errorf(schedctl.InvalidPublishAt, "publish_at", "a scheduled post needs a time; give a new time, or cancel the post")
		}
		accounts, taken, err := d.place(r, p, placement{e.AccountIDs, timed, e.PublishAt, e.SlotChoice})
		if err != nil {
			return nil, err
		}
		edit := e.Edit
		if edit.By, err = c.reviewer(r); err != nil {
			return nil, err
		}
		edit.Accounts, edit.PublishAt, edit.Booking = accounts, taken.At, taken.Booking
		if p.ExternalID == "" {
			if err := c.refuseTaken(r, e.ExternalID, p.ID); err != nil {
				return nil, err
			}
		}
		var overrides []schedctl.Override
		if e.Overrides != nil {
			overrides = *e.Overrides
		}
		if err := attach(d.attacher(r), e.MediaField, &edit.ContentChange, overrides); err != nil {
			return nil, err
		}
		was, reviewed := *p, p.Reviewed()
		events, err := p.Edit(edit, c.Now)
		if err != nil {
			return nil, err
		}
		if err := d.wakeHeld(&was, p); err != nil {
			return nil, err
		}
		if len(events) == 0 { // only the annotation may have changed
			return nil, d.checkStyle(e.Style, p)
		}
		if e.Overrides == nil {
			overrides = p.Overrides()
		}
		err = d.checkChange(ctx, r, &start{Allow: e.Allow, post: p, was: &was, overrides: overrides, style: e.Style})
		if e.Source == "" {
			c.namesEdit(edit.By, was.Approval, reviewed.Changed(p.Reviewed()), was.ReviewDigest(), p.ReviewDigest())
		}
		return events, editRefusal(err, &was, p)
	})
}

// wakeHeld stores the accounts of a post that waits and has lost the label of a hold, so that
// the deliverer looks at the post again.
func (d *Decision) wakeHeld(was, p *schedctl.Post) error {
	if d.tx == nil || slices.Equal(was.Labels, p.Labels) {
		return nil
	}
	for i := range p.Targets {
		if _, waits := p.Targets[i].Due(); !waits {
			continue
		}
		a, err := d.tx.Account(p.WorkspaceID, p.Targets[i].AccountID)
		if err != nil {
			return err
		}
		_, held := a.LabelHeldAt(was.Labels, d.request.Now)
		if _, stillHeld := a.LabelHeldAt(p.Labels, d.request.Now); held && !stillHeld {
			if err := d.tx.PutAccount(a); err != nil {
				return err
			}
		}
	}
	return nil
}

// editRefusal returns the error of an edit, with the advice for a scheduled post that needs
// an approval because of it.
func editRefusal(err error, was, p *schedctl.Post) error {
	if schedctl.CodeOf(err) == schedctl.ApprovalMissing && was.Status() == schedctl.Scheduled && was.ReviewDigest() != p.ReviewDigest() {
		return errEditNeedsApproval
	}
	return err
}

// errEditNeedsApproval is the error for an edit that another key has to approve. Only drafts
// can be submitted.
var errEditNeedsApproval = schedctl.Errorf(schedctl.ApprovalMissing, "",
	"the edited post needs the approval of another key; make it a draft with POST /posts/{id}/unschedule (schedctl post unschedule), then edit and submit it")

// Schedule says when a draft is published, and where.
type Schedule struct {
	AccountIDs *[]string // nil if they stay
	PublishAt  time.Time // zero with NextSlot
	SlotChoice
	Allow
}

// SchedulePost schedules the post of the request.
func (d *Decision) SchedulePost(ctx context.Context, s Schedule) (schedctl.Post, error) {
	return d.startPost(ctx, schedctl.OpSchedule, s, func(p *schedctl.Post, accounts *[]schedctl.Account, taken slots.Taken) ([]schedctl.Event, error) {
		return p.ScheduleSlot(taken.Booking, taken.At, accounts, d.request.Now)
	})
}

// PublishPost publishes the post of the request immediately.
func (d *Decision) PublishPost(ctx context.Context, s Schedule) (schedctl.Post, error) {
	return d.startPost(ctx, schedctl.OpPublishNow, s, func(p *schedctl.Post, accounts *[]schedctl.Account, _ slots.Taken) ([]schedctl.Event, error) {
		return p.PublishNow(accounts, d.request.Now)
	})
}

// startPost starts the post of the request with launch.
func (d *Decision) startPost(ctx context.Context, op schedctl.Operation, s Schedule,
	launch func(*schedctl.Post, *[]schedctl.Account, slots.Taken) ([]schedctl.Event, error),
) (schedctl.Post, error) {
	return d.changePost(op, func(r storage.Reader, p *schedctl.Post) ([]schedctl.Event, error) {
		accounts, taken, err := d.place(r, p, placement{s.AccountIDs, true, s.PublishAt, s.SlotChoice})
		if err != nil {
			return nil, err
		}
		was := *p
		events, err := launch(p, accounts, taken)
		if err != nil {
			return nil, err
		}
		return events, d.checkChange(ctx, r, &start{Allow: s.Allow, post: p, was: &was, overrides: p.Overrides()})
	})
}

// changePost is [Request.changePost] on the snapshot or in the transaction of the decision.
func (d *Decision) changePost(op schedctl.Operation, change func(storage.Reader, *schedctl.Post) ([]schedctl.Event, error)) (schedctl.Post, error) {
	return d.request.changePost(d.r, d.tx, op, func(p *schedctl.Post) ([]schedctl.Event, error) { return change(d.r, p) })
}

// checkChange is check for a post that is stored. Its accounts are read as they are now.
func (d *Decision) checkChange(ctx context.Context, r storage.Reader, s *start) (err error) {
	if s.accounts, err = accountsOf(r, s.post); err != nil {
		return err
	}
	return d.check(ctx, s)
}

// placement is where and when a request publishes a post.
type placement struct {
	accountIDs *[]string // nil if they stay
	starts     bool      // the request schedules or publishes the post
	at         time.Time
	slot       SlotChoice
}

// place resolves the accounts of a placement, nil if they stay, and takes a slot. A draft
// that is started needs accounts that are still connected.
func (d *Decision) place(r storage.Reader, p *schedctl.Post, to placement) (accounts *[]schedctl.Account, taken slots.Taken, err error) {
	if to.slot.NextSlot {
		if err := d.lockQueue(r); err != nil {
			return nil, taken, err
		}
	}
	ids := p.AccountIDs()
	if to.accountIDs != nil {
		ids = *to.accountIDs
	}
	if to.accountIDs != nil || to.starts && p.Status() == schedctl.Draft {
		list, err := d.request.Accounts(r, ids)
		if err != nil {
			return nil, taken, err
		}
		accounts = &list
	}
	if !to.slot.NextSlot {
		return accounts, slots.Taken{At: to.at}, nil
	}
	taken, err = d.takeSlot(r, to.slot, p.ID, ids)
	return accounts, taken, err
}
