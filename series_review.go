package schedctl

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"time"
)

// NeedsApproval reports whether posts of the series may be made for the accounts only
// after it was approved.
func (s *Series) NeedsApproval(accounts []Account) bool {
	for i := range accounts {
		if s.Template.NeedsApproval(&accounts[i]) {
			return true
		}
	}
	return s.Template.Restricted
}

// Waits reports whether the series makes no posts before an approval, whatever the policies
// are.
func (s *Series) Waits() bool { return s.Template.Restricted && !s.Approved() }

// StartedBy records who created, changed or resumed the series: its posts need an
// approval if one of those keys is an agent's, or needs approvals. A rule of an agent would
// publish for years, so that no policy is needed for it.
func (s *Series) StartedBy(by Actor) {
	t := &s.Template
	t.ByAgent, t.Restricted = t.ByAgent || by.Agent, t.Restricted || by.bound()
}

// Edited updates the approval of a series that the actor has changed. An approver who did
// not ask for the approval approves the change; otherwise an approved series waits for an
// approval again. Edited returns the event of either, which is about the version after the
// edit, or nothing.
func (s *Series) Edited(was *Series, by Actor, now time.Time) []Event {
	t := &s.Template
	t.Review = was.Template.Review.clone()
	s.StartedBy(by)
	digest := s.ReviewDigest()
	if digest == was.ReviewDigest() {
		return nil
	}
	t.EditorID = by.Key.ID
	if t.Approval == nil {
		return nil
	}
	t.Approval.Digest = digest
	if t.Approval.State != ApprovalApproved {
		return nil
	}
	version := s.Version
	if s.ID == was.ID {
		version++
	}
	step := newReviewStep(by, "", version)
	if !t.Approval.keptBy(by) {
		t.Approval.State = ApprovalPending
		return []Event{s.stepEvent(EventSeriesSubmitted, step, now)}
	}
	t.Approval.DecidedBy, t.Approval.DecidedAt = by.Key, Millis(now)
	e := s.stepEvent(EventSeriesApproved, step, now)
	e.Edited = true
	return []Event{e}
}

// SetRule changes the rule to one with fewer occurrences. An approved series stays
// approved.
func (s *Series) SetRule(rule string) {
	approved := s.Approved()
	if s.Rule = rule; approved {
		s.Template.Approval = new(*s.Template.Approval)
		s.Template.Approval.Digest = s.ReviewDigest()
	}
}

// Submit asks for an approval of the series. Errors: [ApprovalNotPending] if it waits for
// one already or is approved, [SeriesIsOver], [ValidationFailed].
func (s *Series) Submit(by Actor, note string, now time.Time) (Event, error) {
	if err := s.checkReview(note); err != nil {
		return Event{}, err
	}
	if a := s.Template.Approval; a != nil && (a.State == ApprovalPending || s.Approved()) {
		return Event{}, Errorf(ApprovalNotPending, "", "the series is %s already", a.State)
	}
	s.Template.Changes = s.Template.ChangesRequested()
	return s.review(Approval{State: ApprovalPending, RequestedBy: by.Key, RequestedAt: Millis(now), Note: note}, by, now), nil
}

// Decide approves the series, or asks its author to change it. Errors:
// [ApprovalNotPending], [SelfApproval], [SeriesIsOver], [ValidationFailed].
func (s *Series) Decide(state ApprovalState, d Decision, now time.Time) (Event, error) {
	if err := s.checkReview(d.Note); err != nil {
		return Event{}, err
	}
	if state == ApprovalChangesRequested && d.Note == "" {
		return Event{}, errNoReason()
	}
	op := OpApprove
	if state == ApprovalChangesRequested {
		op = OpRequestChanges
	}
	if err := s.Template.checkDecision(op, d.By, "series"); err != nil {
		return Event{}, err
	}
	a := *s.Template.Approval
	a.State, a.DecidedBy, a.DecidedAt, a.Note = state, d.By.Key, Millis(now), d.Note
	e := s.review(a, d.By, now)
	s.Template.decided(s.Template.Approval)
	e.Edited = state == ApprovalApproved && d.By.Key.ID == s.Template.EditorID
	return e, nil
}

