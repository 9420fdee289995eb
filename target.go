package schedctl

import (
	"iter"
	"slices"
	"time"
)

// Target is one post on one account, with its own status. All times are in UTC; a
// zero time means that the time is not set.
type Target struct {
	ID        string
	AccountID string
	Platform  string
	Status    Status
	PublishAt time.Time // when to publish; zero for a draft

	Partial // the override of the account

	// NextAttemptAt is set while the target is publishing and waits to be claimed:
	// queued by publish-now or retry, between two attempts or two parts, or held by its
	// account. It is also set while the first comment of a published target waits. It is
	// zero while an attempt is running.
	NextAttemptAt time.Time
	Attempts      int // number of attempts that were started, for all parts

	// AskAt is when schedctl next contacts the network about a target that is
	// unconfirmed, or that keeps its position while its account waits; otherwise zero.
	// While AskAt is set, NextAttemptAt is only the position in the queue.
	AskAt time.Time

	// RetriedAt and AttemptsBefore describe the last retry by a person: lateness
	// counts from RetriedAt, and the attempt limit from AttemptsBefore. The limit also
	// starts again with each part.
	RetriedAt      time.Time
	AttemptsBefore int

	// Unreached counts the attempts since the last retry, for the same part, that did
	// not reach the network. They do not count towards the attempt limit.
	Unreached int

	PlatformPostID  string // of part 0
	PlatformPostURL string // of part 0
	PublishedAt     time.Time
	Error           *TargetError // why the last attempt failed, or what the network changed; otherwise nil

	// Done holds the parts that the network has: the first ones, in order. The next part
	// has the index len(Done). It stays empty if the target has only one part.
	Done []PublishedPart

	// CommentStatus is the status of the first comment of a published target:
	// publishing, published, failed or canceled. Otherwise it is empty.
	CommentStatus Status
}

func (t *Target) clone() Target {
	c := *t
	c.Partial, c.Done = t.Partial.clone(), slices.Clone(t.Done)
	c.Error = t.Error.clone()
	for i := range c.Done {
		c.Done[i].Error = c.Done[i].Error.clone()
	}
	return c
}

// PlatformIDs returns the network's ids of the published target and of its published
// parts. It can return an id twice.
func (t *Target) PlatformIDs() iter.Seq[string] {
	return func(yield func(string) bool) {
		if t.Status == Published && t.PlatformPostID != "" && !yield(t.PlatformPostID) {
			return
		}
		for i := range t.Done {
			if id := t.Done[i].ID; id != "" && !yield(id) {
				return
			}
		}
	}
}

// Due returns the time at which the target can be claimed, and whether it waits to
// be claimed. The store derives the due index from it.
func (t *Target) Due() (at time.Time, waiting bool) {
	switch *t.progress() {
	case Scheduled:
		return t.PublishAt, true
	case Publishing:
		return t.NextAttemptAt, !t.NextAttemptAt.IsZero()
	default:
		return time.Time{}, false
	}
}

// QueuedAt returns the time that gives the target its position in the queue of its
// account: its publish time, or the time of the last retry by a person.
func (t *Target) QueuedAt() time.Time {
	if t.RetriedAt.After(t.PublishAt) {
		return t.RetriedAt
	}
	return t.PublishAt
}

// Begun reports whether a part of the target is published. A hold of a label does not stop
// the rest, because other targets of the account wait for its thread.
func (t *Target) Begun() bool { return len(t.Done) > 0 || t.Status == Published }

// LateSince returns the time from which the lateness of the next part counts:
// QueuedAt, or the publication of the part before it.
func (t *Target) LateSince() time.Time {
	since := t.QueuedAt()
	if n := len(t.Done); n > 0 && t.Done[n-1].PublishedAt.After(since) {
		return t.Done[n-1].PublishedAt
	}
	return since
}

// Tries returns how many attempts were started for the next part since a person last
// queued the target.
func (t *Target) Tries() int { return t.Attempts - t.AttemptsBefore }

