package api

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// wholeWorkspace rejects keys that are limited to accounts, because a webhook
// receives all events of the workspace.
func wholeWorkspace(next handler) handler {
	return func(ctx context.Context, c *request) (response, error) {
		if len(c.Key.AccountIDs) > 0 {
			return response{}, schedctl.Errorf(schedctl.AccountNotAllowed, "",
				"this API key is limited to certain accounts, and webhooks and notifications report on all of them; use another key")
		}
		return next(ctx, c)
	}
}

// listWebhooks handles GET /webhooks.
func (s *Server) listWebhooks(ctx context.Context, c *request) (response, error) {
	webhooks, err := s.listHooks(ctx, c, isWebhook)
	if err != nil {
		return response{}, err
	}
	return newResponse(http.StatusOK, apiv1.WebhookList{Results: convert(webhooks, s.showWebhook), Count: len(webhooks)})
}

// getWebhook handles GET /webhooks/{id}.
func (s *Server) getWebhook(ctx context.Context, c *request) (response, error) {
	w, err := storage.Read(ctx, s.view, c.webhook)
	if err != nil {
		return response{}, err
	}
	return s.webhookResponse(w)
}

// deleteWebhook handles DELETE /webhooks/{id}.
func (s *Server) deleteWebhook(ctx context.Context, c *request) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		if _, err := c.webhook(tx); err != nil {
			return response{}, err
		}
		return noContent, tx.DeleteWebhook(c.Key.WorkspaceID, c.ID)
	})
}

// webhook loads the webhook of the path.
func (c *request) webhook(r storage.Reader) (schedctl.Webhook, error) {
	w, err := r.Webhook(c.Key.WorkspaceID, c.ID)
	if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && !isWebhook(w) {
		err = schedctl.Errorf(schedctl.NotFound, "", "this workspace has no webhook with this id")
	}
	return w, err
}

// showWebhook returns the wire form of a webhook. The URL is stored sealed, because
// it may be a secret. It is empty when it cannot be opened.
func (s *Server) showWebhook(w schedctl.Webhook) apiv1.Webhook {
	w.URL = s.webhookURL(&w)
	return apiv1.NewWebhook(w)
}

func (s *Server) webhookURL(w *schedctl.Webhook) string {
	address, err := s.sealer.OpenText(w.URL, w.ID)
	if err != nil {
		return ""
	}
	return address
}

func (s *Server) webhookResponse(w schedctl.Webhook) (response, error) {
	return sealedResponse(http.StatusOK, apiv1.WebhookEnvelope{Webhook: s.showWebhook(w)})
}

// sealedResponse returns a response that is sealed when stored, because the URL of
// a webhook can contain a secret.
func sealedResponse(status int, v any) (response, error) {
	a, err := newResponse(status, v)
	a.secret = true
	return a, err
}

// secretResponse returns the response with the secret of a webhook.
func (s *Server) secretResponse(status int, w schedctl.Webhook, secret string) (response, error) {
	a, err := sealedResponse(status, apiv1.WebhookSecret{Webhook: s.showWebhook(w), Secret: secret})
	if status == http.StatusCreated {
		a.created, a.location = w.ID, prefix+"/webhooks/"+w.ID
	}
	return a, err
}
