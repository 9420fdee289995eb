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

// createWebhook serves POST /webhooks.
func (s *Server) createWebhook(ctx context.Context, c *request, b webhookChange) (response, error) {
	secret := b.Secret
	if secret == "" {
		secret = signing.NewSecret()
	}
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		w, err := c.newHook(tx, "webhooks", isWebhook)
		if err != nil {
			return response{}, err
		}
		s.applyTo(&w, b)
		w.Secret = s.sealer.Seal([]byte(secret), w.ID)
		if err := tx.PutWebhook(w); err != nil {
			return response{}, err
		}
		return s.secretResponse(http.StatusCreated, w, secret)
	})
}

// editWebhook serves PATCH /webhooks/{id}.
func (s *Server) editWebhook(ctx context.Context, c *request, b webhookChange) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		w, err := c.webhook(tx)
		if err != nil {
			return response{}, err
		}
		before := s.showWebhook(w)
		if err := skipMissed(tx, &w, s.applyTo(&w, b)); err != nil {
			return response{}, err
		}
		if reflect.DeepEqual(before, s.showWebhook(w)) {
			return s.webhookResponse(w)
		}
		w.UpdatedAt = schedctl.Millis(c.Now)
		if err := tx.PutWebhook(w); err != nil {
			return response{}, err
		}
		return s.webhookResponse(w)
	})
}

// applyTo changes w, and reports whether it was enabled again. A new URL resets the
// failures.
func (s *Server) applyTo(w *schedctl.Webhook, b webhookChange) (enabled bool) {
	if b.URL != nil && *b.URL != s.webhookURL(w) {
		w.URL, w.FailingSince = s.sealer.SealText(*b.URL, w.ID), time.Time{}
	}
	return applyHook(w, b.EventTypes, b.Name, b.Enabled)
}
