package postgres

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// IdempotencyRecord implements [storage.Reader].
func (r *reader) IdempotencyRecord(key storage.IdempotencyScope) (storage.IdempotencyRecord, error) {
	hash := key.Hash()
	a, found, err := one(r, answers, "WHERE hash = $1"+r.forUpdate(), hash[:])
	if err != nil {
		return storage.IdempotencyRecord{}, err
	}
	if r.tx != nil {
		r.tx.answers[hash] = found
	}
	switch {
	case !found:
		return storage.IdempotencyRecord{}, schedctl.Errorf(schedctl.NotFound, "", "there is no answer to this request")
	case a.answer.Status == refusedStatus:
		var refused storage.RefusedError
		if err := r.send(refusedAgo(hash, &refused.Ago)); err != nil {
			return storage.IdempotencyRecord{}, err
		}
		return storage.IdempotencyRecord{}, &refused
	}
	return a.answer, nil
}

// PutIdempotencyRecord implements [storage.Tx]. Of two transactions that have found no
// answer and put one, the second is run again, and finds that of the first.
func (tx *tx) PutIdempotencyRecord(key storage.IdempotencyScope, a storage.IdempotencyRecord) error {
	return tx.putAnswer(answerRow{hash: key.Hash(), key: key, answer: a})
}

func (tx *tx) putAnswer(a answerRow) error {
	values, err := answers.values(&a)
	if err != nil {
		return err
	}
	if found, looked := tx.answers[a.hash]; looked && !found {
		tx.hope(answers.sql().insert, values...)
	} else {
		tx.put(answers.sql().upsert, values...)
	}
	tx.answers[a.hash] = true
	return nil
}
