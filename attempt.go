package schedctl

import "time"

// Attempt is one call to a network for one target. It is committed with outcome
// [OutcomeRunning] before the call is made and finished after it; one that is
// still running when a daemon starts has an unknown outcome.
type Attempt struct {
	ID          string
	WorkspaceID string
	PostID      string
	TargetID    string
	AccountID   string
	Number      int // 1 for the first of the target
	StartedAt   time.Time
	FinishedAt  time.Time // zero while running
	Outcome     Outcome
	Error       *TargetError // nil when published as it was asked for, and while running and not in doubt
	Asks        int          // how often the network was asked in vain whether it has the post

	// Owner is the daemon run that makes the call, LeaseUntil the instant after
	// which another may assume that it is gone.
	Owner      string
	LeaseUntil time.Time

	// Key is what the network was given to recognise a repeat, frozen here so
	// that a repeat is the same call; empty when there is none.
	Key string
}

// Receipt is what a network answers when it has published.
type Receipt struct {
	ID       string      // the network's id for the post
	URL      string      // where people see it; may be empty
	Degraded Degradation // how the post differs from what was asked for
}

// Degradation says what a network changed about a post that it has published,
// such as its visibility. The zero value means nothing.
type Degradation struct {
	Code    string // what was changed, in lower case, such as "visibility"
	Message string // for people; at most 500 bytes, without the text of the post
}

// TargetError returns the degradation as the error that a published target and
// its attempt carry, nil for the zero value.
func (d Degradation) TargetError() *TargetError {
	if d == (Degradation{}) {
		return nil
	}
	return &TargetError{Kind: KindDegraded, Code: d.Code, Message: d.Message, Outcome: OutcomePublished}
}
