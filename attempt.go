package schedctl

import (
	"slices"
	"time"
)

// Attempt is one request to a network for one target. It is committed with the outcome
// [OutcomeRunning] before the request is sent, and finished after it. An attempt that
// is still running when a daemon starts has an unknown outcome, unless it is still
// [Attempt.Preparing].
type Attempt struct {
	ID          string
	WorkspaceID string
	PostID      string
	TargetID    string
	AccountID   string
	Number      int // 1 for the first of the target
	Part        int // the index of the first part that the request publishes
	StartedAt   time.Time
	FinishedAt  time.Time // zero while running
	Outcome     Outcome
	Error       *TargetError // nil if published as requested, or running and neither preparing nor unconfirmed
	Asks        int          // how often the network was asked about the post without a result

	// Owner is the daemon run that sends the request. Other nodes may take over after
	// LeaseUntil.
	Owner      string
	LeaseUntil time.Time

	// Key was sent to the network, which recognizes repeats by it. Every repeat uses the
	// same key. It is empty if the network knows no keys.
	Key string

	// Stage is what the network calls the staged post that the request publishes, for a
	// network that publishes in two steps. It is stored before the request is sent, and
	// empty until then. Every repeat publishes the same staged post.
	Stage string
}

// codePreparing marks the error of a running attempt whose files are being prepared.
const codePreparing = "preparing"

// Preparing reports whether the daemon still prepares the files of the post. The attempt
// has sent no request to publish yet, so it has certainly not published.
func (a *Attempt) Preparing() bool {
	return a.Outcome == OutcomeRunning && a.Error != nil && a.Error.Code == codePreparing && a.Error.Outcome == OutcomeNotPublished
}

// StartPreparing marks a running attempt as preparing. It is stored as an error with the
// outcome [OutcomeNotPublished], so that older versions can read it.
func (a *Attempt) StartPreparing() {
	a.Error = &TargetError{
		Kind: KindMedia, Code: codePreparing, Outcome: OutcomeNotPublished, Retryable: true,
		Message: "the daemon prepares the files of the post; no request to publish it was sent",
	}
}

// EndPreparing marks a running attempt as no longer preparing. Store it before the request
// is sent.
func (a *Attempt) EndPreparing() {
	if a.Preparing() {
		a.Error = nil
	}
}

// Receipt is the response of a network that published a post or one part of it.
type Receipt struct {
	ID       string      // the network's id for the post
	URL      string      // where people see it; may be empty
	Degraded Degradation // how the post differs from the request

	// Ref is what the network needs besides the id to reply to the post. See
	// [PublishedPart].
	Ref string

	// Rest are the receipts of the following parts that the same request published.
	Rest []Receipt
}

// Degradation describes what a network changed when it published a post, such as the
// visibility. The zero value means that it changed nothing.
type Degradation struct {
	Code    string // the changed property in lower case, such as "visibility"
	Message string // for people; at most 500 bytes; never contains the text of the post
}

// TargetError returns the degradation as the error that a published target and
// its attempt carry, nil for the zero value.
func (d Degradation) TargetError() *TargetError {
	if d == (Degradation{}) {
		return nil
	}
	return &TargetError{Kind: KindDegraded, Code: d.Code, Message: d.Message, Outcome: OutcomePublished}
}

// Equal reports whether two receipts have the same fields.
func (r Receipt) Equal(o Receipt) bool {
	return r.ID == o.ID && r.URL == o.URL && r.Degraded == o.Degraded && r.Ref == o.Ref && slices.EqualFunc(r.Rest, o.Rest, Receipt.Equal)
}
