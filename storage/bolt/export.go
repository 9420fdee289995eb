package bolt

import (
	"bytes"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var (
	_ storage.Exporter = (*reader)(nil)
	_ storage.Importer = (*tx)(nil)
)

// AttemptsOf implements [storage.Exporter].
func (r *reader) AttemptsOf(targetIDs []string) (list []schedctl.Attempt, err error) {
	ids := slices.Clone(targetIDs)
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		found, err := r.Attempts(id)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// AllEvents implements [storage.Exporter].
func (r *reader) AllEvents(afterID string, limit int) ([]schedctl.Event, error) {
	return r.Events(afterID, limit)
}

// IdempotencyRecords implements [storage.Exporter].
func (r *reader) IdempotencyRecords(after storage.StoredIdempotencyRecord, limit int) (list []storage.StoredIdempotencyRecord, err error) {
	c := r.in(idempotencyRecords).Cursor()
	k, v := c.First()
	if after.Hash != ([32]byte{}) {
		key := append(appendTime(nil, timeKey(after.Record.CreatedAt.UnixMilli())), after.Hash[:]...)
		if k, v = c.Seek(key); bytes.Equal(k, key) {
			k, v = c.Next()
		}
	}
	for ; k != nil && len(list) < limit; k, v = c.Next() {
		a, err := readIdempotencyRecord(k, v)
		if err != nil {
			return nil, err
		}
		list = append(list, storage.StoredIdempotencyRecord{Hash: [32]byte(k[8:]), Record: a})
	}
	return list, nil
}

// AllMetadata implements [storage.Reader].
func (r *reader) AllMetadata() (map[string][]byte, error) {
	all := make(map[string][]byte)
	c := r.in(meta).Cursor()
	for k, v := c.Seek([]byte(metadataPrefix)); k != nil; k, v = c.Next() {
		name, ok := strings.CutPrefix(string(k), metadataPrefix)
		if !ok {
			break
		}
		all[name] = bytes.Clone(v)
	}
	return all, nil
}

// PutStoredIdempotencyRecord implements [storage.Importer].
func (tx *tx) PutStoredIdempotencyRecord(a storage.StoredIdempotencyRecord) error {
	return tx.putIdempotencyRecord(a.Hash, a.Record)
}
