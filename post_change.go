package schedctl

import (
	"slices"
	"time"
)

// Edit is a change to a draft or a scheduled post. Fields left nil, and a zero
// PublishAt, stay as they are.
type Edit struct {
	ContentChange
	Accounts  *[]Account  // resolved; targets of accounts that stay keep their ids and overrides
	Overrides *[]Override // replaces all existing overrides
	PublishAt time.Time   // schedules a draft, moves a scheduled post
	Booking   Booking     // of the slot at PublishAt; zero for a fixed time; ignored without PublishAt

	Annotation

	Proposed *ProposedTime // of a draft
	By       Actor
	Source   string // approves the post; see [Approval.Source]

	// BySeries means that the change comes from the series of the post, or that its queue
	// moves it. Any other edit detaches an occurrence from its series.
	BySeries bool
}

// Operation returns [OpAnnotate] if the edit changes only fields that are not
// published, and [OpEdit] otherwise.
func (e *Edit) Operation() Operation {
	if e.ContentChange.Empty() && e.Accounts == nil && e.Overrides == nil && e.PublishAt.IsZero() && e.Proposed == nil && e.Source == "" {
		return OpAnnotate
	}
	return OpEdit
}

// Edit applies a change. Without a difference, it returns no events and keeps the
// version. An annotation alone is allowed in every status; it raises the version and
// returns no events. Errors: [PostNotEditable], [PostCanceled],
// [ContentTooLong], [ValidationFailed], [InvalidPublishAt],
// [InvalidSocialAccounts].
func (p *Post) Edit(e Edit, now time.Time) ([]Event, error) {
	if err := CheckOperation(e.Operation(), p.Status()); err != nil {
		return nil, err
	}
	now = Millis(now)
	next := p.Clone()
	if err := next.annotate(e.Annotation); err != nil {
		return nil, err
	}
	if !e.ContentChange.Empty() {
		if err := e.ContentChange.apply(&next.Content); err != nil {
			return nil, err
		}
		if e.Style == nil {
			next.removeOldStyle(p)
		}
	}
	if e.Accounts != nil {
		next.Targets = next.targetsFor(*e.Accounts, now)
	}
	if e.Overrides != nil {
		if err := next.override(*e.Overrides); err != nil {
			return nil, err
		}
	}
	if !e.ContentChange.Empty() {
		if err := next.checkTargets(); err != nil {
			return nil, err
		}
	}
	at := next.PublishAt
	if !e.PublishAt.IsZero() {
		at = Millis(e.PublishAt)
	}
	if !slices.EqualFunc(next.Targets, p.Targets, sameTarget) || !at.Equal(p.PublishAt) {
		if err := next.reschedule(p, at, now); err != nil {
			return nil, err
		}
	}
	if !e.PublishAt.IsZero() {
		next.Booking = e.Booking
	}
	if e.Proposed != nil && *e.Proposed != p.Proposed {
		if err := e.Proposed.check(now); err != nil {
			return nil, err
		}
		next.Proposed = *e.Proposed
	}
	if next.Status() != Draft {
		next.Proposed = ProposedTime{}
	}
	return p.become(next, e, now)
}

func sameTarget(a, b Target) bool { return a.ID == b.ID }

// reschedule sets the time of all targets after a change of accounts or time. A draft
// without a time stays a draft.
func (p *Post) reschedule(was *Post, at, now time.Time) error {
	if at.IsZero() {
		return nil
	}
	if len(p.Targets) == 0 || !at.Equal(was.PublishAt) {
		return p.start(TriggerSchedule, at, now)
	}
	for i := range p.Targets {
		if t := &p.Targets[i]; t.Status == Draft {
			if err := t.move(TriggerSchedule); err != nil {
				return err
			}
			t.PublishAt = at
		}
	}
	return nil
}

// become replaces p with the result of an edit and returns the events for the
// difference. If more than the annotation differs, it detaches an occurrence.
func (p *Post) become(next Post, e Edit, now time.Time) ([]Event, error) {
	moved := !next.PublishAt.Equal(p.PublishAt)
	sameText := next.publishesSame(&p.Content) && next.Title == p.Title && slices.EqualFunc(next.Targets, p.Targets, sameTarget) && slices.EqualFunc(next.Targets, p.Targets, sameOverride)
	if sameText && !moved && next.Booking.equal(p.Booking) && next.Proposed == p.Proposed && (e.Source == "" || next.Approved()) {
		if !next.sameAnnotation(p) {
			next.changed(now)
			*p = next
		}
		return nil, nil
	}
	jobs := make(map[string]bool)
	for i := range p.Targets {
		if _, waiting := p.Targets[i].Due(); waiting {
			jobs[p.Targets[i].ID] = true
		}
	}
	kept := false
	if !sameText {
		next.wrote(e.By)
		var err error
		if kept, err = next.review(e.By, now); err != nil {
			return nil, err
		}
	}
	if e.Source != "" {
		next.approveBySource(e.By, e.Source, now)
	}
	if next.Status() != Draft {
		next.endReview()
	}
	next.Detached = next.Detached || !e.BySeries && next.SeriesID != ""
	was := p.Approval
	next.changed(now)
	*p = next
	events := append(p.events(now, EventPostUpdated), p.reviewChange(was, e.By, now)...)
	if kept {
		approved := p.stepEvent(EventPostApproved, newReviewStep(e.By, "", p.Version), now)
		approved.Edited = true
		events = append(events, approved)
	}
	if moved && p.Status() != Draft {
		events = append(events, p.events(now, EventPostScheduled)...)
	}
	return p.queued(events, now, jobs), nil
}

