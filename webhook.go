package schedctl

import (
	"slices"
	"time"
)

// MaxWebhooks is how many webhooks a workspace can have.
const MaxWebhooks = 50

// MaxWebhookName is the longest name of a webhook, in Unicode code points.
const MaxWebhookName = 80

// Webhook is an address that is told of events, each one signed as Standard
// Webhooks describes (https://www.standardwebhooks.com).
type Webhook struct {
	ID          string
	WorkspaceID string
	Name        string      // may be empty
	URL         string      // sealed: it may be a secret
	EventTypes  []EventType // those it is told of
	Enabled     bool

	// DisabledReason says why schedctl itself disabled it; empty otherwise.
	DisabledReason string

	Secret         []byte    // sealed
	PreviousSecret []byte    // sealed; signs as well until PreviousUntil; nil for none
	PreviousUntil  time.Time // zero for none

	CreatedAt time.Time
	UpdatedAt time.Time // of the last change by a person, or of being disabled

	// Cursor is the id of the last event that was looked at for this webhook:
	// what is younger still has to be told.
	Cursor string

	// FailingSince is when the first delivery failed after the last that
	// succeeded; zero when the last one did.
	FailingSince time.Time

	// Notify makes the webhook a notification; nil for a URL. Then URL and the
	// previous secret are empty, and Secret is the password of the mail server, if
	// there is one.
	Notify *Notify
}

// Wants reports whether the webhook is to be told of the event. A test is told
// only to the webhook that is tested, and not by way of its cursor. An account does
// not carry the message that its own login was refused.
func (w *Webhook) Wants(e *Event) bool {
	if w.Notify != nil && e.Type == EventAccountError && e.AccountID == w.Notify.AccountID {
		return false
	}
	return w.Enabled && e.WorkspaceID == w.WorkspaceID && slices.Contains(w.EventTypes, e.Type)
}

// DeliveryStatus is what became of a delivery.
type DeliveryStatus string

// The statuses of deliveries. A pending one has a next attempt; a failed one was
// given up and can be replayed.
const (
	DeliveryPending   DeliveryStatus = "pending"
	DeliveryDelivered DeliveryStatus = "delivered"
	DeliveryFailed    DeliveryStatus = "failed"
)

// DeliveryStatuses lists every status of a delivery.
func DeliveryStatuses() []DeliveryStatus {
	return []DeliveryStatus{DeliveryPending, DeliveryDelivered, DeliveryFailed}
}

// MaxDeliveryResponse is how much of an endpoint's answer is kept, in bytes.
const MaxDeliveryResponse = 2 << 10

// Delivery is one event told, or to be told, to one webhook, with the last
// attempt at it.
type Delivery struct {
	ID        string
	WebhookID string
	EventID   string
	EventType EventType
	Status    DeliveryStatus

	Attempt    int           // how many attempts were made; 0 before the first
	HTTPStatus int           // of the last answer; 0 when there was none
	Duration   time.Duration // of the last attempt, in milliseconds
	Response   string        // the beginning of the last answer's body
	Error      string        // why there was no answer, for people; empty when there was one

	NextAttemptAt time.Time // zero when none waits
	RetriesFrom   int       // the attempts that were made before the last replay
	CreatedAt     time.Time
	AttemptedAt   time.Time // of the last attempt; zero before the first
}
