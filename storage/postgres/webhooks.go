package postgres

import (
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
)

// Webhook implements [storage.Reader].
func (r *reader) Webhook(workspaceID, id string) (schedctl.Webhook, error) {
	_, webhook, err := parse2(schedctl.WorkspacePrefix, workspaceID, schedctl.WebhookPrefix, id)
	if err != nil {
		return schedctl.Webhook{}, err
	}
	w, found, err := r.webhook(webhook)
	if err == nil && (!found || w.WorkspaceID != workspaceID) {
		err = notFound(schedctl.WebhookPrefix, id)
	}
	if err != nil {
		return schedctl.Webhook{}, err
	}
	return w, nil
}

// webhook returns the webhook with this id, of any workspace.
func (r *reader) webhook(id pgtype.UUID) (w schedctl.Webhook, found bool, err error) {
	w, found, err = queryOne(r, webhooks, "WHERE id = $1"+r.forUpdate(), id)
	if found {
		r.knowWebhooks(w)
	}
	return w, found, err
}

// knowWebhooks caches the workspaces of webhooks that the transaction has locked.
func (r *reader) knowWebhooks(list ...schedctl.Webhook) {
	if r.tx == nil {
		return
	}
	for _, w := range list {
		r.tx.owners[w.ID] = w.WorkspaceID
	}
}

// Webhooks implements [storage.Reader].
func (r *reader) Webhooks(workspaceID string) ([]schedctl.Webhook, error) {
	list, err := queryWorkspace(r, webhooks, workspaceID)
	r.knowWebhooks(list...)
	return list, err
}

// owner returns the workspace of a webhook, or "" for a missing one.
func (tx *tx) owner(id string) (string, error) {
	if ws, known := tx.owners[id]; known {
		return ws, nil
	}
	webhook, err := parse(schedctl.WebhookPrefix, id)
	if err != nil {
		return "", err
	}
	w, _, err := tx.webhook(webhook)
	return w.WorkspaceID, err
}

// PutWebhook implements [storage.Tx].
func (tx *tx) PutWebhook(w schedctl.Webhook) error {
	values, err := webhooks.values(&w)
	if err != nil {
		return err
	}
	owner, err := tx.owner(w.ID)
	if err != nil {
		return err
	}
	if owner != "" && owner != w.WorkspaceID {
		return notFound(schedctl.WebhookPrefix, w.ID)
	}
	if owner == "" {
		ws, webhook, err := parse2(schedctl.WorkspacePrefix, w.WorkspaceID, schedctl.WebhookPrefix, w.ID)
		if err != nil {
			return err
		}
		tx.lock(lockOf("webhooks", ws.Bytes))
		tx.put("DELETE FROM gone_webhooks WHERE id = $1", webhook)
	}
	tx.put(webhooks.sql().upsert, values...)
	tx.owners[w.ID] = w.WorkspaceID
	tx.changedWebhooks = appendNew(tx.changedWebhooks, w.ID)
	return nil
}

// DeleteWebhook implements [storage.Tx]. It keeps the deliveries, however many are
// pending: deliveries of a deleted webhook are read as given up.
func (tx *tx) DeleteWebhook(workspaceID, id string) error {
	ws, webhook, err := parse2(schedctl.WorkspacePrefix, workspaceID, schedctl.WebhookPrefix, id)
	if err != nil {
		return err
	}
	owner, err := tx.owner(id)
	if err != nil {
		return err
	}
	if owner != workspaceID {
		return notFound(schedctl.WebhookPrefix, id)
	}
	tx.lock(lockOf("webhooks", ws.Bytes))
	tx.put("DELETE FROM webhooks WHERE id = $1", webhook)
	tx.put("INSERT INTO gone_webhooks (id) VALUES ($1) ON CONFLICT DO NOTHING", webhook)
	tx.owners[id] = ""
	tx.changedWebhooks = appendNew(tx.changedWebhooks, id)
	return nil
}
