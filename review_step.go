package schedctl

import (
	"time"
	"unicode/utf8"
)

// MaxReviewNote is the longest note of a review, in Unicode code points.
const MaxReviewNote = 5000

// Submission asks for an approval.
type Submission struct {
	By       Actor
	Note     string
	Proposed *ProposedTime // nil to keep that of the post
}

// ProposedTime is when a draft shall be published after its approval. The zero value is
// none.
type ProposedTime struct {
	At       time.Time // zero with NextSlot
	NextSlot bool      // the next free slot, at the time of the approval
}

// Submit asks for an approval of a draft, or of a post that failed for lack of one.
// Errors: [PostNotDraft], [PostCanceled], [ApprovalNotPending] if it waits for one already,
// [InvalidPublishAt] for a time that has passed, [InvalidSocialAccounts] without accounts,
// [ValidationFailed].
func (p *Post) Submit(s Submission, now time.Time) ([]Event, error) {
	if err := p.checkReview(OpSubmit, s.Note); err != nil {
		return nil, err
	}
	now = Millis(now)
	next := p.Clone()
	if s.Proposed != nil {
		next.Proposed = *s.Proposed
	}
	switch at := next.Proposed.At; {
	case p.Status() == Failed && s.Proposed != nil:
		return nil, errApproveThenRetry("proposed_at")
	case p.Approval != nil && p.Approval.State == ApprovalPending:
		return nil, Errorf(ApprovalNotPending, "", "the post waits for an approval already")
	case len(p.Targets) == 0:
		return nil, Errorf(InvalidSocialAccounts, "social_account_ids", "a post needs at least one account; give social_account_ids")
	case !at.IsZero():
		if err := checkFuture(at, now); err != nil {
			return nil, err
		}
	}
	next.Approval = &Approval{
		State: ApprovalPending, RequestedBy: s.By.Key, RequestedAt: now, Note: s.Note, Digest: p.ReviewDigest(),
	}
	return p.reviewStep(next, EventPostSubmitted, now), nil
}

// approveBySource approves the post for the author of a merged pull request.
func (p *Post) approveBySource(by Actor, source string, now time.Time) {
	p.Approval = &Approval{
		State: ApprovalApproved, RequestedBy: by.Key, RequestedAt: now, DecidedBy: by.Key, DecidedAt: now, Source: source, Digest: p.ReviewDigest(),
	}
	p.Decided = string(p.reviewedText())
}

// Decision is the approval of a draft, or a request for changes.
type Decision struct {
	By   Actor
	Note string

	PublishAt time.Time // of an approval: when to publish
	Booking   Booking   // of an approval: the slot at PublishAt, or zero
}

// Approve approves a pending draft and schedules it. It only approves a post that failed for
// lack of an approval, which can then be retried. Errors: [ApprovalNotPending],
// [SelfApproval], [PostNotDraft], [PostCanceled], [InvalidPublishAt],
// [InvalidSocialAccounts], [ValidationFailed].
func (p *Post) Approve(d Decision, now time.Time) ([]Event, error) {
	next, err := p.decide(OpApprove, ApprovalApproved, d, now)
	if err != nil {
		return nil, err
	}
	now = Millis(now)
	next.Decided = string(next.reviewedText())
	if p.Status() == Failed {
		if !d.PublishAt.IsZero() {
			return nil, errApproveThenRetry("publish_at")
		}
		return p.reviewStep(next, EventPostApproved, now), nil
	}
	if err := next.start(TriggerSchedule, d.PublishAt, now); err != nil {
		return nil, err
	}
	next.Booking, next.Proposed = d.Booking, ProposedTime{}
	events := p.reviewStep(next, EventPostApproved, now)
	return p.queued(append(events, p.events(now, EventPostScheduled)...), now, nil), nil
}

// RequestChanges asks the author of a pending draft to change it. Errors: as Approve.
func (p *Post) RequestChanges(d Decision, now time.Time) ([]Event, error) {
	if d.Note == "" {
		return nil, errNoReason()
	}
	next, err := p.decide(OpRequestChanges, ApprovalChangesRequested, d, now)
	if err != nil {
		return nil, err
	}
	next.Decided = string(next.reviewedText())
	return p.reviewStep(next, EventPostChangesRequested, Millis(now)), nil
}

// CheckApproval returns nil if the actor may approve the post now. Errors:
// [ApprovalNotPending], [SelfApproval], [PostNotDraft], [PostCanceled].
func (p *Post) CheckApproval(by Actor) error { return p.checkDecided(OpApprove, Decision{By: by}) }

func (p *Post) checkDecided(op Operation, d Decision) error {
	if err := p.checkReview(op, d.Note); err != nil {
		return err
	}
	return p.checkDecision(d.By, "post")
}

