package storagetest

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
)

// ownedKey is an id together with the id of its owner.
type ownedKey struct{ owner, id string }

func (r memoryReader) Webhook(workspaceID, id string) (schedctl.Webhook, error) {
	w, ok := r.m.webhooks[id]
	if !ok || w.WorkspaceID != workspaceID {
		return schedctl.Webhook{}, notFound("webhook", id)
	}
	return cloneWebhook(w), nil
}

func (r memoryReader) Webhooks(workspaceID string) ([]schedctl.Webhook, error) {
	if err := checkIDs(schedctl.WorkspacePrefix, workspaceID); err != nil {
		return nil, err
	}
	all := sorted(r.m.webhooks)
	return cloneAll(slices.DeleteFunc(all, func(w schedctl.Webhook) bool { return w.WorkspaceID != workspaceID }), cloneWebhook), nil
}

func (r memoryReader) Delivery(webhookID, id string) (schedctl.Delivery, error) {
	d, ok := r.m.deliveries[ownedKey{webhookID, id}]
	if !ok {
		return d, notFound("delivery", id)
	}
	return r.effective(d), nil
}

// effective returns a delivery as it is read: deliveries of deleted webhooks are not
// pending.
func (r memoryReader) effective(d schedctl.Delivery) schedctl.Delivery {
	if _, there := r.m.webhooks[d.WebhookID]; !there && d.Status == schedctl.DeliveryPending {
		d.Status, d.NextAttemptAt = schedctl.DeliveryFailed, time.Time{}
	}
	return d
}

func (r memoryReader) Deliveries(webhookID, afterID string, limit int) ([]schedctl.Delivery, error) {
	if err := checkPage(schedctl.WebhookPrefix, webhookID, schedctl.DeliveryPrefix, afterID); err != nil {
		return nil, err
	}
	found := r.deliveries(func(d schedctl.Delivery) bool { return d.WebhookID == webhookID && (afterID == "" || d.ID < afterID) })
	slices.SortFunc(found, func(a, b schedctl.Delivery) int { return strings.Compare(b.ID, a.ID) })
	return found[:min(limit, len(found))], nil
}

func (r memoryReader) PendingDeliveries(webhookID string, limit int) ([]schedctl.Delivery, error) {
	if err := checkIDs(schedctl.WebhookPrefix, webhookID); err != nil {
		return nil, err
	}
	found := r.deliveries(func(d schedctl.Delivery) bool {
		return d.WebhookID == webhookID && d.Status == schedctl.DeliveryPending
	})
	slices.SortFunc(found, func(a, b schedctl.Delivery) int {
		return cmp.Or(timelessLast(a.NextAttemptAt, b.NextAttemptAt), a.NextAttemptAt.Compare(b.NextAttemptAt), strings.Compare(a.ID, b.ID))
	})
	return found[:min(limit, len(found))], nil
}

// deliveries returns the deliveries that keep accepts, in no order.
func (r memoryReader) deliveries(keep func(schedctl.Delivery) bool) (found []schedctl.Delivery) {
	for _, d := range r.m.deliveries {
		if d = r.effective(d); keep(d) {
			found = append(found, d)
		}
	}
	return found
}

func (r memoryReader) Audit(workspaceID, afterID string, limit int) ([]schedctl.AuditEntry, error) {
	if err := checkPage(schedctl.WorkspacePrefix, workspaceID, schedctl.AuditPrefix, afterID); err != nil {
		return nil, err
	}
	var found []schedctl.AuditEntry
	for _, a := range r.m.audit {
		if a.WorkspaceID == workspaceID && (afterID == "" || a.ID < afterID) {
			found = append(found, a)
		}
	}
	slices.SortFunc(found, func(a, b schedctl.AuditEntry) int { return strings.Compare(b.ID, a.ID) })
	return found[:min(limit, len(found))], nil
}

// checkPage checks the ids that select a page; afterID may be empty.
func checkPage(owner schedctl.Prefix, ownerID string, prefix schedctl.Prefix, afterID string) error {
	return cmp.Or(checkIDs(owner, ownerID), checkOptional(prefix, afterID))
}

func (tx *memoryTx) PutWebhook(w schedctl.Webhook) error {
	if err := cmp.Or(
		checkIDs(schedctl.WebhookPrefix, w.ID), checkIDs(schedctl.WorkspacePrefix, w.WorkspaceID), checkOptional(schedctl.EventPrefix, w.Cursor),
	); err != nil {
		return err
	}
	if old, existed := tx.m.webhooks[w.ID]; existed && old.WorkspaceID != w.WorkspaceID {
		return notFound("webhook", w.ID)
	}
	putKey(tx, tx.m.webhooks, w.ID, cloneWebhook(w))
	tx.touchWebhook(w.ID)
	return nil
}

func (tx *memoryTx) touchWebhook(id string) {
	if !slices.Contains(tx.webhooks, id) {
		tx.webhooks = append(tx.webhooks, id)
	}
}

func (tx *memoryTx) DeleteWebhook(workspaceID, id string) error {
	if _, err := tx.Webhook(workspaceID, id); err != nil {
		return err
	}
	deleteKey(tx, tx.m.webhooks, id)
	tx.touchWebhook(id)
	return nil
}

func (tx *memoryTx) PutDelivery(d schedctl.Delivery) error {
	if err := cmp.Or(
		checkIDs(schedctl.DeliveryPrefix, d.ID), checkIDs(schedctl.WebhookPrefix, d.WebhookID), checkIDs(schedctl.EventPrefix, d.EventID),
	); err != nil {
		return err
	}
	if _, there := tx.m.webhooks[d.WebhookID]; !there {
		return notFound("webhook", d.WebhookID)
	}
	putKey(tx, tx.m.deliveries, ownedKey{d.WebhookID, d.ID}, d)
	return nil
}
