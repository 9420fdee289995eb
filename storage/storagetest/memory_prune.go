package storagetest

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

func (tx *memoryTx) Prune(before storage.Retention, limit int) (int, error) {
	left := limit
	for _, key := range tx.oldAnswers(before.Answers) {
		if left > 0 {
			unset(tx, tx.m.answers, key)
			left--
		}
	}
	for left > 0 && len(tx.m.events) > 0 && tx.m.events[0].CreatedAt.Before(before.Events) {
		first := tx.m.events[0]
		tx.removeEvent(first.ID)
		tx.undo = append(tx.undo, func() { tx.m.events = slices.Insert(tx.m.events, 0, first) })
		left--
	}
	left -= pruneOwned(tx, tx.m.deliveries, left, func(d schedctl.Delivery) bool {
		_, there := tx.m.webhooks[d.WebhookID]
		return !there || d.CreatedAt.Before(before.Deliveries)
	})
	left -= pruneOwned(tx, tx.m.audit, left, func(a schedctl.AuditEntry) bool { return a.At.Before(before.Audit) })
	return limit - left, nil
}

// pruneOwned removes up to limit of the records that are past keeping, the
// oldest of each owner first, and returns how many.
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
		unset(tx, in, key)
	}
	return len(keys)
}

// oldAnswers returns the answers from before the given time, the oldest first.
func (tx *memoryTx) oldAnswers(before time.Time) []storage.AnswerKey {
	var keys []storage.AnswerKey
	for key, a := range tx.m.answers {
		if a.CreatedAt.Before(before) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b storage.AnswerKey) int {
		if c := tx.m.answers[a].CreatedAt.Compare(tx.m.answers[b].CreatedAt); c != 0 {
			return c
		}
		return strings.Compare(a.IdempotencyKey, b.IdempotencyKey)
	})
	return keys
}
