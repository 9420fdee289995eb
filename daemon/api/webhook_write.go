package api

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
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
		webhooks, err := tx.Webhooks(c.key.WorkspaceID)
		if err != nil {
			return answer{}, err
		}
		if len(webhooks) >= schedctl.MaxWebhooks {
			return answer{}, schedctl.Errorf(schedctl.ValidationFailed, "",
				"this workspace has %d webhooks, as many as it can have; delete one with DELETE %s/webhooks/{id}", len(webhooks), prefix)
		}
		now := schedctl.Millis(c.now)
		w := schedctl.Webhook{
			ID: schedctl.NewID(schedctl.WebhookPrefix, now), WorkspaceID: c.key.WorkspaceID, Enabled: true,
			CreatedAt: now, UpdatedAt: now, Cursor: schedctl.NewID(schedctl.EventPrefix, now),
		}
		b.apply(&w, now)
		w.Secret = s.sealer.Seal([]byte(secret), w.ID)
		if err := tx.PutWebhook(w); err != nil {
			return answer{}, err
		}
		return secretAnswer(http.StatusCreated, w, secret)
	})
}

// editWebhook answers PATCH /webhooks/{id}.
func (s *Server) editWebhook(ctx context.Context, c *call, b webhookChange) (answer, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (answer, error) {
		w, err := c.webhook(tx)
		if err != nil {
			return answer{}, err
		}
		before := apiv1.NewWebhook(w)
		now := schedctl.Millis(c.now)
		b.apply(&w, now)
		if reflect.DeepEqual(before, apiv1.NewWebhook(w)) {
			return webhookAnswer(w)
		}
		w.UpdatedAt = now
		if err := tx.PutWebhook(w); err != nil {
			return answer{}, err
		}
		return webhookAnswer(w)
	})
}

// apply makes the change. One that is enabled again begins with what comes, and
// its failures are forgotten, as those of an address are that it no longer has.
func (b *webhookChange) apply(w *schedctl.Webhook, now time.Time) {
	if b.url != nil && *b.url != w.URL {
		w.URL, w.FailingSince = *b.url, time.Time{}
	}
	if b.eventTypes != nil {
		w.EventTypes = b.eventTypes
	}
	if b.name != nil {
		w.Name = *b.name
	}
	if b.enabled == nil || *b.enabled == w.Enabled {
		return
	}
	if w.Enabled = *b.enabled; w.Enabled {
		w.DisabledReason, w.FailingSince = "", time.Time{}
		w.Cursor = schedctl.NewID(schedctl.EventPrefix, now)
	}
}
