package bolt

import (
	"fmt"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// IdempotencyRecord implements [storage.Reader]. A reader that is older than a Prune may
// no longer find what that removed.
func (r *reader) IdempotencyRecord(key storage.IdempotencyScope) (a storage.IdempotencyRecord, err error) {
	_, record := r.idempotencyRecord(key.Hash())
	if record == nil {
		return a, schedctl.Errorf(schedctl.NotFound, "", "there is no response to this request")
	}
	if err := decode(record, &a, (*coder).idempotencyRecord); err != nil {
		return a, fmt.Errorf("idempotency record of %s %s: %w", key.Method, key.Path, err)
	}
	return a, nil
}

// idempotencyRecord returns the key and the record with this hash, or nil.
func (r *reader) idempotencyRecord(hash [32]byte) (key, record []byte) {
	for _, at := range r.idempotency.find(readTime(hash[:])) {
		key := append(appendTime(nil, at), hash[:]...)
		if record := r.in(idempotencyRecords).Get(key); record != nil {
			return key, record
		}
	}
	return nil, nil
}

// PutIdempotencyRecord implements [storage.Tx].
func (tx *tx) PutIdempotencyRecord(key storage.IdempotencyScope, a storage.IdempotencyRecord) error {
	return tx.putIdempotencyRecord(key.Hash(), a)
}

func (tx *tx) putIdempotencyRecord(hash [32]byte, a storage.IdempotencyRecord) error {
	if old, _ := tx.idempotencyRecord(hash); old != nil {
		if err := tx.deleteIdempotencyRecord(old); err != nil {
			return err
		}
	}
	at := append(appendTime(tx.scratch[:0], timeKey(a.CreatedAt.UnixMilli())), hash[:]...)
	ref := idempotencyRefOf(at)
	tx.removed = slices.DeleteFunc(tx.removed, func(r idempotencyRef) bool { return r == ref })
	if tx.idempotency.add(ref) {
		tx.added = append(tx.added, ref)
	}
	if err := tx.put(idempotencyHashes, at[:idempotencyHashSize], nil); err != nil {
		return err
	}
	return putRecord(tx, idempotencyRecords, at, &a, (*coder).idempotencyRecord)
}

func (tx *tx) deleteIdempotencyRecord(key []byte) error {
	tx.removed = append(tx.removed, idempotencyRefOf(key))
	if err := tx.delete(idempotencyHashes, key[:idempotencyHashSize]); err != nil {
		return err
	}
	return tx.delete(idempotencyRecords, key)
}
