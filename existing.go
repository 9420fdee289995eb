package schedctl

import (
	"slices"
	"time"
)

// Existing says what becomes of scheduled posts and active series that lack an approval
// when a change of a policy demands one.
type Existing string

// The values. The empty one refuses such a change.
const (
	ExistingApprove Existing = "approve" // the key that changes the policy approves them
	ExistingSubmit  Existing = "submit"  // drafts that wait for an approval and propose their time
)

// LacksApproval reports whether the post needs an approval on one of the accounts, and has
// none. If each text needs two people, the approval of its last editor does not count.
func (p *Post) LacksApproval(accounts []Account, fourEyes bool) bool {
	if p.Approved() && !(fourEyes && p.decidedByEditor()) {
		return false
	}
	return p.Restricted || slices.ContainsFunc(accounts, func(a Account) bool { return p.NeedsApproval(&a) })
}

// LacksApproval is [Post.LacksApproval] for the series.
func (s *Series) LacksApproval(accounts []Account, fourEyes bool) bool {
	return (!s.Approved() || fourEyes && s.Template.decidedByEditor()) && s.NeedsApproval(accounts)
}

// decidedByEditor reports whether the last decision is that of the key that edited the text
// last. A merged pull request is the review of others.
func (r *Review) decidedByEditor() bool {
	return r.Approval != nil && r.Approval.Source == "" && r.Approval.DecidedBy.ID == r.EditorID
}

// Settlement decides about a post or a series that needs an approval after a change of a
// policy.
type Settlement struct {
	Existing  Existing
	By        Actor  // who changes the policy
	Requester KeyRef // the author
}

// approval returns the approval of what has this digest, before the change. Errors:
// [SelfApproval] if the actor cannot approve it.
func (s *Settlement) approval(r *Review, digest [32]byte, now time.Time) (*Approval, error) {
	a := &Approval{State: ApprovalPending, RequestedBy: s.Requester, RequestedAt: now, Digest: digest}
	if s.Existing == ExistingSubmit {
		return a, nil
	}
	editor := s.By.Key.ID == r.EditorID
	if s.By.Restricted && editor || s.By.FourEyes && (editor || s.By.Key.ID == s.Requester.ID) {
		return nil, Errorf(SelfApproval, "existing", "this key wrote some of the posts and cannot approve them; give existing: submit (--existing submit), or use the key of another person")
	}
	a.State, a.DecidedBy, a.DecidedAt = ApprovalApproved, s.By.Key, now
	return a, nil
}

// Settle approves a scheduled post, or makes it a pending draft that proposes its time.
// Errors: [SelfApproval].
func (p *Post) Settle(s Settlement, now time.Time) ([]Event, error) {
	now = Millis(now)
	next := p.Clone()
	var err error
	next.Changes = p.ChangesRequested()
	if next.Approval, err = s.approval(&p.Review, p.ReviewDigest(), now); err != nil {
		return nil, err
	}
	if s.Existing == ExistingSubmit {
		if err := next.takeBack(); err != nil {
			return nil, err
		}
		return p.reviewStep(next, EventPostSubmitted, newReviewStep(s.By, "", p.Version+1), now), nil
	}
	next.Decided, next.Changes = string(next.reviewedText()), nil
	events := p.reviewStep(next, EventPostApproved, newReviewStep(s.By, "", p.Version), now)
	events[0].Edited = s.By.Key.ID == p.EditorID
	return events, nil
}

// Settle approves an active series, or makes it wait for an approval. The caller changes its
// posts. Errors: [SelfApproval].
func (s *Series) Settle(by Settlement, now time.Time) (Event, error) {
	a, err := by.approval(&s.Template.Review, s.ReviewDigest(), Millis(now))
	if err != nil {
		return Event{}, err
	}
	edited := a.State == ApprovalApproved && by.By.Key.ID == s.Template.EditorID
	s.Template.Changes = s.Template.ChangesRequested()
	e := s.review(*a, by.By, now)
	if e.Edited = edited; a.State == ApprovalApproved {
		s.Template.Changes = nil
	}
	return e, nil
}
