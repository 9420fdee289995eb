package bolt

import (
	"bytes"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Delivery implements [storage.Reader].
func (r *reader) Delivery(webhookID, id string) (d schedctl.Delivery, err error) {
	webhook, delivery, err := parse2(schedctl.WebhookPrefix, webhookID, schedctl.DeliveryPrefix, id)
	if err != nil {
		return d, err
	}
	key := concat(r.scratch[:0], webhook[:], delivery[:])
	record := r.in(deliveries).Get(key)
	if record == nil {
		return d, notFound(schedctl.DeliveryPrefix, id)
	}
	if d, err = readDelivery(key, record); err == nil && r.webhookOwner(webhook) == nil {
		giveUp(&d)
	}
	return d, err
}

// Deliveries implements [storage.Reader].
func (r *reader) Deliveries(webhookID, afterID string, limit int) ([]schedctl.Delivery, error) {
	webhook, end, err := endOfPage(schedctl.WebhookPrefix, webhookID, schedctl.DeliveryPrefix, afterID)
	if err != nil {
		return nil, err
	}
	list, err := pageBefore(r, deliveries, end, limit, readDelivery)
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
		key := concat(r.scratch[:0], k[:16], k[24:])
		record := r.in(deliveries).Get(key)
		if record == nil {
			return nil, fmt.Errorf("pending deliveries of %s: %w: one is not there", webhookID, storage.ErrCorrupt)
		}
		d, err := readDelivery(key, record)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
}

func readDelivery(key, record []byte) (d schedctl.Delivery, err error) {
	if len(key) != 32 {
		return d, wrongKey(deliveries, key)
	}
	d.WebhookID, d.ID = id(key[:16], schedctl.WebhookPrefix), id(key[16:], schedctl.DeliveryPrefix)
	if err := decode(record, &d, (*coder).delivery); err != nil {
		return d, fmt.Errorf("delivery %s: %w", d.ID, err)
	}
	return d, nil
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
		old, err := readDelivery(key, record)
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

// endOfPage returns the owner of the records of a page, and the key that all of them are
// below: the key of afterID, or the end of the owner's range if afterID is empty.
func endOfPage(of schedctl.Prefix, ownerID string, prefix schedctl.Prefix, afterID string) (owner ulid, end []byte, err error) {
	if afterID == "" {
		owner, err = parse(of, ownerID)
		return owner, afterAll(owner[:]), err
	}
	owner, after, err := parse2(of, ownerID, prefix, afterID)
	return owner, concat(nil, owner[:], after[:]), err
}

// afterAll returns a key greater than every key that consists of owner and another id.
func afterAll(owner []byte) []byte {
	return concat(nil, owner, bytes.Repeat([]byte{0xff}, 17))
}

// pageBefore reads up to limit records of one owner with keys below end, the youngest
// first. The first 16 bytes of end are the owner.
func pageBefore[T any](r *reader, b bucket, end []byte, limit int, read func(key, record []byte) (T, error)) (list []T, err error) {
	c := r.in(b).Cursor()
	for k := seekBefore(c, end); len(list) < limit && bytes.HasPrefix(k, end[:16]); k = stepBack(c, k) {
		item, err := read(k, r.in(b).Get(k))
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, nil
}