// Withdraw ends the wait for an approval, or the approval. Errors: [ApprovalNotPending],
// [SeriesIsOver].
func (s *Series) Withdraw(by Actor, now time.Time) (Event, error) {
	if err := s.checkReview(""); err != nil {
		return Event{}, err
	}
	if err := s.Template.checkWithdrawal("series"); err != nil {
		return Event{}, err
	}
	s.Template.Approval = new(*s.Template.Approval)
	s.Template.withdraw(by, Millis(now))
	return s.review(*s.Template.Approval, by, now), nil
}

// seriesSteps has the event of each state that a step of a review leads to.
var seriesSteps = map[ApprovalState]EventType{
	ApprovalPending: EventSeriesSubmitted, ApprovalApproved: EventSeriesApproved,
	ApprovalChangesRequested: EventSeriesChangesRequested, ApprovalWithdrawn: EventSeriesWithdrawn,
}

// review sets the approval of the series as it is now, and returns the event of the step. Its
// note is that of a submission or a decision; a withdrawal has none.
func (s *Series) review(a Approval, by Actor, now time.Time) Event {
	step := newReviewStep(by, a.Note, s.Version)
	switch a.State {
	case ApprovalPending:
		step.Version++
	case ApprovalWithdrawn:
		step.Note = ""
	}
	a.Digest = s.ReviewDigest()
	s.Template.Approval = &a
	s.UpdatedAt = Millis(now)
	s.Version++
	return s.stepEvent(seriesSteps[a.State], step, now)
}

func (s *Series) checkReview(note string) error {
	if s.State == SeriesEnded {
		return Errorf(SeriesIsOver, "", "the series has ended and makes no more posts; create a new one")
	}
	return CheckReviewNote("note", note)
}

// FollowApproval gives a post of the series, after an edit of the series, the approval and
// the authors of the series.
func (p *Post) FollowApproval(s *Series) {
	p.Changes = nil
	if p.Approval = nil; s.Approved() {
		p.Approval = new(*s.Template.Approval)
		p.Approval.Digest = p.ReviewDigest()
	}
	p.UpdatedBy = s.Template.UpdatedBy
	p.EditorID, p.ByAgent, p.Restricted = s.Template.EditorID, s.Template.ByAgent, s.Template.Restricted
}

// ApproveWithSeries approves a post of the series, which was approved as a whole.
func (p *Post) ApproveWithSeries(s *Series, now time.Time) []Event {
	next := p.Clone()
	next.FollowApproval(s)
	next.changed(Millis(now))
	*p = next
	return p.events(Millis(now), EventPostUpdated)
}

// ReviewDigest returns the SHA-256 of what the posts of the series publish, of their
// accounts, and of the rule.
func (s *Series) ReviewDigest() [32]byte {
	text, err := json.Marshal(struct {
		Template [32]byte
		Variants []string
		Rule     string
	}{s.Template.ReviewDigest(), s.Variants, s.Rule})
	if err != nil {
		panic("schedctl: " + err.Error())
	}
	return sha256.Sum256(text)
}

// ChangedFields returns the names of the reviewed fields in which next differs from s.
func (s *Series) ChangedFields(next *Series) []string {
	reviewed := s.Template.Reviewed()
	fields := reviewed.Changed(next.Template.Reviewed())
	if !slices.Equal(s.Variants, next.Variants) {
		fields = append(fields, "variants")
	}
	if s.Rule != next.Rule {
		fields = append(fields, "rule")
	}
	return fields
}

// Approved reports whether the series as it is now is approved. The approval is that of
// the template, with the digest of the series.
func (s *Series) Approved() bool {
	a := s.Template.Approval
	return a != nil && a.State == ApprovalApproved && a.Digest == s.ReviewDigest()
}
