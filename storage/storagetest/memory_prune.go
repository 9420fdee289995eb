package storagetest

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

func (tx *memoryTx) Prune(before storage.Retention, limit int) (int, error) {
	left := limit
	for _, key := range tx.oldIdempotencyRecords(before.IdempotencyRecords) {
		if left > 0 {
			deleteKey(tx, tx.m.idempotency, key)
			left--
		}
	}
	left -= tx.pruneEvents(before, left)
	left -= pruneOwned(tx, tx.m.deliveries, left, func(d schedctl.Delivery) bool {
		_, there := tx.m.webhooks[d.WebhookID]
		return !there || d.CreatedAt.Before(before.Deliveries)
	})
	left -= pruneOwned(tx, tx.m.audit, left, func(a schedctl.AuditEntry) bool { return a.At.Before(before.Audit) })
	return limit - left, nil
}

// pruneEvents removes up to limit expired events, oldest first, and returns their number.
func (tx *memoryTx) pruneEvents(before storage.Retention, limit int) (removed int) {
	old := tx.m.outbox.events
	kept := make([]schedctl.Event, 0, len(old))
	for i, e := range old {
		ahead := before.InFuture(e.CreatedAt)
		if removed == limit || !ahead && !e.CreatedAt.Before(before.Events) {
			kept = append(kept, old[i:]...)
			break
		}
		if ahead {
			kept = append(kept, e)
		} else {
			removed++
		}
	}
	tx.m.outbox.events = kept
	tx.undo = append(tx.undo, func() { tx.m.outbox.events = old })
	return removed
}

// pruneOwned removes up to limit expired records, oldest first per owner, and returns
// their number.
func pruneOwned[V any](tx *memoryTx, in map[ownedKey]V, limit int, past func(V) bool) (removed int) {
	var keys []ownedKey
	for key, v := range in {
		if past(v) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b ownedKey) int {
		return cmp.Or(strings.Compare(a.owner, b.owner), strings.Compare(a.id, b.id))
	})
	keys = keys[:min(limit, len(keys))]
	for _, key := range keys {
		deleteKey(tx, in, key)
	}
	return len(keys)
}

// oldIdempotencyRecords returns the keys of records before the given time, oldest first.
func (tx *memoryTx) oldIdempotencyRecords(before time.Time) [][32]byte {
	var keys [][32]byte
	for key, a := range tx.m.idempotency {
		if a.CreatedAt.Before(before) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b [32]byte) int {
		if c := tx.m.idempotency[a].CreatedAt.Compare(tx.m.idempotency[b].CreatedAt); c != 0 {
			return c
		}
		return bytes.Compare(a[:], b[:])
	})
	return keys
}
