package apiv1

import "github.com/schedctl/schedctl"

// Event is something that happened, as webhooks are told it and as GET /events
// streams it.
type Event struct {
	ID        string             `json:"id"`
	Type      schedctl.EventType `json:"type"`
	CreatedAt *Time              `json:"created_at"`
	Data      EventData          `json:"data"`
}

// EventData says what it happened to. What does not apply to an event of the
// type is absent.
type EventData struct {
	WorkspaceID     string          `json:"workspace_id"`
	PostID          string          `json:"post_id,omitempty"`
	TargetID        string          `json:"target_id,omitempty"`
	SocialAccountID string          `json:"social_account_id,omitempty"`
	WebhookID       string          `json:"webhook_id,omitempty"`
	Platform        string          `json:"platform,omitempty"`
	Status          schedctl.Status `json:"status,omitempty"`
	PlatformPostID  string          `json:"platform_post_id,omitempty"`
	PlatformPostURL string          `json:"platform_post_url,omitempty"`
	PublishedAt     *Time           `json:"published_at,omitempty"`
	Error           *TargetError    `json:"error,omitempty"`
}

// NewEvent returns the wire form of an event.
func NewEvent(e schedctl.Event) Event {
	return Event{ID: e.ID, Type: e.Type, CreatedAt: NewTime(e.CreatedAt), Data: EventData{
		WorkspaceID: e.WorkspaceID, PostID: e.PostID, TargetID: e.TargetID, SocialAccountID: e.AccountID,
		WebhookID: e.WebhookID, Platform: e.Platform, Status: e.Status,
		PlatformPostID: e.PlatformPostID, PlatformPostURL: e.PlatformPostURL,
		PublishedAt: NewTime(e.PublishedAt), Error: NewTargetError(e.Error),
	}}
}
