package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

const webhooks = "/webhooks"

// Webhooks returns all webhooks of the workspace in order of creation.
func (c *Client) Webhooks(ctx context.Context) ([]apiv1.Webhook, error) {
	out, err := get[apiv1.WebhookList](ctx, c, webhooks, nil)
	return out.Results, err
}

// Webhook returns one webhook.
func (c *Client) Webhook(ctx context.Context, id string) (apiv1.Webhook, error) {
	out, err := get[apiv1.WebhookEnvelope](ctx, c, itemPath(webhooks, id), nil)
	return out.Webhook, err
}

// CreateWebhook creates a webhook and returns it with its secret, which is not
// shown again.
func (c *Client) CreateWebhook(ctx context.Context, w apiv1.CreateWebhook, options ...Option) (apiv1.WebhookSecret, error) {
	return write[apiv1.WebhookSecret](ctx, c, http.MethodPost, webhooks, w, options)
}

// EditWebhook changes a webhook. A webhook that is enabled again receives future
// events.
func (c *Client) EditWebhook(ctx context.Context, id string, w apiv1.EditWebhook, options ...Option) (apiv1.Webhook, error) {
	out, err := write[apiv1.WebhookEnvelope](ctx, c, http.MethodPatch, itemPath(webhooks, id), w, options)
	return out.Webhook, err
}

// DeleteWebhook deletes a webhook with its pending deliveries.
func (c *Client) DeleteWebhook(ctx context.Context, id string, options ...Option) error {
	return c.delete(ctx, itemPath(webhooks, id), options)
}

// TestWebhook queues a test event for a webhook and returns its delivery.
func (c *Client) TestWebhook(ctx context.Context, id string, options ...Option) (apiv1.WebhookTest, error) {
	return write[apiv1.WebhookTest](ctx, c, http.MethodPost, itemPath(webhooks, id, "test"), nil, options)
}

// RotateWebhookSecret replaces the secret of a webhook and returns the new one,
// which is not shown again. For a day, requests are signed with both secrets.
func (c *Client) RotateWebhookSecret(ctx context.Context, id string, options ...Option) (apiv1.WebhookSecret, error) {
	return write[apiv1.WebhookSecret](ctx, c, http.MethodPost, itemPath(webhooks, id, "rotate-secret"), nil, options)
}

// ReplayWebhook queues the failed deliveries again that were created at or after the
// given time.
func (c *Client) ReplayWebhook(ctx context.Context, id string, since time.Time, options ...Option) (apiv1.WebhookReplay, error) {
	body := apiv1.ReplayWebhook{Since: apiv1.Time{Time: since}}
	return write[apiv1.WebhookReplay](ctx, c, http.MethodPost, itemPath(webhooks, id, "replay"), body, options)
}

// DeliveryQuery selects deliveries of a webhook. Zero fields do not filter; for the page
// size the daemon then uses its default.
type DeliveryQuery struct {
	Status schedctl.DeliveryStatus
	Limit  int    // results on a page, 1–100
	Cursor string // from DeliveryList.NextCursor
}

func (q DeliveryQuery) values() url.Values {
	v := pageValues(q.Limit, q.Cursor)
	if q.Status != "" {
		v.Set("status", string(q.Status))
	}
	return v
}

// Deliveries returns one page of the deliveries of a webhook, the newest first.
func (c *Client) Deliveries(ctx context.Context, webhookID string, q DeliveryQuery) (apiv1.DeliveryList, error) {
	return get[apiv1.DeliveryList](ctx, c, itemPath(webhooks, webhookID, "deliveries"), q.values())
}

// EachDelivery iterates over all deliveries that q selects. q.Limit is the size of a
// page. It ends after the first error.
func (c *Client) EachDelivery(ctx context.Context, webhookID string, q DeliveryQuery) iter.Seq2[apiv1.Delivery, error] {
	return eachItem(q.Cursor, func(cursor string) ([]apiv1.Delivery, *string, error) {
		q.Cursor = cursor
		page, err := c.Deliveries(ctx, webhookID, q)
		return page.Results, page.NextCursor, err
	})
}

// ReplayDelivery queues a delivery for an immediate request, whatever its status.
func (c *Client) ReplayDelivery(ctx context.Context, webhookID, id string, options ...Option) (apiv1.Delivery, error) {
	deliveries := itemPath(webhooks, webhookID, "deliveries")
	out, err := write[apiv1.DeliveryEnvelope](ctx, c, http.MethodPost, itemPath(deliveries, id, "replay"), nil, options)
	return out.Delivery, err
}
