package storagetest

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var (
	_ storage.Exporter = memoryReader{}
	_ storage.Importer = (*memoryTx)(nil)
)

func (r memoryReader) AttemptsOf(targetIDs []string) ([]schedctl.Attempt, error) {
	if err := checkIDs(schedctl.TargetPrefix, targetIDs...); err != nil {
		return nil, err
	}
	wanted := make(map[string]bool)
	for _, id := range targetIDs {
		wanted[id] = true
	}
	return r.attempts(func(a schedctl.Attempt) bool { return wanted[a.TargetID] }, func(a, b schedctl.Attempt) int {
		return cmp.Or(cmp.Compare(a.TargetID, b.TargetID), cmp.Compare(a.Number, b.Number))
	}), nil
}

func (r memoryReader) AllEvents(afterID string, limit int) ([]schedctl.Event, error) {
	return r.Events(afterID, limit)
}

func (r memoryReader) IdempotencyRecords(after storage.StoredIdempotencyRecord, limit int) ([]storage.StoredIdempotencyRecord, error) {
	compare := func(a, b storage.StoredIdempotencyRecord) int {
		return cmp.Or(a.Record.CreatedAt.Compare(b.Record.CreatedAt), bytes.Compare(a.Hash[:], b.Hash[:]))
	}
	var all []storage.StoredIdempotencyRecord
	for hash, a := range r.m.idempotency {
		if found := (storage.StoredIdempotencyRecord{Hash: hash, Record: cloneIdempotencyRecord(a)}); compare(found, after) > 0 {
			all = append(all, found)
		}
	}
	slices.SortFunc(all, compare)
	return all[:min(limit, len(all))], nil
}

func (r memoryReader) AllMetadata() (map[string][]byte, error) {
	all := maps.Clone(r.m.metadata)
	for name := range all {
		all[name] = bytes.Clone(all[name])
	}
	return all, nil
}

func (tx *memoryTx) PutStoredIdempotencyRecord(a storage.StoredIdempotencyRecord) error {
	putKey(tx, tx.m.idempotency, a.Hash, cloneIdempotencyRecord(a.Record))
	return nil
}
