package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

const webhooks = "/webhooks"

// Webhooks returns all webhooks of the workspace in order of creation.
func (c *Client) Webhooks(ctx context.Context) ([]apiv1.Webhook, error) {
	var out apiv1.WebhookList
	err := c.get(ctx, webhooks, nil, &out)
	return out.Results, err
}

// Webhook returns one webhook.
func (c *Client) Webhook(ctx context.Context, id string) (apiv1.Webhook, error) {
	path, err := itemPath(webhooks, id, "")
	if err != nil {
		return apiv1.Webhook{}, err
	}
	var out apiv1.WebhookEnvelope
	err = c.get(ctx, path, nil, &out)
	return out.Webhook, err
}

// CreateWebhook creates a webhook and returns it with its secret, which is not
// shown again.
func (c *Client) CreateWebhook(ctx context.Context, w apiv1.CreateWebhook, options ...Option) (apiv1.WebhookSecret, error) {
	var out apiv1.WebhookSecret
	err := c.write(ctx, http.MethodPost, webhooks, w, &out, options)
	return out, err
}

// EditWebhook changes a webhook. A webhook that is enabled again receives future
// events.
func (c *Client) EditWebhook(ctx context.Context, id string, w apiv1.EditWebhook, options ...Option) (apiv1.Webhook, error) {
	var out apiv1.WebhookEnvelope
	err := c.changeWebhook(ctx, http.MethodPatch, id, "", w, &out, options)
	return out.Webhook, err
}

// DeleteWebhook deletes a webhook with its pending deliveries.
func (c *Client) DeleteWebhook(ctx context.Context, id string, options ...Option) error {
	return c.changeWebhook(ctx, http.MethodDelete, id, "", nil, nil, options)
}

// TestWebhook queues a test event for a webhook and returns its delivery.
func (c *Client) TestWebhook(ctx context.Context, id string, options ...Option) (apiv1.WebhookTest, error) {
	var out apiv1.WebhookTest
	err := c.changeWebhook(ctx, http.MethodPost, id, "test", nil, &out, options)
	return out, err
}

// RotateWebhookSecret replaces the secret of a webhook and returns the new one,
// which is not shown again. The former one signs as well for a day.
func (c *Client) RotateWebhookSecret(ctx context.Context, id string, options ...Option) (apiv1.WebhookSecret, error) {
	var out apiv1.WebhookSecret
	err := c.changeWebhook(ctx, http.MethodPost, id, "rotate-secret", nil, &out, options)
	return out, err
}

// ReplayWebhook queues all deliveries again that were given up and were created
// at the given time or later.
func (c *Client) ReplayWebhook(ctx context.Context, id string, since time.Time, options ...Option) (apiv1.WebhookReplay, error) {
	var out apiv1.WebhookReplay
	body := apiv1.ReplayWebhook{Since: apiv1.Time{Time: since}}
	err := c.changeWebhook(ctx, http.MethodPost, id, "replay", body, &out, options)
	return out, err
}

func (c *Client) changeWebhook(ctx context.Context, method, id, action string, body, out any, options []Option) error {
	path, err := itemPath(webhooks, id, action)
	if err != nil {
		return err
	}
	return c.write(ctx, method, path, body, out, options)
}

// DeliveryQuery selects deliveries of a webhook. Zero fields select everything
// and leave the rest to the daemon.
type DeliveryQuery struct {
	Status schedctl.DeliveryStatus
	Limit  int    // results on a page, 1–100
	Cursor string // from DeliveryList.NextCursor
}

func (q DeliveryQuery) values() url.Values {
	v := url.Values{}
	if q.Status != "" {
		v.Set("status", string(q.Status))
	}
	if q.Limit > 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	if q.Cursor != "" {
		v.Set("cursor", q.Cursor)
	}
	return v
}

// Deliveries returns one page of the deliveries of a webhook, the newest first.
func (c *Client) Deliveries(ctx context.Context, webhookID string, q DeliveryQuery) (apiv1.DeliveryList, error) {
	path, err := itemPath(webhooks, webhookID, "deliveries")
	if err != nil {
		return apiv1.DeliveryList{}, err
	}
	var out apiv1.DeliveryList
	err = c.get(ctx, path, q.values(), &out)
	return out, err
}

// EachDelivery returns all deliveries that q selects, from page to page; q.Limit
// is the size of a page. An error is the last thing it yields.
func (c *Client) EachDelivery(ctx context.Context, webhookID string, q DeliveryQuery) iter.Seq2[apiv1.Delivery, error] {
	return func(yield func(apiv1.Delivery, error) bool) {
		for {
			page, err := c.Deliveries(ctx, webhookID, q)
			if err != nil {
				yield(apiv1.Delivery{}, err)
				return
			}
			for _, d := range page.Results {
				if !yield(d, nil) {
					return
				}
			}
			if page.NextCursor == nil || *page.NextCursor == q.Cursor {
				return
			}
			q.Cursor = *page.NextCursor
		}
	}
}

// ReplayDelivery queues a delivery to be tried at once, whatever became of it.
func (c *Client) ReplayDelivery(ctx context.Context, webhookID, id string, options ...Option) (apiv1.Delivery, error) {
	all, err := itemPath(webhooks, webhookID, "deliveries")
	if err != nil {
		return apiv1.Delivery{}, err
	}
	path, err := itemPath(all, id, "replay")
	if err != nil {
		return apiv1.Delivery{}, err
	}
	var out apiv1.DeliveryEnvelope
	err = c.write(ctx, http.MethodPost, path, nil, &out, options)
	return out.Delivery, err
}
