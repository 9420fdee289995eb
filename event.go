package schedctl

import "time"

// EventType names what happened.
type EventType string

// The event types. Those about one target say so.
const (
	EventPostCreated   EventType = "post.created"
	EventPostScheduled EventType = "post.scheduled"
	EventPostQueued    EventType = "post.queued" // one for each target that gets a publish job
	EventPostUpdated   EventType = "post.updated"
	EventPostPublished EventType = "post.published" // one target
	EventPostFailed    EventType = "post.failed"    // one target
	EventPostCanceled  EventType = "post.canceled"
	EventPostCompleted EventType = "post.completed" // the last target finished
	EventAccountError  EventType = "social_account.error"
)

// EventTypes lists every event type.
func EventTypes() []EventType {
	return []EventType{
		EventPostCreated, EventPostScheduled, EventPostQueued, EventPostUpdated, EventPostPublished,
		EventPostFailed, EventPostCanceled, EventPostCompleted, EventAccountError,
	}
}

// Event is something that happened, as webhooks and event streams tell it. It
// is stored in the transaction that made it happen.
type Event struct {
	ID          string
	Type        EventType
	CreatedAt   time.Time
	WorkspaceID string
	PostID      string // empty on account events
	TargetID    string // set on target events
	AccountID   string // set on target and account events
	Platform    string // set on target and account events
	Status      Status // the target's on target events, else the post's; empty on account events

	PlatformPostID  string
	PlatformPostURL string
	PublishedAt     time.Time
	Error           *TargetError
}

// AccountErrorEvent tells that an account's network refused it.
func AccountErrorEvent(a Account, now time.Time) Event {
	now = Millis(now)
	return Event{
		ID: NewID(EventPrefix, now), Type: EventAccountError, CreatedAt: now,
		WorkspaceID: a.WorkspaceID, AccountID: a.ID, Platform: a.Platform, Error: a.Error,
	}
}