// ShownNext returns the time of the next automatic action for the target: AskAt if it
// is set, otherwise NextAttemptAt. It returns the zero time if none is planned.
func (t *Target) ShownNext() time.Time {
	if !t.AskAt.IsZero() {
		return t.AskAt
	}
	return t.NextAttemptAt
}

// WaitsForNetwork reports whether the target or its first comment is publishing and schedctl will contact
// its network again because the last request got no usable response.
func (t *Target) WaitsForNetwork() bool {
	if *t.progress() != Publishing || t.AskAt.IsZero() || t.Error == nil {
		return false
	}
	return t.Error.Kind == KindNetwork || (t.Error.Outcome == OutcomeUnknown && t.Error.Kind != KindRateLimited)
}

// Retries reports whether the target or its first comment is publishing and will be tried
// again at a later time, because the network limits the rate of requests or failed.
func (t *Target) Retries() bool {
	return *t.progress() == Publishing && !t.AskAt.IsZero() && t.Error != nil && t.Error.Retryable && t.Error.Outcome == OutcomeNotPublished
}

// move applies the transition table to the target, or to the first comment of a
// published target.
func (t *Target) move(by Trigger) error {
	status := t.progress()
	to, err := NextStatus(*status, by)
	if err != nil {
		return err
	}
	*status = to
	t.NextAttemptAt, t.AskAt = time.Time{}, time.Time{}
	return nil
}

// ErrorKind groups the reasons for a failed target by what schedctl does next.
type ErrorKind string

// The kinds of target errors. Only [KindRateLimited], [KindNetwork] and
// [KindPlatform] are retried automatically; [KindAuth] holds the account's
// queue until the account works again.
const (
	KindAuth        ErrorKind = "auth"         // the account's credentials were refused
	KindRateLimited ErrorKind = "rate_limited" // too many requests; the network says when to try again
	KindContent     ErrorKind = "content"      // the network refuses this text
	KindMedia       ErrorKind = "media"        // the network refuses an attachment
	KindDuplicate   ErrorKind = "duplicate"    // the network reports that it already has this post
	KindNetwork     ErrorKind = "network"      // no response: name resolution, connection, TLS or timeout
	KindPlatform    ErrorKind = "platform"     // the network responded with an internal error
	KindMissed      ErrorKind = "missed"       // found later than the late limit allows
	KindUnknown     ErrorKind = "unknown"      // the daemon ended during the request
	KindApproval    ErrorKind = "approval"     // what it publishes is not approved
	KindDegraded    ErrorKind = "degraded"     // published, but not as requested: a warning
)

// ErrorKinds lists every kind.
func ErrorKinds() []ErrorKind {
	return []ErrorKind{
		KindAuth, KindRateLimited, KindContent, KindMedia, KindDuplicate,
		KindNetwork, KindPlatform, KindMissed, KindUnknown, KindApproval, KindDegraded,
	}
}

// Retryable reports whether an error of this kind is retried automatically.
func (k ErrorKind) Retryable() bool {
	return k == KindRateLimited || k == KindNetwork || k == KindPlatform
}

// Outcome is what is known about one attempt.
type Outcome string

// The outcomes. After an unknown outcome, schedctl never sends the post again blindly.
const (
	OutcomeRunning      Outcome = "running"
	OutcomePublished    Outcome = "published"
	OutcomeNotPublished Outcome = "not_published"
	OutcomeUnknown      Outcome = "unknown" // the network may or may not have it
)

// TargetError is the reason why a target was not published. With [KindDegraded] and
// [OutcomePublished], it says how a published target differs from the request. It
// never contains the text of the post or a credential.
type TargetError struct {
	Kind       ErrorKind
	Code       string // the network's code, or one of schedctl in lower case; may be empty
	Message    string // at most 500 bytes
	HTTPStatus int    // 0 without an HTTP response
	Retryable  bool   // whether schedctl tries again, or a retry may help
	Outcome    Outcome
}

func (e *TargetError) clone() *TargetError {
	if e == nil {
		return nil
	}
	return new(*e)
}
