package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// testWebhook handles POST /webhooks/{id}/test.
func (s *Server) testWebhook(ctx context.Context, c *request) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		w, err := c.webhook(tx)
		if err != nil {
			return response{}, err
		}
		now := schedctl.Millis(c.Now)
		e := schedctl.WebhookTestEvent(w, now)
		d := schedctl.Delivery{
			ID: schedctl.NewID(schedctl.DeliveryPrefix, now), WebhookID: w.ID, EventID: e.ID, EventType: e.Type,
			Status: schedctl.DeliveryPending, NextAttemptAt: now, CreatedAt: now,
		}
		if err := errors.Join(tx.AddEvents(e), tx.PutDelivery(d), wakeWebhook(tx, w)); err != nil {
			return response{}, err
		}
		return sealedResponse(http.StatusAccepted, apiv1.WebhookTest{Webhook: s.showWebhook(w), Delivery: apiv1.NewDelivery(d)})
	})
}

// wakeWebhook stores the webhook unchanged. The commit then names the webhook,
// which wakes its worker.
func wakeWebhook(tx storage.Tx, w schedctl.Webhook) error { return tx.PutWebhook(w) }

// replayDelivery handles POST /webhooks/{id}/deliveries/{delivery_id}/replay.
func (s *Server) replayDelivery(ctx context.Context, c *request) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		w, err := c.webhook(tx)
		if err != nil {
			return response{}, err
		}
		d, err := c.delivery(tx)
		if err != nil {
			return response{}, err
		}
		if _, err := tx.Event(d.EventID); schedctl.CodeOf(err) == schedctl.NotFound {
			return response{}, schedctl.Errorf(schedctl.NotFound, "", "the event of this delivery was pruned, so it cannot be sent again")
		} else if err != nil {
			return response{}, err
		}
		replay(&d, c.Now)
		if err := errors.Join(tx.PutDelivery(d), wakeWebhook(tx, w)); err != nil {
			return response{}, err
		}
		return newResponse(http.StatusAccepted, apiv1.DeliveryEnvelope{Delivery: apiv1.NewDelivery(d)})
	})
}

// replay queues a delivery for immediate sending, with all its retries.
func replay(d *schedctl.Delivery, now time.Time) {
	d.Status, d.NextAttemptAt, d.RetriesFrom = schedctl.DeliveryPending, schedctl.Millis(now), d.Attempt
}
