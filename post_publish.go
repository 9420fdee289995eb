package schedctl

import (
	"fmt"
	"time"
)

// Claim describes the owner of a new attempt for a target.
type Claim struct {
	TargetID string
	Owner    string        // the daemon run
	Lease    time.Duration // time until other nodes may take over
	Key      string        // sent to the network, which recognizes repeats by it
}

// Begin starts an attempt for a waiting target. Store the returned attempt in the
// same transaction as the post, before the request to the network.
func (p *Post) Begin(c Claim, now time.Time) (Attempt, error) {
	now = Millis(now)
	targetID := c.TargetID
	t := p.Target(targetID)
	if t == nil {
		return Attempt{}, fmt.Errorf("post %s has no target %s", p.ID, targetID)
	}
	if _, waiting := t.Due(); !waiting {
		return Attempt{}, fmt.Errorf("target %s is %s and waits for nothing", targetID, t.Status)
	}
	if err := t.move(TriggerClaim); err != nil {
		return Attempt{}, err
	}
	t.Attempts++
	p.changed(now)
	return Attempt{
		ID: NewID(AttemptPrefix, now), WorkspaceID: p.WorkspaceID, PostID: p.ID, TargetID: t.ID, AccountID: t.AccountID,
		Number: t.Attempts, Part: len(t.Done), StartedAt: now, Outcome: OutcomeRunning,
		Owner: c.Owner, LeaseUntil: now.Add(c.Lease), Key: c.Key,
	}, nil
}

// Result is how an attempt ended, or why a target never had one.
type Result struct {
	Receipt *Receipt     // set when the network has published
	Error   *TargetError // set otherwise
	RetryAt time.Time    // with Error: when to try again; zero to give up

	// With RetryAt: AskAt is when the target is tried again, if RetryAt is only its
	// position in the queue. Unreached says that the request did not reach the network.
	AskAt     time.Time
	Unreached bool
}

// Finish applies the end of an attempt to its target. A target with further parts to
// publish is due again at once. A target that was canceled during the attempt becomes
// published if the network has all of it except for the first comment. Otherwise it
// stays canceled, with the error if its outcome is unknown.
func (p *Post) Finish(targetID string, r Result, now time.Time) ([]Event, error) {
	now = Millis(now)
	t := p.Target(targetID)
	if t == nil {
		return nil, fmt.Errorf("post %s has no target %s", p.ID, targetID)
	}
	switch {
	case r.Receipt != nil && p.PartCount(t) > 1:
		return p.finishPart(t, *r.Receipt, now)
	case r.Receipt != nil:
		return p.finishPublished(t, *r.Receipt, now)
	case *t.progress() == Canceled:
		if r.Error.Outcome == OutcomeUnknown {
			final := *r.Error
			final.Retryable = false // on every network: the post is canceled
			t.Error = &final
			p.changed(now)
		}
		return nil, nil
	case !r.RetryAt.IsZero():
		if err := t.move(TriggerDefer); err != nil {
			return nil, err
		}
		t.NextAttemptAt, t.AskAt = Millis(r.RetryAt), Millis(r.AskAt)
		if r.Unreached {
			t.Unreached++
		}
		p.changed(now)
		known := t.Tries() > 1 && t.Error != nil && t.Error.Outcome == OutcomeUnknown
		return p.inDoubt(t, r.Error, known, now), nil
	}
	if err := t.move(TriggerFail); err != nil {
		return nil, err
	}
	t.Error = r.Error
	p.changed(now)
	if t.CommentStatus != "" {
		return p.finished(EventPostCommentFailed, t, now), nil
	}
	return p.finished(EventPostFailed, t, now), nil
}

// Doubt records that the outcome of the running attempt of a target is unknown, and
// when schedctl asks the network next. It changes nothing if the target has no
// running attempt.
func (p *Post) Doubt(targetID string, e *TargetError, askAt, now time.Time) []Event {
	t := p.Target(targetID)
	if t == nil || *t.progress() != Publishing || !t.NextAttemptAt.IsZero() {
		return nil
	}
	now = Millis(now)
	known := !t.AskAt.IsZero()
	t.AskAt = Millis(askAt)
	p.changed(now)
	return p.inDoubt(t, e, known, now)
}

// inDoubt sets the error of a target that is publishing. It returns an event if the
// outcome is unknown and was not unknown before.
func (p *Post) inDoubt(t *Target, e *TargetError, known bool, now time.Time) []Event {
	t.Error = e
	if known || e.Outcome != OutcomeUnknown {
		return nil
	}
	return []Event{p.targetEvent(EventPostUnconfirmed, t, now)}
}

// Rebase corrects the times of waiting targets after the clock was set back: they
// wait as long as was planned, and no longer. A post whose UpdatedAt is in the future
// was changed by the wrong clock. Rebase reports whether it changed a time.
func (p *Post) Rebase(now time.Time) (rebased bool) {
	now = Millis(now)
	if !p.UpdatedAt.After(now) {
		return false
	}
	for i := range p.Targets {
		t := &p.Targets[i]
		if at, waiting := t.Due(); waiting && t.Status != Scheduled && at.After(now) {
			t.NextAttemptAt = now.Add(max(0, at.Sub(p.UpdatedAt)))
			rebased = true
		}
		if t.AskAt.After(now) {
			t.AskAt = now.Add(max(0, t.AskAt.Sub(p.UpdatedAt)))
			rebased = true
		}
	}
	if rebased {
		p.changed(now)
	}
	return rebased
}

func (p *Post) finishPublished(t *Target, r Receipt, now time.Time) ([]Event, error) {
	if err := t.move(TriggerPublish); err != nil {
		return nil, err
	}
	t.PlatformPostID, t.PlatformPostURL, t.PublishedAt, t.Error = r.ID, r.URL, now, r.Degraded.TargetError()
	p.changed(now)
	return p.finished(EventPostPublished, t, now), nil
}

// finished returns the target's event, and post.completed when it was the last.
func (p *Post) finished(typ EventType, t *Target, now time.Time) []Event {
	return p.completed([]Event{p.targetEvent(typ, t, now)}, now)
}
