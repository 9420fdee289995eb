package api

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// wholeWorkspace refuses keys that are limited to accounts: a webhook is told of
// everything in the workspace.
func wholeWorkspace(next handler) handler {
	return func(ctx context.Context, c *call) (answer, error) {
		if len(c.key.AccountIDs) > 0 {
			return answer{}, schedctl.Errorf(schedctl.AccountNotAllowed, "",
				"this API key is limited to certain accounts, and webhooks and notifications report on all of them; use another key")
		}
		return next(ctx, c)
	}
}

// listWebhooks answers GET /webhooks.
func (s *Server) listWebhooks(ctx context.Context, c *call) (answer, error) {
	webhooks, err := s.listHooks(ctx, c, isWebhook)
	if err != nil {
		return answer{}, err
	}
	list := apiv1.WebhookList{Results: make([]apiv1.Webhook, len(webhooks)), Count: len(webhooks)}
	for i, w := range webhooks {
		list.Results[i] = s.showWebhook(w)
	}
	return newAnswer(http.StatusOK, list)
}

// getWebhook answers GET /webhooks/{id}.
func (s *Server) getWebhook(ctx context.Context, c *call) (answer, error) {
	var w schedctl.Webhook
	err := s.view(ctx, func(r storage.Reader) (err error) {
		w, err = c.webhook(r)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	return s.webhookAnswer(w)
}

// deleteWebhook answers DELETE /webhooks/{id}.
func (s *Server) deleteWebhook(ctx context.Context, c *call) (answer, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (answer, error) {
		if _, err := c.webhook(tx); err != nil {
			return answer{}, err
		}
		return noContent, tx.DeleteWebhook(c.key.WorkspaceID, c.id)
	})
}

// webhook loads the webhook of the path.
func (c *call) webhook(r storage.Reader) (schedctl.Webhook, error) {
	w, err := r.Webhook(c.key.WorkspaceID, c.id)
	if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && !isWebhook(w) {
		err = schedctl.Errorf(schedctl.NotFound, "", "this workspace has no webhook with this id")
	}
	return w, err
}

// showWebhook returns the wire form of a webhook. Its URL is sealed where it is
// stored, since it may be a secret; it is empty when it does not open.
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

func (s *Server) webhookAnswer(w schedctl.Webhook) (answer, error) {
	return aboutWebhook(http.StatusOK, apiv1.WebhookEnvelope{Webhook: s.showWebhook(w)})
}

// aboutWebhook returns an answer that shows the URL of a webhook.
func aboutWebhook(status int, v any) (answer, error) {
	a, err := newAnswer(status, v)
	a.secret = true
	return a, err
}

// secretAnswer returns the answer that shows the secret of a webhook.
func (s *Server) secretAnswer(status int, w schedctl.Webhook, secret string) (answer, error) {
	a, err := aboutWebhook(status, apiv1.WebhookSecret{Webhook: s.showWebhook(w), Secret: secret})
	if status == http.StatusCreated {
		a.created, a.location = w.ID, prefix+"/webhooks/"+w.ID
	}
	return a, err
}
