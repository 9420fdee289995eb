package postgres

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// IdempotencyRecord implements [storage.Reader].
func (r *reader) IdempotencyRecord(key storage.IdempotencyScope) (storage.IdempotencyRecord, error) {
	hash := key.Hash()
	a, found, err := queryOne(r, idempotencyRecords, "WHERE hash = $1"+r.forUpdate(), hash[:])
	if err != nil {
		return storage.IdempotencyRecord{}, err
	}
	if r.tx != nil {
		r.tx.idempotency[hash] = found
	}
	switch {
	case !found:
		return storage.IdempotencyRecord{}, schedctl.Errorf(schedctl.NotFound, "", "there is no idempotency record for this request")
	case a.record.Status == refusedStatus:
		var refused storage.RefusedError
		if err := r.send(refusalAge(hash, &refused.Ago)); err != nil {
			return storage.IdempotencyRecord{}, err
		}
		return storage.IdempotencyRecord{}, &refused
	}
	return a.record, nil
}

// PutIdempotencyRecord implements [storage.Tx]. When two transactions read that the
// record is missing and both put it, the second one is rerun and reads the record of
// the first.
func (tx *tx) PutIdempotencyRecord(key storage.IdempotencyScope, a storage.IdempotencyRecord) error {
	return tx.insertIdempotencyRecord(idempotencyRow{hash: key.Hash(), key: key, record: a})
}

func (tx *tx) insertIdempotencyRecord(a idempotencyRow) error {
	values, err := idempotencyRecords.values(&a)
	if err != nil {
		return err
	}
	if found, looked := tx.idempotency[a.hash]; looked && !found {
		tx.putUnverified(idempotencyRecords.sql().insert, values...)
	} else {
		tx.put(idempotencyRecords.sql().upsert, values...)
	}
	tx.idempotency[a.hash] = true
	return nil
}
