package api

import (
	"context"
	"net/http"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/signing"
	"github.com/schedctl/schedctl/storage"
)

// previousSecretKept is how long a replaced secret still signs.
const previousSecretKept = 24 * time.Hour

// rotateSecret handles POST /webhooks/{id}/rotate-secret. Only one previous secret
// is kept: a second rotation drops the oldest.
func (s *Server) rotateSecret(ctx context.Context, c *request) (response, error) {
	secret := signing.NewSecret()
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		w, err := c.webhook(tx)
		if err != nil {
			return response{}, err
		}
		now := schedctl.Millis(c.Now)
		w.PreviousSecret, w.PreviousUntil = w.Secret, now.Add(previousSecretKept)
		w.Secret, w.UpdatedAt = s.sealer.Seal([]byte(secret), w.ID), now
		if err := tx.PutWebhook(w); err != nil {
			return response{}, err
		}
		return s.secretResponse(http.StatusOK, w, secret)
	})
}
