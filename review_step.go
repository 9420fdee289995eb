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

// check returns an [InvalidPublishAt] error for a time that has passed.
func (t ProposedTime) check(now time.Time) error {
	if t.At.IsZero() {
		return nil
	}
	return checkFuture("proposed_at", t.At, now)
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
	switch {
	case p.Status() == Failed && s.Proposed != nil:
		return nil, errApproveThenRetry("proposed_at")
	case p.Approval != nil && p.Approval.State == ApprovalPending:
		return nil, Errorf(ApprovalNotPending, "", "the post waits for an approval already")
	case len(p.Targets) == 0:
		return nil, Errorf(InvalidSocialAccounts, "social_account_ids", "a post needs at least one account; give social_account_ids (--to)")
	}
	if err := next.Proposed.check(now); err != nil {
		return nil, err
	}
	next.Changes = p.ChangesRequested()
	next.Approval = &Approval{
		State: ApprovalPending, RequestedBy: s.By.Key, RequestedAt: now, Note: s.Note, Digest: p.ReviewDigest(),
	}
	return p.reviewStep(next, EventPostSubmitted, newReviewStep(s.By, s.Note, p.Version+1), now), nil
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
	step, edited := newReviewStep(d.By, d.Note, p.Version), d.By.Key.ID == p.EditorID
	if p.Status() == Failed {
		if !d.PublishAt.IsZero() {
			return nil, errApproveThenRetry("publish_at")
		}
		events := p.reviewStep(next, EventPostApproved, step, now)
		events[0].Edited = edited
		return events, nil
	}
	if err := next.start(TriggerSchedule, d.PublishAt, now); err != nil {
		return nil, err
	}
	next.Booking, next.Proposed = d.Booking, ProposedTime{}
	events := p.reviewStep(next, EventPostApproved, step, now)
	events[0].Edited = edited
	return p.queued(append(events, p.events(now, EventPostScheduled)...), now, nil), nil
}

// RequestChanges asks the author of a pending draft to change it. It also takes back the
// approval of a post of which no target was claimed: the post becomes a draft again, and
// its time the proposed one. Errors: as Approve.
func (p *Post) RequestChanges(d Decision, now time.Time) ([]Event, error) {
	if d.Note == "" {
		return nil, errNoReason()
	}
	next, err := p.decide(OpRequestChanges, ApprovalChangesRequested, d, now)
	if err != nil {
		return nil, err
	}
	if err := next.takeBack(); err != nil {
		return nil, err
	}
	next.Decided = string(next.reviewedText())
	return p.reviewStep(next, EventPostChangesRequested, newReviewStep(d.By, d.Note, p.Version), Millis(now)), nil
}

// CheckApproval returns nil if the actor may approve the post now. Errors:
// [ApprovalNotPending], [SelfApproval], [PostNotDraft], [PostCanceled].
func (p *Post) CheckApproval(by Actor) error { return p.checkDecided(OpApprove, Decision{By: by}) }

func (p *Post) checkDecided(op Operation, d Decision) error {
	if err := p.checkReview(op, d.Note); err != nil {
		return err
	}
	return p.checkDecision(op, d.By, "post")
}

// decide returns the pending draft with a decision.
func (p *Post) decide(op Operation, state ApprovalState, d Decision, now time.Time) (next Post, err error) {
	if err := p.checkDecided(op, d); err != nil {
		return next, err
	}
	next = p.Clone()
	next.decided(&Approval{
		State: state, RequestedBy: p.Approval.RequestedBy, RequestedAt: p.Approval.RequestedAt,
		DecidedBy: d.By.Key, DecidedAt: Millis(now), Note: d.Note, Digest: p.ReviewDigest(),
	})
	return next, nil
}

// Withdraw ends the wait for an approval. It also takes back an approval, as RequestChanges
// does. Errors: [ApprovalNotPending], [PostNotDraft], [PostCanceled].
func (p *Post) Withdraw(by Actor, now time.Time) ([]Event, error) {
	if err := p.checkReview(OpWithdraw, ""); err != nil {
		return nil, err
	}
	if err := p.checkWithdrawal("post"); err != nil {
		return nil, err
	}
	next := p.Clone()
	next.withdraw(by, Millis(now))
	if err := next.takeBack(); err != nil {
		return nil, err
	}
	return p.reviewStep(next, EventPostWithdrawn, newReviewStep(by, "", p.Version), Millis(now)), nil
}

// takeBack makes a scheduled post a draft that proposes its time.
func (p *Post) takeBack() error {
	if p.Status() != Scheduled {
		return nil
	}
	p.Proposed = ProposedTime{At: p.PublishAt}
	return p.unschedule()
}

