package schedctl

import (
	"slices"
	"time"
)

// Retry queues failed targets and failed first comments again: those of the named
// targets, or all if none is named. They continue with the first part that is not
// published. A target with an unknown outcome may be published already, and is queued
// only with Force; so is the rest of a thread whose last part lost its parent. For a
// target that waits for its network, or for the next attempt, Retry sets AskAt to now, with or
// without Force.
// Errors: [PostNotRetryable], [PostCanceled], [ValidationFailed].
func (p *Post) Retry(r Retry, now time.Time) ([]Event, error) {
	if err := p.CheckOperation(OpRetry); err != nil {
		return nil, err
	}
	if p.ResentAs != "" {
		return nil, p.errResent()
	}
	now = Millis(now)
	next := p.Clone()
	next.ArchivedAt = time.Time{}
	queued, waiting := 0, map[string]bool{}
	for i := range next.Targets {
		t := &next.Targets[i]
		named := slices.Contains(r.TargetIDs, t.ID)
		if _, waits := t.Due(); waits {
			waiting[t.ID] = true
		}
		if t.triedNow() && (len(r.TargetIDs) == 0 || named) {
			t.AskAt = now
			if t.NextAttemptAt.After(now) {
				t.NextAttemptAt = now
			}
			queued++
			continue
		}
		if *t.progress() != Failed || (len(r.TargetIDs) > 0 && !named) || t.needsForce() && !r.Force {
			continue
		}
		if err := t.move(TriggerRetry); err != nil {
			return nil, err
		}
		t.NextAttemptAt, t.RetriedAt, t.AttemptsBefore, t.Unreached = now, now, t.Attempts, 0
		queued++
	}
	if err := p.checkRetry(r, queued); err != nil {
		return nil, err
	}
	next.changed(now)
	*p = next
	return p.queued(nil, now, waiting), nil
}

// triedNow reports whether a retry only ends the wait of the target.
func (t *Target) triedNow() bool { return t.WaitsForNetwork() || t.Retries() }

// retryStatus returns the status of the post, or that of its first comments if only
// they can be retried.
func (p *Post) retryStatus() Status {
	status := p.Status()
	for i := range p.Targets {
		if t := &p.Targets[i]; status == Published && (t.CommentStatus == Failed || t.WaitsForNetwork()) {
			return t.CommentStatus
		}
	}
	return status
}

// needsForce reports whether a retry of a failed target may publish a part twice, or a
// part that replies to the wrong one.
func (t *Target) needsForce() bool {
	return t.Error != nil && (t.Error.Outcome == OutcomeUnknown || t.Error.Outcome == OutcomePublished)
}

func (p *Post) checkRetry(r Retry, queued int) error {
	for _, id := range r.TargetIDs {
		t := p.Target(id)
		if t == nil {
			return Errorf(ValidationFailed, "target_ids", "%s is not a target of this post", id)
		}
		if t.triedNow() {
			continue
		}
		if status := *t.progress(); status != Failed {
			return Errorf(PostNotRetryable, "target_ids", "target %s is %s; only failed targets, and those that wait for their network, can be retried", id, status)
		}
		if t.needsForce() && !r.Force {
			queued = 0
		}
	}
	switch {
	case queued > 0:
		return nil
	case p.Status() == Publishing:
		return Errorf(PostNotRetryable, "", "the post is publishing: %s", rules[OpRetry].advice)
	case p.lostParent():
		return Errorf(PostNotRetryable, "", "the network published a part without its parent; check the thread there first, then retry with force")
	default:
		return Errorf(PostNotRetryable, "", "the network may have published this already; check there first, then retry with force")
	}
}

// lostParent reports whether a part of the post lost its parent on the network.
func (p *Post) lostParent() bool {
	for i := range p.Targets {
		if p.Targets[i].degradedReply() != nil {
			return true
		}
	}
	return false
}
