package bolt

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Prune implements [storage.Tx]. Besides the records that it removes, it reads only the
// oldest record of each kind, of each webhook and of each workspace.
func (tx *tx) Prune(before storage.Retention, limit int) (int, error) {
	left := limit
	for _, prune := range []func(storage.Retention, int) (int, error){
		tx.pruneIdempotencyRecords, tx.pruneEvents, tx.pruneDeliveries, tx.pruneAudit,
	} {
		n, err := prune(before, left)
		if err != nil {
			return 0, err
		}
		left -= n
	}
	return limit - left, nil
}

func (tx *tx) pruneIdempotencyRecords(before storage.Retention, limit int) (int, error) {
	old := tx.oldIdempotencyRecords(before.IdempotencyRecords, limit)
	for _, key := range old {
		if err := tx.deleteIdempotencyRecord(key); err != nil {
			return 0, err
		}
	}
	return len(old), nil
}

func (tx *tx) oldIdempotencyRecords(before time.Time, limit int) (old [][]byte) {
	c := tx.in(idempotencyRecords).Cursor()
	for k, _ := c.First(); k != nil && len(old) < limit && readTime(k) < timeKey(before.UnixMilli()); k, _ = c.Next() {
		old = append(old, slices.Clone(k))
	}
	return old
}

func (tx *tx) pruneEvents(before storage.Retention, limit int) (int, error) {
	old, err := tx.oldEvents(before, limit)
	if err != nil {
		return 0, err
	}
	for i := range old {
		if err := tx.deleteEvent(old[i]); err != nil {
			return 0, err
		}
	}
	return len(old), nil
}

func (tx *tx) oldEvents(before storage.Retention, limit int) (old []schedctl.Event, err error) {
	c := tx.in(events).Cursor()
	for k, v := c.First(); k != nil && len(old) < limit; k, v = c.Next() {
		e, err := readEvent(k, v)
		if err != nil {
			return nil, err
		}
		if before.InFuture(e.CreatedAt) {
			continue
		}
		if !e.CreatedAt.Before(before.Events) {
			break
		}
		old = append(old, e)
	}
	return old, nil
}

func (tx *tx) deleteEvent(e schedctl.Event) error {
	event, err := parse(schedctl.EventPrefix, e.ID)
	if err != nil {
		return err
	}
	if err := tx.delete(events, event[:]); err != nil {
		return err
	}
	return tx.unindexEvent(e)
}

func (tx *tx) pruneDeliveries(before storage.Retention, limit int) (int, error) {
	old, err := expiredOfEachOwner(tx, deliveries, limit, deliveryTable.read, func(d *schedctl.Delivery, key []byte) retention {
		if tx.webhookOwner(ulid(key)) == nil {
			return expired
		}
		return retentionOf(before, d.CreatedAt, before.Deliveries)
	})
	if err != nil {
		return 0, err
	}
	for i := range old {
		if err := tx.movePending(pendingKey(&old[i].record, old[i].key), nil); err != nil {
			return 0, err
		}
		if err := tx.delete(deliveries, old[i].key); err != nil {
			return 0, err
		}
	}
	return len(old), nil
}

func (tx *tx) pruneAudit(before storage.Retention, limit int) (int, error) {
	old, err := expiredOfEachOwner(tx, audit, limit, auditTable.read, func(a *schedctl.AuditEntry, _ []byte) retention {
		return retentionOf(before, a.At, before.Audit)
	})
	if err != nil {
		return 0, err
	}
	for i := range old {
		if err := tx.delete(audit, old[i].key); err != nil {
			return 0, err
		}
	}
	return len(old), nil
}

// keyed is a record with its key.
type keyed[T any] struct {
	key    []byte
	record T
}

// retention is the decision whether a record is kept.
type retention int

const (
	retained     retention = iota // this record and those after it are kept
	dateInFuture                  // this record is kept, see storage.Retention
	expired
)

func retentionOf(before storage.Retention, made, limit time.Time) retention {
	switch {
	case before.InFuture(made):
		return dateInFuture
	case made.Before(limit):
		return expired
	}
	return retained
}

// expiredOfEachOwner returns up to limit expired records. It reads the records of each
// owner from the oldest to the first retained record.
func expiredOfEachOwner[T any](
	tx *tx, b bucket, limit int, read func(key, record []byte) (T, error), judge func(v *T, key []byte) retention,
) (found []keyed[T], err error) {
	c := tx.in(b).Cursor()
	for k, v := c.First(); k != nil && len(found) < limit; {
		record, err := read(k, v)
		if err != nil {
			return nil, err
		}
		switch judge(&record, k) {
		case retained:
			k, v = c.Seek(afterAll(k[:16]))
			continue
		case expired:
			found = append(found, keyed[T]{slices.Clone(k), record})
		}
		k, v = c.Next()
	}
	return found, nil
}