// decide returns the pending draft with a decision.
func (p *Post) decide(op Operation, state ApprovalState, d Decision, now time.Time) (next Post, err error) {
	if err := p.checkDecided(op, d); err != nil {
		return next, err
	}
	next = p.Clone()
	next.Approval = &Approval{
		State: state, RequestedBy: p.Approval.RequestedBy, RequestedAt: p.Approval.RequestedAt,
		DecidedBy: d.By.Key, DecidedAt: Millis(now), Note: d.Note, Digest: p.ReviewDigest(),
	}
	return next, nil
}

// Withdraw ends the wait for an approval. Errors: [ApprovalNotPending], [PostNotDraft],
// [PostCanceled].
func (p *Post) Withdraw(by Actor, now time.Time) ([]Event, error) {
	if err := p.checkReview(OpWithdraw, ""); err != nil {
		return nil, err
	}
	if err := p.checkWithdrawal("post"); err != nil {
		return nil, err
	}
	next := p.Clone()
	next.Approval.State = ApprovalWithdrawn
	return p.reviewStep(next, EventPostUpdated, Millis(now)), nil
}

// errApproveThenRetry is the error for a time of a post that has failed.
func errApproveThenRetry(field string) error {
	return Errorf(InvalidPublishAt, field, "the post has failed for lack of an approval, so it gets no new time; leave out %s, and retry the post after its approval", field)
}

func errNoReason() error {
	return Errorf(ValidationFailed, "note", "note is empty; say what has to change")
}

// checkDecision returns nil if the actor may decide about a post or a series.
func (r *Review) checkDecision(by Actor, noun string) error {
	switch a := r.Approval; {
	case a == nil || a.State != ApprovalPending:
		return Errorf(ApprovalNotPending, "", "the %s does not wait for an approval; submit it first", noun)
	case by.Key.ID == a.RequestedBy.ID || by.Key.ID == r.EditorID:
		return Errorf(SelfApproval, "", "the key that asked for the approval, or edited the %s last, cannot decide about it; use the key of another person", noun)
	}
	return nil
}

func (r *Review) checkWithdrawal(noun string) error {
	if a := r.Approval; a == nil || a.State != ApprovalPending && a.State != ApprovalChangesRequested {
		return Errorf(ApprovalNotPending, "", "the %s does not wait for an approval", noun)
	}
	return nil
}

// keptBy reports whether an edit by the actor keeps the approval: an approver who did not
// ask for it approves the edit.
func (a *Approval) keptBy(by Actor) bool {
	return by.Approver && !by.Restricted && by.Key.ID != a.RequestedBy.ID
}

func (p *Post) checkReview(op Operation, note string) error {
	if err := p.CheckOperation(op); err != nil {
		return err
	}
	return CheckReviewNote("note", note)
}

// CheckReviewNote returns a [ValidationFailed] error for a note that is too long, is not
// valid UTF-8 or holds a NUL. It may be empty.
func CheckReviewNote(field, note string) error {
	if n := utf8.RuneCountInString(note); n > MaxReviewNote {
		return Errorf(ValidationFailed, field, "%s has %d characters; the limit is %d", field, n, MaxReviewNote)
	}
	if !plainText(note) {
		return Errorf(ValidationFailed, field, "%s is not valid UTF-8, or contains a NUL character", field)
	}
	return nil
}

// reviewStep replaces p with next and returns an event.
func (p *Post) reviewStep(next Post, typ EventType, now time.Time) []Event {
	next.changed(now)
	*p = next
	return p.events(now, typ)
}

// review updates the approval after a change of what the post publishes: an approver who
// did not ask for the approval approves the change; for anyone else the post has to be
// approved again. The caller has checked that a scheduled post does not need an
// approval then; see [Post.CheckApproved].
func (p *Post) review(by Actor, now time.Time) {
	a := p.Approval
	if a == nil || a.Digest == p.ReviewDigest() {
		return
	}
	changed := *a
	changed.Digest = p.ReviewDigest()
	switch {
	case a.State == ApprovalApproved && a.keptBy(by):
		changed.DecidedBy, changed.DecidedAt = by.Key, now
		p.Decided = string(p.reviewedText())
	case a.State == ApprovalApproved && p.Status() == Draft:
		changed.State = ApprovalPending
	case a.State == ApprovalApproved:
		changed.State = ApprovalWithdrawn
	}
	p.Approval = &changed
}

// endReview withdraws the approval of a post that was started without it.
func (p *Post) endReview() {
	if p.Approval != nil && p.Approval.State != ApprovalApproved {
		p.Approval = new(*p.Approval)
		p.Approval.State = ApprovalWithdrawn
	}
}

// wrote records that the actor made the post, or changed what it publishes.
func (p *Post) wrote(by Actor) {
	if by.Key.ID != "" {
		p.EditorID, p.ByAgent, p.Restricted = by.Key.ID, p.ByAgent || by.Agent, p.Restricted || by.Restricted
	}
}
