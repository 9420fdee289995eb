package postgres

import (
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
)

// Delivery implements [storage.Reader].
func (r *reader) Delivery(webhookID, id string) (schedctl.Delivery, error) {
	webhook, delivery, err := parse2(schedctl.WebhookPrefix, webhookID, schedctl.DeliveryPrefix, id)
	if err != nil {
		return schedctl.Delivery{}, err
	}
	found, err := r.deliveries(webhook, "WHERE webhook_id = $1 AND id = $2"+r.forUpdate(), webhook, delivery)
	if err == nil && len(found) == 0 {
		err = notFound(schedctl.DeliveryPrefix, id)
	}
	if err != nil {
		return schedctl.Delivery{}, err
	}
	return found[0], nil
}

// Deliveries implements [storage.Reader].
func (r *reader) Deliveries(webhookID, afterID string, limit int) ([]schedctl.Delivery, error) {
	webhook, behind, args, err := pageCondition(schedctl.WebhookPrefix, webhookID, schedctl.DeliveryPrefix, afterID, limit)
	if err != nil {
		return nil, err
	}
	r.lockTable("deliveries")
	return r.deliveries(webhook, "WHERE webhook_id = $1"+behind+" ORDER BY id DESC LIMIT $2", args...)
}

// deliveries reads the deliveries of one webhook. Deliveries of a deleted webhook are
// never pending.
func (r *reader) deliveries(webhook pgtype.UUID, condition string, args ...any) (list []schedctl.Delivery, err error) {
	alive := false
	err = r.send(selects(deliveries, &list, condition, args...), webhookExists(webhook, &alive))
	if alive {
		return list, err
	}
	for i := range list {
		if d := &list[i]; d.Status == schedctl.DeliveryPending {
			d.Status, d.NextAttemptAt = schedctl.DeliveryFailed, time.Time{}
		}
	}
	return list, err
}

// webhookExists returns the statement that checks whether a webhook exists.
func webhookExists(webhook pgtype.UUID, alive *bool) statement {
	return statement{sql: "SELECT 1 FROM webhooks WHERE id = $1", args: []any{webhook}, scan: scanOne(alive)}
}

// pageCondition returns the owner of a page's records, and the condition and arguments
// that select the records after an id, newest first.
func pageCondition(of schedctl.Prefix, ownerID string, prefix schedctl.Prefix, afterID string, limit int) (owner pgtype.UUID, behind string, args []any, err error) {
	if owner, err = parse(of, ownerID); err != nil || afterID == "" {
		return owner, "", []any{owner, limit}, err
	}
	after, err := parse(prefix, afterID)
	return owner, " AND id < $3", []any{owner, limit, after}, err
}

// PendingDeliveries implements [storage.Reader].
func (r *reader) PendingDeliveries(webhookID string, limit int) ([]schedctl.Delivery, error) {
	webhook, err := parse(schedctl.WebhookPrefix, webhookID)
	if err != nil {
		return nil, err
	}
	r.lockTable("deliveries")
	return query(r, deliveries, `WHERE webhook_id = $1 AND status = 'pending' AND EXISTS (SELECT 1 FROM webhooks WHERE webhooks.id = $1)
		ORDER BY coalesce(next_attempt_at, 'infinity'), id LIMIT $2`, webhook, limit)
}

// PutDelivery implements [storage.Tx].
func (tx *tx) PutDelivery(d schedctl.Delivery) error {
	values, err := deliveries.values(&d)
	if err != nil {
		return err
	}
	owner, err := tx.owner(d.WebhookID)
	if err != nil {
		return err
	}
	if owner == "" {
		return notFound(schedctl.WebhookPrefix, d.WebhookID)
	}
	tx.putRow(deliveries.sql().upsert, deliveries.sql().bulkUpsert, values)
	return nil
}
