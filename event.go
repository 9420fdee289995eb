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

	// EventPostUnconfirmed says that it is not known whether a network has published
	// a target. It is emitted once, when the doubt begins.
	EventPostUnconfirmed EventType = "post.unconfirmed"

	EventPostCanceled  EventType = "post.canceled"
	EventPostCompleted EventType = "post.completed" // the last target finished
	EventAccountError  EventType = "social_account.error"

	// EventWebhookDisabled tells that a webhook failed for so long that it is no
	// longer told of anything.
	EventWebhookDisabled EventType = "webhook.disabled"

	// EventWebhookTest is sent to one webhook when a person asks for it. Nobody
	// subscribes to it.
	EventWebhookTest EventType = "webhook.test"
)

// EventTypes lists every event type that can be subscribed to.
func EventTypes() []EventType {
	return []EventType{
		EventPostCreated, EventPostScheduled, EventPostQueued, EventPostUpdated, EventPostPublished,
		EventPostUnconfirmed, EventPostFailed, EventPostCanceled, EventPostCompleted, EventAccountError, EventWebhookDisabled,
	}
}

// Event is something that happened, as webhooks and event streams tell it. It
// is stored in the transaction that made it happen.
type Event struct {
	ID          string
	Type        EventType
	CreatedAt   time.Time
	WorkspaceID string
	PostID      string // set on post and target events
	TargetID    string // set on target events
	AccountID   string // set on target and account events
	Platform    string // set on target and account events
	WebhookID   string // set on webhook events
	Status      Status // the target's on target events, the post's on post events

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

// WebhookDisabledEvent tells that schedctl has disabled a webhook.
func WebhookDisabledEvent(w Webhook, now time.Time) Event {
	return webhookEvent(EventWebhookDisabled, w, now)
}

// WebhookTestEvent is what a webhook is sent when a person tests it.
func WebhookTestEvent(w Webhook, now time.Time) Event {
	return webhookEvent(EventWebhookTest, w, now)
}

func webhookEvent(typ EventType, w Webhook, now time.Time) Event {
	now = Millis(now)
	return Event{ID: NewID(EventPrefix, now), Type: typ, CreatedAt: now, WorkspaceID: w.WorkspaceID, WebhookID: w.ID}
}
