package apiv1

import "github.com/schedctl/schedctl"

// Webhook is an address that is told of events; never its secret.
type Webhook struct {
	ID             string               `json:"id"`
	Name           *string              `json:"name"`
	URL            string               `json:"url"`
	EventTypes     []schedctl.EventType `json:"event_types"`
	Enabled        bool                 `json:"enabled"`
	DisabledReason *string              `json:"disabled_reason"`
	FailingSince   *Time                `json:"failing_since"`
	CreatedAt      *Time                `json:"created_at"`
	UpdatedAt      *Time                `json:"updated_at"`
}

// WebhookEnvelope is the answer of calls about one webhook.
type WebhookEnvelope struct {
	Webhook Webhook `json:"webhook"`
}

// WebhookSecret is the answer that shows a secret, once.
type WebhookSecret struct {
	Webhook Webhook `json:"webhook"`
	Secret  string  `json:"secret"`
}

// WebhookList is all webhooks in order of creation.
type WebhookList struct {
	Results []Webhook `json:"results"`
	Count   int       `json:"count"`
}

// CreateWebhook is the body of POST /webhooks. Without a secret one is made.
type CreateWebhook struct {
	URL        string               `json:"url"`
	EventTypes []schedctl.EventType `json:"event_types"`
	Name       *string              `json:"name,omitempty"`
	Enabled    *bool                `json:"enabled,omitempty"`
	Secret     *string              `json:"secret,omitempty"`
}

// EditWebhook is the body of PATCH /webhooks/{id}; absent fields stay as they
// are.
type EditWebhook struct {
	URL        *string               `json:"url,omitempty"`
	EventTypes *[]schedctl.EventType `json:"event_types,omitempty"`
	Name       *string               `json:"name,omitempty"`
	Enabled    *bool                 `json:"enabled,omitempty"`
}

// Delivery is one event told, or to be told, to one webhook, with the last
// attempt at it.
type Delivery struct {
	ID            string                  `json:"id"`
	EventID       string                  `json:"event_id"`
	EventType     schedctl.EventType      `json:"event_type"`
	Attempt       int                     `json:"attempt"`
	Status        schedctl.DeliveryStatus `json:"status"`
	HTTPStatus    *int                    `json:"http_status"`
	DurationMS    *int64                  `json:"duration_ms"`
	Response      *string                 `json:"response"`
	Error         *string                 `json:"error"`
	NextAttemptAt *Time                   `json:"next_attempt_at"`
	CreatedAt     *Time                   `json:"created_at"`
	AttemptedAt   *Time                   `json:"attempted_at"`
}

// DeliveryEnvelope is the answer of calls about one delivery.
type DeliveryEnvelope struct {
	Delivery Delivery `json:"delivery"`
}

// DeliveryList is one page of deliveries, the youngest first.
type DeliveryList struct {
	Results    []Delivery `json:"results"`
	Count      int        `json:"count"`
	NextCursor *string    `json:"next_cursor"`
}

// WebhookTest is the answer of POST /webhooks/{id}/test.
type WebhookTest struct {
	Webhook  Webhook  `json:"webhook"`
	Delivery Delivery `json:"delivery"`
}

// ReplayWebhook is the body of POST /webhooks/{id}/replay: every failed delivery
// of events since then is queued again.
type ReplayWebhook struct {
	Since Time `json:"since"`
}

// WebhookReplay is the answer of POST /webhooks/{id}/replay.
type WebhookReplay struct {
	Webhook Webhook `json:"webhook"`
	Count   int     `json:"count"` // deliveries that were queued again
}

// NewWebhook returns the wire form of a webhook.
func NewWebhook(w schedctl.Webhook) Webhook {
	return Webhook{
		ID: w.ID, Name: optional(w.Name), URL: w.URL, EventTypes: append([]schedctl.EventType{}, w.EventTypes...),
		Enabled: w.Enabled, DisabledReason: optional(w.DisabledReason), FailingSince: NewTime(w.FailingSince),
		CreatedAt: NewTime(w.CreatedAt), UpdatedAt: NewTime(w.UpdatedAt),
	}
}

// NewDelivery returns the wire form of a delivery.
func NewDelivery(d schedctl.Delivery) Delivery {
	out := Delivery{
		ID: d.ID, EventID: d.EventID, EventType: d.EventType, Attempt: d.Attempt, Status: d.Status,
		HTTPStatus: optional(d.HTTPStatus), Response: optional(d.Response), Error: optional(d.Error),
		NextAttemptAt: NewTime(d.NextAttemptAt), CreatedAt: NewTime(d.CreatedAt), AttemptedAt: NewTime(d.AttemptedAt),
	}
	if d.Attempt > 0 {
		ms := d.Duration.Milliseconds()
		out.DurationMS = &ms
	}
	return out
}
