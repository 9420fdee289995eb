package schedctl

import (
	"fmt"
	"time"
)

// DegradedReply is the code of a degradation that dropped the parent of a reply. No
// further part replies to such a part.
const DegradedReply = "reply"

// PublishedPart is a part of a target that its network has.
type PublishedPart struct {
	ID          string // the network's id
	URL         string // where people see it; may be empty
	Ref         string // needed besides the id to reply to the part; may be empty
	PublishedAt time.Time
	Attempts    int          // 0 if the request of an earlier part published it
	Error       *TargetError // how the part differs from the request, or nil
}

// lostParent reports whether the network published a reply without its parent.
func (d *PublishedPart) lostParent() bool { return d.Error != nil && d.Error.Code == DegradedReply }

// PartState is a part of a target with its progress.
type PartState struct {
	TargetPart
	PublishedPart
	Status Status
}

// PartStates returns the parts of a target with their progress. The status of a part
// that is not published follows from the target: the next part has the target's, and
// those after it wait.
func (p *Post) PartStates(t *Target) []PartState {
	states := make([]PartState, p.PartCount(t))
	for i := range states {
		states[i] = PartState{TargetPart: p.PartFor(t, i), Status: t.laterStatus()}
		switch {
		case i < len(t.Done):
			states[i].PublishedPart, states[i].Status = t.Done[i], Published
			if i > 0 && t.Done[i].Attempts == 0 {
				states[i].Attempts = states[i-1].Attempts
			}
		case len(states) == 1:
			states[i].PublishedPart = PublishedPart{
				ID: t.PlatformPostID, URL: t.PlatformPostURL, PublishedAt: t.PublishedAt, Attempts: t.Attempts, Error: t.Error,
			}
			states[i].Status = t.Status
		case i == len(t.Done) && !t.stoppedByNetwork():
			states[i].PublishedPart = PublishedPart{Attempts: t.PartAttempts(), Error: t.Error}
			states[i].Status = *t.progress()
			if states[i].Status != Failed && t.Error != nil && t.Error.Outcome == OutcomePublished {
				states[i].Error = nil // it is about an earlier part
			}
		}
	}
	return states
}

// laterStatus returns the status of the parts after the next one.
func (t *Target) laterStatus() Status {
	switch t.Status {
	case Draft, Canceled:
		return t.Status
	}
	return Scheduled
}

// stoppedByNetwork reports whether the rest of the thread is not published because the
// network published a reply without its parent.
func (t *Target) stoppedByNetwork() bool {
	return t.Status == Failed && len(t.Done) > 0 && t.Error != nil && t.Error.Outcome == OutcomePublished
}

// PartAttempts returns the number of attempts that were started for the next part.
func (t *Target) PartAttempts() int {
	n := t.Attempts
	for i := range t.Done {
		n -= t.Done[i].Attempts
	}
	return n
}

// CommentOutstanding reports whether the first comment of a published target waits to
// be published, or an attempt for it is running.
func (t *Target) CommentOutstanding() bool { return t.CommentStatus == Publishing }

// progress returns the status that attempts change: that of the first comment once
// the target is published, and that of the target before.
func (t *Target) progress() *Status {
	if t.CommentStatus != "" {
		return &t.CommentStatus
	}
	return &t.Status
}

// degraded returns the first difference between the published parts and the request,
// or nil.
func (t *Target) degraded() *TargetError {
	for i := range t.Done {
		if e := t.Done[i].Error; e != nil {
			return e.clone()
		}
	}
	return nil
}

// finishPart records the parts of a target that one request published. The target is
// published with the last part of its thread.
func (p *Post) finishPart(t *Target, r Receipt, now time.Time) ([]Event, error) {
	if n := len(t.Done) + 1 + len(r.Rest); n > p.PartCount(t) {
		return nil, fmt.Errorf("target %s has %d parts, and the network returned %d", t.ID, p.PartCount(t), n)
	}
	if _, err := NextStatus(*t.progress(), TriggerPublish); err != nil {
		return nil, err
	}
	stopped := p.recordParts(t, r, now)
	p.changed(now)
	switch {
	case t.CommentStatus != "":
		t.Error = t.degraded()
		err := t.move(TriggerPublish)
		return p.completed(nil, now), err
	case len(t.Done) >= p.threadEnd(t):
		return p.finishThread(t, stopped, now)
	case t.Status == Canceled:
		return nil, nil
	case stopped:
		t.Error = t.degradedReply()
		err := t.move(TriggerFail)
		return p.finished(EventPostFailed, t, now), err
	}
	err := t.move(TriggerDefer)
	t.NextAttemptAt = t.position(now)
	return nil, err
}

// position returns the time that keeps the target's position in the queue for its next
// part. It is not in the future, even if the clock was set back since the target was queued.
func (t *Target) position(now time.Time) time.Time {
	if at := t.QueuedAt(); at.Before(now) {
		return at
	}
	return now
}

// recordParts appends the published parts to the target. It reports whether one of
// them lost its parent.
func (p *Post) recordParts(t *Target, r Receipt, now time.Time) (stopped bool) {
	attempts := t.PartAttempts()
	for i, each := range append([]Receipt{r}, r.Rest...) {
		part := PublishedPart{ID: each.ID, URL: each.URL, Ref: each.Ref, PublishedAt: now, Error: each.Degraded.TargetError()}
		if i == 0 {
			part.Attempts = attempts
		}
		stopped = stopped || part.lostParent()
		t.Done = append(t.Done, part)
	}
	t.PlatformPostID, t.PlatformPostURL = t.Done[0].ID, t.Done[0].URL
	t.AttemptsBefore, t.Unreached, t.Error = t.Attempts, 0, nil
	return stopped
}

func (t *Target) degradedReply() *TargetError {
	for i := range t.Done {
		if d := &t.Done[i]; d.lostParent() {
			return d.Error.clone()
		}
	}
	return nil
}

// finishThread changes a target to published after the last part of its thread. A first
// comment that remains is queued, unless the post was canceled or the comment would
// reply to a part that lost its parent.
func (p *Post) finishThread(t *Target, stopped bool, now time.Time) ([]Event, error) {
	canceled := t.Status == Canceled
	if err := t.move(TriggerPublish); err != nil {
		return nil, err
	}
	t.PublishedAt, t.Error = now, t.degraded()
	if p.FirstComment != nil {
		switch {
		case len(t.Done) == p.PartCount(t):
			t.CommentStatus = Published
		case canceled:
			t.CommentStatus = Canceled
		case stopped:
			t.CommentStatus, t.Error = Failed, t.degradedReply()
		default:
			t.CommentStatus, t.NextAttemptAt = Publishing, t.position(now)
		}
	}
	events := []Event{p.targetEvent(EventPostPublished, t, now)}
	if t.CommentStatus == Failed {
		events = append(events, p.targetEvent(EventPostCommentFailed, t, now))
	}
	return p.completed(events, now), nil
}

// completed appends post.completed if no target and no first comment is outstanding.
func (p *Post) completed(events []Event, now time.Time) []Event {
	if s := p.Status(); s != Published && s != Failed {
		return events
	}
	for i := range p.Targets {
		if p.Targets[i].CommentOutstanding() {
			return events
		}
	}
	return append(events, p.events(now, EventPostCompleted)...)
}
