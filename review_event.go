package schedctl

import (
	"slices"
	"time"
)

// ReviewEvents lists the types of events of reviews.
func ReviewEvents() []EventType {
	return []EventType{
		EventPostSubmitted, EventPostApproved, EventPostChangesRequested, EventPostWithdrawn, EventPostNoted,
		EventSeriesSubmitted, EventSeriesApproved, EventSeriesChangesRequested, EventSeriesWithdrawn,
	}
}

// IsReviewEvent reports whether an event of the type is a step of a review.
func IsReviewEvent(typ EventType) bool { return slices.Contains(ReviewEvents(), typ) }

// ReviewStep is a step of a review, on the event of the step.
type ReviewStep struct {
	By    KeyRef
	Agent bool   // By is the key of an agent
	Note  string // or the reason; may be empty

	// Version is the version of the post or series that the step was about: the one that
	// waits after it was submitted, or the one that was decided, withdrawn or noted.
	Version int64
}

// newReviewStep returns the step of an actor about a version.
func newReviewStep(by Actor, note string, version int64) *ReviewStep {
	return &ReviewStep{By: by.Key, Agent: by.Agent, Note: note, Version: version}
}

// stepEvent returns the event of a step of a review of the post.
func (p *Post) stepEvent(typ EventType, step *ReviewStep, now time.Time) Event {
	e := p.events(now, typ)[0]
	e.Step = step
	return e
}

// stepEvent returns the event of a step of a review of the series.
func (s *Series) stepEvent(typ EventType, step *ReviewStep, now time.Time) Event {
	e := SeriesEvent(typ, s, nil, now)
	e.Step = step
	return e
}

// reviewChange returns the event of an edit that moved the review to another state: an
// approved post waits again, or lost its approval. It returns nothing for other edits. was is
// the approval before.
func (p *Post) reviewChange(was *Approval, by Actor, now time.Time) []Event {
	if was == nil || was.State != ApprovalApproved || p.Approval == nil {
		return nil
	}
	switch p.Approval.State {
	case ApprovalPending:
		return []Event{p.stepEvent(EventPostSubmitted, newReviewStep(by, "", p.Version), now)}
	case ApprovalWithdrawn: // of the version before the edit
		return []Event{p.stepEvent(EventPostWithdrawn, newReviewStep(by, "", p.Version-1), now)}
	}
	return nil
}
