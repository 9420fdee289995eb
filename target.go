package schedctl

import "time"

// Target is a post's way to one account. All its times are UTC; a zero time
// means that there is none.
type Target struct {
	ID        string
	AccountID string
	Platform  string
	Status    Status
	PublishAt time.Time // when it shall go out; zero on a draft

	// Content and Options are this account's own, in place of the post's content
	// and over the account's options; empty and nil for none. See [Override].
	Content string
	Options Options

	// NextAttemptAt is set exactly while the target is publishing and waits to
	// be claimed: queued by publish-now or retry, between two attempts, or held
	// by its account. It is zero while an attempt is running.
	NextAttemptAt time.Time
	Attempts      int // attempts begun, ever

	// AskAt is when schedctl next asks or calls the network about a target that is
	// publishing and in doubt, or waits in its place for its account; else zero.
	// NextAttemptAt is the place in the queue then, and not a time to wait for.
	AskAt time.Time

	// RetriedAt and AttemptsBefore describe the last retry that a person asked
	// for: lateness counts from RetriedAt, the attempt limit from AttemptsBefore.
	RetriedAt      time.Time
	AttemptsBefore int

	// Unreached counts the attempts since then that did not reach the network. They
	// do not count towards the attempt limit.
	Unreached int

	PlatformPostID  string
	PlatformPostURL string
	PublishedAt     time.Time
	Error           *TargetError // why the last attempt did not publish, or what the network changed; else nil
}

// Due returns the instant at which the target is to be claimed, and whether it
// waits for one at all. The store keeps its due index by it.
func (t *Target) Due() (at time.Time, waiting bool) {
	switch t.Status {
	case Scheduled:
		return t.PublishAt, true
	case Publishing:
		return t.NextAttemptAt, !t.NextAttemptAt.IsZero()
	default:
		return time.Time{}, false
	}
}

// LateSince returns the instant from which the target's lateness counts: its
// time, or the moment of the last retry that a person asked for.
func (t *Target) LateSince() time.Time {
	if t.RetriedAt.After(t.PublishAt) {
		return t.RetriedAt
	}
	return t.PublishAt
}

// Tries returns how many attempts were begun since the target was last queued
// by a person.
func (t *Target) Tries() int { return t.Attempts - t.AttemptsBefore }

// ShownNext returns when something next happens to the target by itself, or the zero
// time: AskAt where that is set, else NextAttemptAt.
func (t *Target) ShownNext() time.Time {
	if !t.AskAt.IsZero() {
		return t.AskAt
	}
	return t.NextAttemptAt
}

// WaitsForNetwork reports whether the target is publishing and schedctl will ask
// or call its network again because the last call got no usable response.
func (t *Target) WaitsForNetwork() bool {
	if t.Status != Publishing || t.AskAt.IsZero() || t.Error == nil {
		return false
	}
	return t.Error.Kind == KindNetwork || (t.Error.Outcome == OutcomeUnknown && t.Error.Kind != KindRateLimited)
}

// move applies the transition table.
func (t *Target) move(by Trigger) error {
	to, err := NextStatus(t.Status, by)
	if err != nil {
		return err
	}
	t.Status = to
	t.NextAttemptAt, t.AskAt = time.Time{}, time.Time{}
	return nil
}

// ErrorKind groups the reasons for which a network did not publish, by what
// follows from them.
type ErrorKind string

// The kinds of target errors. Only [KindRateLimited], [KindNetwork] and
// [KindPlatform] are retried by themselves; [KindAuth] holds the account's
// queue until the account works again.
const (
	KindAuth        ErrorKind = "auth"         // the account's credentials were refused
	KindRateLimited ErrorKind = "rate_limited" // too many calls; the network says when to return
	KindContent     ErrorKind = "content"      // the network refuses this text
	KindMedia       ErrorKind = "media"        // the network refuses an attachment
	KindDuplicate   ErrorKind = "duplicate"    // the network says it has this post already
	KindNetwork     ErrorKind = "network"      // no answer: name, connection, TLS, time-out
	KindPlatform    ErrorKind = "platform"     // the network answered with a fault of its own
	KindMissed      ErrorKind = "missed"       // found too long after its time
	KindUnknown     ErrorKind = "unknown"      // the daemon ended during the call
	KindDegraded    ErrorKind = "degraded"     // published, but not as it was asked for: a warning
)

// ErrorKinds lists every kind.
func ErrorKinds() []ErrorKind {
	return []ErrorKind{
		KindAuth, KindRateLimited, KindContent, KindMedia, KindDuplicate,
		KindNetwork, KindPlatform, KindMissed, KindUnknown, KindDegraded,
	}
}

// Retryable reports whether an error of this kind is retried by itself.
func (k ErrorKind) Retryable() bool {
	return k == KindRateLimited || k == KindNetwork || k == KindPlatform
}

// Outcome is what is known about one attempt.
type Outcome string

// The outcomes. An unknown outcome is never followed by a blind second call.
const (
	OutcomeRunning      Outcome = "running"
	OutcomePublished    Outcome = "published"
	OutcomeNotPublished Outcome = "not_published"
	OutcomeUnknown      Outcome = "unknown" // the network may or may not have it
)

// TargetError says why a target was not published. With [KindDegraded] and
// [OutcomePublished] it says how a published target differs from what was asked
// for. It never holds the text of the post nor a credential.
type TargetError struct {
	Kind       ErrorKind
	Code       string // the network's own code, or ours in lower case; may be empty
	Message    string // at most 500 bytes
	HTTPStatus int    // 0 when there was no HTTP answer
	Retryable  bool   // whether schedctl will try again, or a retry may help
	Outcome    Outcome
}
