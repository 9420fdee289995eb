package schedctl

import (
	"slices"
	"time"
)

// MaxWebhooks is how many webhooks a workspace can have.
const MaxWebhooks = 50

// MaxWebhookName is the longest name of a webhook, in Unicode code points.
const MaxWebhookName = 80

// Webhook is an address that receives events, each one signed as Standard Webhooks
// describes (https://www.standardwebhooks.com).
type Webhook struct {
	ID          string
	WorkspaceID string
	Name        string      // may be empty
	URL         string      // sealed: it may be a secret
	EventTypes  []EventType // the events that it receives
	Enabled     bool

	// DisabledReason is set if schedctl disabled the webhook.
	DisabledReason string

	Secret         []byte    // sealed
	PreviousSecret []byte    // sealed; also signs until PreviousUntil; may be nil
	PreviousUntil  time.Time // or zero

	CreatedAt time.Time
	UpdatedAt time.Time // the last change by a person, or when it was disabled

	// Cursor is the id of the last event that was processed for this webhook. Later
	// events are not sent yet.
	Cursor string

	// FailingSince is the time of the first failure since the last success; zero if
	// the last delivery succeeded.
	FailingSince time.Time

	// Notify makes the webhook a notification; it is nil for a URL. In a notification,
	// URL and PreviousSecret are empty, and Secret is the password of the mail server,
	// if it needs one.
	Notify *Notify
}

// Wants reports whether the webhook receives the event from the outbox. Test events
// are sent to the tested webhook directly. A notification does not receive the event
// that the login of its own account was refused.
func (w *Webhook) Wants(e *Event) bool {
	if w.Notify != nil && e.Type == EventAccountError && e.AccountID == w.Notify.AccountID {
		return false
	}
	return w.Enabled && e.WorkspaceID == w.WorkspaceID && slices.Contains(w.EventTypes, e.Type)
}

// DeliveryStatus is the state of a delivery.
type DeliveryStatus string

// The statuses of deliveries. A pending delivery has a next attempt. A failed delivery
// has no further attempt, and can be replayed.
const (
	DeliveryPending   DeliveryStatus = "pending"
	DeliveryDelivered DeliveryStatus = "delivered"
	DeliveryFailed    DeliveryStatus = "failed"
)

// DeliveryStatuses lists every status of a delivery.
func DeliveryStatuses() []DeliveryStatus {
	return []DeliveryStatus{DeliveryPending, DeliveryDelivered, DeliveryFailed}
}

// MaxDeliveryResponse is the stored length of an endpoint's response, in bytes.
const MaxDeliveryResponse = 2 << 10

// Delivery is one event for one webhook, with the result of the last attempt.
type Delivery struct {
	ID        string
	WebhookID string
	EventID   string
	EventType EventType
	Status    DeliveryStatus

	Attempt    int           // number of attempts; 0 before the first
	HTTPStatus int           // of the last response; 0 without a response
	Duration   time.Duration // of the last attempt, in milliseconds
	Response   string        // the start of the last response's body
	Error      string        // why there was no response, for people; empty after a response

	NextAttemptAt time.Time // zero if no attempt is planned
	RetriesFrom   int       // number of attempts before the last replay
	CreatedAt     time.Time
	AttemptedAt   time.Time // of the last attempt; zero before the first
}
