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
	Error       *TargetError // nil when published or running

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
	ID  string // the network's id for the post
	URL string // where people see it; may be empty
}