// Schedule sets the time of a draft, and its accounts if accounts is not nil.
// Errors: [PostNotDraft], [PostCanceled], [InvalidPublishAt],
// [InvalidSocialAccounts].
func (p *Post) Schedule(at time.Time, accounts *[]Account, now time.Time) ([]Event, error) {
	return p.ScheduleSlot(Booking{}, at, accounts, now)
}

// ScheduleSlot is Schedule for a slot of a queue at that time.
func (p *Post) ScheduleSlot(b Booking, at time.Time, accounts *[]Account, now time.Time) ([]Event, error) {
	if err := CheckOperation(OpSchedule, p.Status()); err != nil {
		return nil, err
	}
	events, err := p.launch(TriggerSchedule, at, accounts, now, EventPostScheduled)
	if err == nil {
		p.Booking = b
	}
	return events, err
}

// PublishNow queues a draft or a scheduled post at once.
// Errors: [PostNotDraft], [PostCanceled], [InvalidSocialAccounts].
func (p *Post) PublishNow(accounts *[]Account, now time.Time) ([]Event, error) {
	if err := CheckOperation(OpPublishNow, p.Status()); err != nil {
		return nil, err
	}
	return p.launch(TriggerQueue, now, accounts, now)
}

func (p *Post) launch(by Trigger, at time.Time, accounts *[]Account, now time.Time, types ...EventType) ([]Event, error) {
	now = Millis(now)
	next := p.Clone()
	if accounts != nil {
		next.Targets = next.targetsFor(*accounts, now)
	}
	if err := next.start(by, at, now); err != nil {
		return nil, err
	}
	next.Booking, next.Detached, next.Proposed = Booking{}, next.SeriesID != "", ProposedTime{}
	next.endReview()
	next.changed(now)
	*p = next
	return p.queued(p.events(now, types...), now, nil), nil
}

// Unschedule makes a scheduled post a draft that proposes its time, and ends its approval.
// Its targets keep their ids. A draft stays as it is. Errors: [PostNotScheduled],
// [PostCanceled].
func (p *Post) Unschedule(by Actor, now time.Time) ([]Event, error) {
	status := p.Status()
	if err := CheckOperation(OpUnschedule, status); err != nil || status == Draft {
		return nil, err
	}
	now = Millis(now)
	next := p.Clone()
	if err := next.takeBack(); err != nil {
		return nil, err
	}
	if a := next.Approval; a != nil && a.State == ApprovalApproved {
		next.withdraw(by, now)
	}
	was := p.Approval
	next.changed(now)
	*p = next
	return append(p.events(now, EventPostUpdated), p.reviewChange(was, by, now)...), nil
}

// unschedule makes a scheduled post a draft without a time.
func (p *Post) unschedule() error {
	for i := range p.Targets {
		t := &p.Targets[i]
		if err := t.move(TriggerUnschedule); err != nil {
			return err
		}
		t.PublishAt = time.Time{}
	}
	p.PublishAt, p.Booking, p.Detached = time.Time{}, Booking{}, p.SeriesID != ""
	return nil
}

// CancelManaged is Cancel for a client that manages the post: it changes Managed
// in the same step, unless managed is nil. Errors: also [ValidationFailed].
func (p *Post) CancelManaged(managed *Managed, now time.Time) ([]Event, error) {
	next := p.Clone()
	events, err := next.Cancel(now)
	if err == nil && managed != nil {
		err = next.annotate(Annotation{Managed: managed})
	}
	if err != nil {
		return nil, err
	}
	*p = next
	return events, nil
}

// Replace removes the external id of a canceled post, and removes the post from its
// collection, so that a new post can take both. It returns no events.
// Errors: [PostNotReplaceable].
func (p *Post) Replace(externalID string, now time.Time) error {
	if p.Status() != Canceled {
		return Errorf(PostNotReplaceable, "replaces", "the post is %s; only a canceled post can be replaced", p.Status())
	}
	if p.ExternalID != externalID {
		return Errorf(PostNotReplaceable, "replaces", "the canceled post does not have this external_id; name the post that has it")
	}
	p.ExternalID, p.Managed = "", nil
	p.changed(Millis(now))
	return nil
}

// Cancel cancels a post for good: every target that is not published becomes canceled
// and is no longer due, and so do first comments that are not published.
// Errors: [PostNotCancelable].
func (p *Post) Cancel(now time.Time) ([]Event, error) {
	if err := CheckOperation(OpCancel, p.Status()); err != nil {
		return nil, err
	}
	now = Millis(now)
	next := p.Clone()
	for i := range next.Targets {
		if t := &next.Targets[i]; *t.progress() != Published {
			if err := t.move(TriggerCancel); err != nil {
				return nil, err
			}
		}
	}
	next.CanceledAt = now
	next.changed(now)
	*p = next
	return p.events(now, EventPostCanceled), nil
}

// CheckOperation is the function [CheckOperation] for the post. It also allows a retry of
// failed first comments, and the review of a post that failed for lack of an approval.
func (p *Post) CheckOperation(op Operation) error {
	if op == OpRetry {
		return CheckOperation(op, p.retryStatus())
	}
	switch op {
	case OpSubmit, OpApprove, OpRequestChanges, OpWithdraw:
		if p.Status() == Failed && p.lacksApproval() {
			return nil
		}
	}
	return CheckOperation(op, p.Status())
}

// Retry says which targets to queue again.
type Retry struct {
	TargetIDs []string // empty for all failed ones
	Force     bool     // also those that may have been published
}
