package bolt

import (
	"bytes"
	"time"

	"github.com/schedctl/schedctl"
)

// Delivery implements [storage.Reader].
func (r *reader) Delivery(webhookID, id string) (d schedctl.Delivery, err error) {
	webhook, delivery, err := parse2(schedctl.WebhookPrefix, webhookID, schedctl.DeliveryPrefix, id)
	if err != nil {
		return d, err
	}
	if d, err = deliveryTable.at(r, webhook, delivery); err == nil && r.webhookOwner(webhook) == nil {
		giveUp(&d)
	}
	return d, err
}

// Deliveries implements [storage.Reader].
func (r *reader) Deliveries(webhookID, afterID string, limit int) ([]schedctl.Delivery, error) {
	webhook, err := parse(schedctl.WebhookPrefix, webhookID)
	if err != nil {
		return nil, err
	}
	list, err := deliveryTable.page(r, webhookID, afterID, limit)
	if err == nil && r.webhookOwner(webhook) == nil {
		for i := range list {
			giveUp(&list[i])
		}
	}
	return list, err
}

// giveUp marks a pending delivery of a deleted webhook as failed.
func giveUp(d *schedctl.Delivery) {
	if d.Status == schedctl.DeliveryPending {
		d.Status, d.NextAttemptAt = schedctl.DeliveryFailed, time.Time{}
	}
}

// PendingDeliveries implements [storage.Reader].
func (r *reader) PendingDeliveries(webhookID string, limit int) (list []schedctl.Delivery, err error) {
	webhook, err := parse(schedctl.WebhookPrefix, webhookID)
	if err != nil || r.webhookOwner(webhook) == nil {
		return nil, err
	}
	c := r.in(pendingDeliveries).Cursor()
	for k, _ := c.Seek(webhook[:]); bytes.HasPrefix(k, webhook[:]) && len(list) < limit; k, _ = c.Next() {
		if len(k) != 40 {
			return nil, wrongKey(pendingDeliveries, k)
		}
		d, err := deliveryTable.indexed(r, pendingDeliveries, concat(r.scratch[:0], k[:16], k[24:]))
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
}

// pendingKey returns the key of a delivery in the index of pending deliveries, or nil if
// it is not pending. key is the key of its record.
func pendingKey(d *schedctl.Delivery, key []byte) []byte {
	if d.Status != schedctl.DeliveryPending {
		return nil
	}
	return append(appendTime(concat(nil, key[:16]), publishKey(d.NextAttemptAt)), key[16:]...)
}

// PutDelivery implements [storage.Tx].
func (tx *tx) PutDelivery(d schedctl.Delivery) error {
	webhook, delivery, err := parse2(schedctl.WebhookPrefix, d.WebhookID, schedctl.DeliveryPrefix, d.ID)
	if err != nil {
		return err
	}
	if tx.webhookOwner(webhook) == nil {
		return notFound(schedctl.WebhookPrefix, d.WebhookID)
	}
	return tx.putDelivery(concat(nil, webhook[:], delivery[:]), d)
}

func (tx *tx) putDelivery(key []byte, d schedctl.Delivery) error {
	var was []byte
	if record := tx.in(deliveries).Get(key); record != nil {
		old, err := deliveryTable.read(key, record)
		if err != nil {
			return err
		}
		was = pendingKey(&old, key)
	}
	if err := putRecord(tx, deliveries, key, &d, (*coder).delivery); err != nil {
		return err
	}
	return tx.movePending(was, pendingKey(&d, key))
}

// movePending replaces the entry was in the index of pending deliveries by is. Each may
// be nil for no entry.
func (tx *tx) movePending(was, is []byte) error {
	if bytes.Equal(was, is) {
		return nil
	}
	if was != nil {
		if err := tx.delete(pendingDeliveries, was); err != nil {
			return err
		}
	}
	if is == nil {
		return nil
	}
	return tx.put(pendingDeliveries, is, nil)
}
