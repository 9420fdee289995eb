package apiv1

import "github.com/schedctl/schedctl"

// Webhook is a URL that receives events. It never contains the secret.
type Webhook struct {
	ID             string               `json:"id" doc:"Starts with wh_."`
	Name           *string              `json:"name" doc:"Chosen by the user; null for none."`
	URL            string               `json:"url" doc:"The URL that receives events."`
	EventTypes     []schedctl.EventType `json:"event_types" doc:"The types of events that are sent."`
	Enabled        bool                 `json:"enabled" doc:"Whether events are sent."`
	DisabledReason *string              `json:"disabled_reason" doc:"Why the daemon disabled it: all requests failed for three days; null otherwise."`
	FailingSince   *Time                `json:"failing_since" doc:"When the first request failed after the last success; null when the last request succeeded."`
	CreatedAt      *Time                `json:"created_at" doc:"When it was created." nullable:"false"`
	UpdatedAt      *Time                `json:"updated_at" doc:"When it was last changed or disabled." nullable:"false"`
}

// WebhookEnvelope is the response to requests about one webhook.
type WebhookEnvelope struct {
	Webhook Webhook `json:"webhook" doc:"The webhook."`
}

// WebhookSecret is the only response that contains the secret.
type WebhookSecret struct {
	Webhook Webhook `json:"webhook" doc:"The webhook."`
	Secret  string  `json:"secret" doc:"The signing secret: whsec_ and the base64 of the key."`
}

// WebhookList is all webhooks in order of creation.
type WebhookList struct {
	Results []Webhook `json:"results" doc:"The webhooks in order of creation."`
	Count   int       `json:"count" doc:"The number of results."`
}

// CreateWebhook is the body of POST /webhooks. Without a secret one is made.
type CreateWebhook struct {
	URL        string               `json:"url" doc:"https:// or http://, without a user name. Private addresses are refused unless the daemon allows them." minLength:"1" maxLength:"2048" format:"uri"`
	EventTypes []schedctl.EventType `json:"event_types" doc:"The types of events to send, at least one." minItems:"1" uniqueItems:"true"`
	Name       *string              `json:"name,omitempty" doc:"1 to 80 characters; null or absent for none." minLength:"1" maxLength:"80" nullable:"true"`
	Enabled    *bool                `json:"enabled,omitempty" doc:"Whether to send events. Default: true."`
	Secret     *string              `json:"secret,omitempty" doc:"A secret that the receiver already has: whsec_ and the base64 of 24 to 64 bytes. Default: a new one." pattern:"^whsec_[A-Za-z0-9+/]{32,86}={0,2}$"`
}

// EditWebhook is the body of PATCH /webhooks/{id}; absent fields stay as they
// are.
type EditWebhook struct {
	URL        *string               `json:"url,omitempty" doc:"The new URL." minLength:"1" maxLength:"2048" format:"uri"`
	EventTypes *[]schedctl.EventType `json:"event_types,omitempty" doc:"The new list of types." minItems:"1" uniqueItems:"true"`
	Name       *string               `json:"name,omitempty" doc:"The new name; null removes it." minLength:"1" maxLength:"80" nullable:"true"`
	Enabled    *bool                 `json:"enabled,omitempty" doc:"false disables it; true enables it for future events and clears disabled_reason."`
}

// Delivery is the delivery of one event to one webhook, with its last attempt.
type Delivery struct {
	ID            string                  `json:"id" doc:"Starts with whd_."`
	EventID       string                  `json:"event_id" doc:"The id of the event, sent as webhook-id with every request."`
	EventType     schedctl.EventType      `json:"event_type" doc:"The type of the event."`
	Attempt       int                     `json:"attempt" doc:"The number of requests so far."`
	Status        schedctl.DeliveryStatus `json:"status" doc:"pending while a request is planned; failed after the last retry."`
	HTTPStatus    *int                    `json:"http_status" doc:"The status of the last response; null without one."`
	DurationMS    *int64                  `json:"duration_ms" doc:"The duration of the last request in milliseconds; null before the first."`
	Response      *string                 `json:"response" doc:"The start of the last response body, up to 2 KiB; null when it was empty."`
	Error         *string                 `json:"error" doc:"Why the last request got no response; null otherwise."`
	NextAttemptAt *Time                   `json:"next_attempt_at" doc:"When the next request is sent; null when none is planned."`
	CreatedAt     *Time                   `json:"created_at" doc:"When the delivery was created." nullable:"false"`
	AttemptedAt   *Time                   `json:"attempted_at" doc:"When the last request was sent; null before the first."`
}

// DeliveryEnvelope is the response to requests about one delivery.
type DeliveryEnvelope struct {
	Delivery Delivery `json:"delivery" doc:"The delivery."`
}

// DeliveryList is one page of deliveries, the youngest first.
type DeliveryList struct {
	Results    []Delivery `json:"results" doc:"The newest first."`
	Count      int        `json:"count" doc:"The number of results on this page."`
	NextCursor *string    `json:"next_cursor" doc:"The cursor of the next page; null on the last page."`
}

// WebhookTest is the response of POST /webhooks/{id}/test.
type WebhookTest struct {
	Webhook  Webhook  `json:"webhook" doc:"The webhook."`
	Delivery Delivery `json:"delivery" doc:"The delivery of the test event, still pending."`
}

// ReplayWebhook is the body of POST /webhooks/{id}/replay: every failed delivery
// of events since then is queued again.
type ReplayWebhook struct {
	Since Time `json:"since" doc:"Deliveries created at or after this time, RFC 3339 in UTC written with Z." format:"date-time"`
}

// WebhookReplay is the response of POST /webhooks/{id}/replay.
type WebhookReplay struct {
	Webhook Webhook `json:"webhook" doc:"The webhook."`
	Count   int     `json:"count" doc:"The number of deliveries that were queued again."`
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
		out.DurationMS = new(d.Duration.Milliseconds())
	}
	return out
}
