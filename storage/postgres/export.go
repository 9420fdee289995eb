package postgres

import (
	"github.com/jackc/pgx/v5"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var (
	_ storage.Exporter = (*reader)(nil)
	_ storage.Importer = (*tx)(nil)
)

// AttemptsOf implements [storage.Exporter].
func (r *reader) AttemptsOf(targetIDs []string) ([]schedctl.Attempt, error) {
	ids, err := parseAll(schedctl.TargetPrefix, targetIDs)
	if err != nil {
		return nil, err
	}
	r.lockTable("attempts")
	return query(r, attempts, "WHERE target_id = ANY($1) ORDER BY target_id, number", ids)
}

// AllEvents implements [storage.Exporter].
func (r *reader) AllEvents(afterID string, limit int) ([]schedctl.Event, error) {
	r.lockTable("events")
	after, err := r.outboxPosition(afterID)
	if err != nil {
		return nil, err
	}
	return query(r, events, "WHERE seq > $1 ORDER BY seq LIMIT $2", after, limit)
}

// IdempotencyRecords implements [storage.Exporter]. Refusals are left out: they only
// matter to requests in progress, and a copy runs without any.
func (r *reader) IdempotencyRecords(after storage.StoredIdempotencyRecord, limit int) ([]storage.StoredIdempotencyRecord, error) {
	r.lockTable("answers")
	at := stamp(after.Record.CreatedAt)
	if after.Record.CreatedAt.IsZero() {
		at = startOfTime()
	}
	// the first condition is the one an index supports
	rows, err := query(r, idempotencyRecords, `WHERE coalesce(created_at, '-infinity') >= $1 AND (coalesce(created_at, '-infinity'), hash) > ($1, $2)
		AND status <> $4 ORDER BY coalesce(created_at, '-infinity'), hash LIMIT $3`, at, after.Hash[:], limit, refusedStatus)
	list := make([]storage.StoredIdempotencyRecord, len(rows))
	for i := range rows {
		list[i] = storage.StoredIdempotencyRecord{Hash: rows[i].hash, Record: rows[i].record}
	}
	return list, err
}

// AllMetadata implements [storage.Reader].
func (r *reader) AllMetadata() (map[string][]byte, error) {
	r.lockTable("notes")
	all := make(map[string][]byte)
	err := r.send(statement{sql: "SELECT name, value FROM notes", scan: func(rows pgx.Rows) error {
		for rows.Next() {
			var name string
			var value []byte
			if err := rows.Scan(&name, &value); err != nil {
				return err
			}
			all[name] = value
		}
		return rows.Err()
	}})
	return all, err
}

// PutStoredIdempotencyRecord implements [storage.Importer]. The columns about the
// request stay empty, because an export does not contain them.
func (tx *tx) PutStoredIdempotencyRecord(a storage.StoredIdempotencyRecord) error {
	return tx.insertIdempotencyRecord(idempotencyRow{hash: a.Hash, record: a.Record})
}
