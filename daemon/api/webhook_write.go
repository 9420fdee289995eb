package api

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/signing"
	"github.com/schedctl/schedctl/storage"
)

// createWebhook answers POST /webhooks. The webhook's place among the events is
// made in the transaction that stores it, so that it is told of exactly those
// that are committed after it.
func (s *Server) createWebhook(ctx context.Context, c *call, b webhookChange) (answer, error) {
	secret := b.secret
	if secret == "" {
		secret = signing.NewSecret()
	}
	return s.commit(ctx, c, func(tx storage.Tx) (answer, error) {
		webhooks, err := webhooksOf(tx, c.key.WorkspaceID, isWebhook)
		if err != nil {
			return answer{}, err
		}
		if len(webhooks) >= schedctl.MaxWebhooks {
			return answer{}, schedctl.Errorf(schedctl.ValidationFailed, "",
				"this workspace has %d webhooks, as many as it can have; delete one with DELETE %s/webhooks/{id}", len(webhooks), prefix)
		}
		cursor, err := tx.OutboxEnd()
		if err != nil {
			return answer{}, err
		}
		now := schedctl.Millis(c.now)
		w := schedctl.Webhook{
			ID: schedctl.NewID(schedctl.WebhookPrefix, now), WorkspaceID: c.key.WorkspaceID, Enabled: true,
			CreatedAt: now, UpdatedAt: now, Cursor: cursor,
		}
		s.applyTo(&w, b)
		w.Secret = s.sealer.Seal([]byte(secret), w.ID)
		if err := tx.PutWebhook(w); err != nil {
			return answer{}, err
		}
		return s.secretAnswer(http.StatusCreated, w, secret)
	})
}

// editWebhook answers PATCH /webhooks/{id}.
func (s *Server) editWebhook(ctx context.Context, c *call, b webhookChange) (answer, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (answer, error) {
		w, err := c.webhook(tx)
		if err != nil {
			return answer{}, err
		}
		before := s.showWebhook(w)
		now := schedctl.Millis(c.now)
		if s.applyTo(&w, b) {
			if w.Cursor, err = tx.OutboxEnd(); err != nil {
				return answer{}, err
			}
		}
		if reflect.DeepEqual(before, s.showWebhook(w)) {
			return s.webhookAnswer(w)
		}
		w.UpdatedAt = now
		if err := tx.PutWebhook(w); err != nil {
			return answer{}, err
		}
		return s.webhookAnswer(w)
	})
}

// applyTo makes the change, and reports whether the webhook is to begin with what
// comes: one that is enabled again. Its failures are forgotten then, as those of
// an address are that it no longer has.
func (s *Server) applyTo(w *schedctl.Webhook, b webhookChange) (anew bool) {
	if b.url != nil && *b.url != s.webhookURL(w) {
		w.URL, w.FailingSince = s.sealer.SealText(*b.url, w.ID), time.Time{}
	}
	if b.eventTypes != nil {
		w.EventTypes = b.eventTypes
	}
	if b.name != nil {
		w.Name = *b.name
	}
	if b.enabled == nil || *b.enabled == w.Enabled {
		return false
	}
	if w.Enabled = *b.enabled; w.Enabled {
		w.DisabledReason, w.FailingSince = "", time.Time{}
	}
	return w.Enabled
}