// withdraw ends the review. The actor decides if that takes back an approval.
func (r *Review) withdraw(by Actor, now time.Time) {
	r.Changes = r.ChangesRequested()
	a := r.Approval
	if a.State == ApprovalApproved {
		a.DecidedBy, a.DecidedAt = by.Key, now
	}
	a.State = ApprovalWithdrawn
}

// errApproveThenRetry is the error for a time of a post that has failed.
func errApproveThenRetry(field string) error {
	return Errorf(InvalidPublishAt, field, "the post has failed for lack of an approval, so it gets no new time; leave out %s, and retry the post after its approval", field)
}

func errNoReason() error {
	return Errorf(ValidationFailed, "note", "note is empty; say what has to change")
}

// checkDecision returns nil if the actor may decide about a post or a series. An approver
// who edited it last has reviewed it, unless each text needs two people. Any approver may
// take back an approval.
func (r *Review) checkDecision(op Operation, by Actor, noun string) error {
	switch a := r.Approval; {
	case a != nil && a.State == ApprovalApproved && op == OpRequestChanges:
		return nil
	case a == nil || a.State != ApprovalPending:
		return Errorf(ApprovalNotPending, "", "the %s does not wait for an approval; submit it first", noun)
	case by.Key.ID == a.RequestedBy.ID:
		return Errorf(SelfApproval, "", "the key that asked for the approval cannot decide about it; use the key of another person")
	case by.Key.ID == r.EditorID && by.FourEyes:
		return Errorf(SelfApproval, "", "the key that edited the %s last cannot decide about it, because this workspace wants two people for each text; use the key of another person", noun)
	case by.Key.ID == r.EditorID && by.Restricted:
		return Errorf(SelfApproval, "", "the key that edited the %s last needs approvals itself and cannot decide about it; use the key of another person", noun)
	}
	return nil
}

func (r *Review) checkWithdrawal(noun string) error {
	if a := r.Approval; a == nil || a.State == ApprovalWithdrawn {
		return Errorf(ApprovalNotPending, "", "the %s does not wait for an approval, and has none", noun)
	}
	return nil
}

// keptBy reports whether an edit by the actor keeps the approval: an approver who did not
// ask for it approves the edit, unless each text needs two people.
func (a *Approval) keptBy(by Actor) bool { return a.reviewedBy(by) && !by.FourEyes }

// reviewedBy reports whether the actor may review what another key has asked for.
func (a *Approval) reviewedBy(by Actor) bool {
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

// reviewStep replaces p with next and returns the event of the step.
func (p *Post) reviewStep(next Post, typ EventType, step *ReviewStep, now time.Time) []Event {
	next.changed(now)
	*p = next
	return []Event{p.stepEvent(typ, step, now)}
}

// review updates the approval after a change of what the post publishes: an approver who
// did not ask for the approval approves the change. If each text needs two people, such a
// change makes a scheduled post a pending draft that proposes its time. For anyone else
// the post has to be approved again. The caller has checked that a scheduled post does not
// need an approval then; see [Post.CheckApproved].
func (p *Post) review(by Actor, now time.Time) (kept bool, err error) {
	a := p.Approval
	if a == nil || a.Digest == p.ReviewDigest() {
		return false, nil
	}
	changed := *a
	changed.Digest = p.ReviewDigest()
	switch {
	case a.State == ApprovalApproved && a.keptBy(by):
		changed.DecidedBy, changed.DecidedAt = by.Key, now
		p.Decided = string(p.reviewedText())
		kept = true
	case a.State == ApprovalApproved && (p.Status() == Draft || a.reviewedBy(by)):
		changed.State = ApprovalPending
		err = p.takeBack()
	case a.State == ApprovalApproved:
		p.Approval = &changed
		p.withdraw(by, now)
	}
	p.Approval = &changed
	return kept, err
}

// ShowCard sets the link card that reviewers see and that is published. A review that covers
// the post as it was covers the card, too.
func (p *Post) ShowCard(card *LinkPreview) {
	before, digest := string(p.reviewedText()), p.ReviewDigest()
	p.Card = card
	if p.Approval == nil || p.Approval.Digest != digest {
		return
	}
	p.Approval = new(*p.Approval)
	if p.Approval.Digest = p.ReviewDigest(); p.Approval.State == ApprovalApproved && p.Decided == before {
		p.Decided = string(p.reviewedText())
	}
}

// endReview withdraws the approval of a post that was started without it.
func (p *Post) endReview() {
	if p.Approval != nil && p.Approval.State != ApprovalApproved {
		p.Changes = p.ChangesRequested()
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
