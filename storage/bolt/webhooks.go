package bolt

import (
	"bytes"
	"slices"

	"github.com/schedctl/schedctl"
)

// Webhook implements [storage.Reader].
func (r *reader) Webhook(workspaceID, id string) (schedctl.Webhook, error) {
	return webhookTable.get(r, workspaceID, id)
}

// Webhooks implements [storage.Reader].
func (r *reader) Webhooks(workspaceID string) ([]schedctl.Webhook, error) {
	return webhookTable.list(r, workspaceID)
}

// webhookOwner returns the workspace of a webhook, or nil when there is no such
// webhook.
func (r *reader) webhookOwner(webhook ulid) []byte {
	return r.in(webhookOwners).Get(append(r.scratch[:0], webhook[:]...))
}

// PutWebhook implements [storage.Tx].
func (tx *tx) PutWebhook(w schedctl.Webhook) error {
	ws, webhook, err := parse2(schedctl.WorkspacePrefix, w.WorkspaceID, schedctl.WebhookPrefix, w.ID)
	if err != nil {
		return err
	}
	owner := tx.webhookOwner(webhook)
	if owner != nil && !bytes.Equal(owner, ws[:]) {
		return notFound(schedctl.WebhookPrefix, w.ID)
	}
	if err := putRecord(tx, webhooks, concat(tx.scratch[:0], ws[:], webhook[:]), &w, (*coder).webhook); err != nil {
		return err
	}
	tx.tellOfWebhook(w.ID)
	if owner != nil {
		return nil
	}
	return tx.put(webhookOwners, append(tx.scratch[:0], webhook[:]...), tx.arena.value(ws[:]))
}

// DeleteWebhook implements [storage.Tx]. It does not delete the deliveries, which may be
// many. Pending deliveries of a deleted webhook are read as failed.
func (tx *tx) DeleteWebhook(workspaceID, id string) error {
	ws, webhook, err := parse2(schedctl.WorkspacePrefix, workspaceID, schedctl.WebhookPrefix, id)
	if err != nil {
		return err
	}
	key := concat(nil, ws[:], webhook[:])
	if tx.in(webhooks).Get(key) == nil {
		return notFound(schedctl.WebhookPrefix, id)
	}
	if err := tx.delete(webhooks, key); err != nil {
		return err
	}
	tx.tellOfWebhook(id)
	return tx.delete(webhookOwners, key[16:])
}

// tellOfWebhook adds a webhook to those that Notify reports after the commit.
func (tx *tx) tellOfWebhook(id string) {
	if !slices.Contains(tx.webhooks, id) {
		tx.webhooks = append(tx.webhooks, id)
	}
}
