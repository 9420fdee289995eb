package postgres

import (
	"github.com/jackc/pgx/v5"

	"github.com/schedctl/schedctl/storage"
)

// Prune implements [storage.Tx]. Several processes may prune at once; each one skips
// the records that others have locked.
func (tx *tx) Prune(before storage.Retention, limit int) (int, error) {
	left := limit
	for _, prune := range []func(storage.Retention, int) (int, error){
		tx.pruneIdempotencyRecords, tx.pruneEvents, tx.pruneDeliveries, tx.pruneOrphans, tx.pruneAudit,
	} {
		if left == 0 {
			break
		}
		n, err := prune(before, left)
		if err != nil {
			return 0, err
		}
		left -= n
	}
	tx.write("DELETE FROM commits WHERE at < now() - interval '" + markRetention + "'")
	return limit - left, nil
}

// remove runs a statement that returns a row for each deleted record, and returns their
// number.
func (tx *tx) remove(sql string, args ...any) (n int, err error) {
	tx.wrote = true
	err = tx.send(statement{sql: sql, args: args, scan: func(rows pgx.Rows) error {
		for rows.Next() {
			n++
		}
		return rows.Err()
	}})
	return n, err
}

func (tx *tx) pruneIdempotencyRecords(before storage.Retention, limit int) (int, error) {
	if before.IdempotencyRecords.IsZero() {
		return 0, nil
	}
	return tx.remove(`DELETE FROM answers WHERE hash = ANY(ARRAY(
		SELECT hash FROM answers WHERE coalesce(created_at, '-infinity') < $1
		ORDER BY coalesce(created_at, '-infinity') LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING 1`, stamp(before.IdempotencyRecords), limit)
}

func (tx *tx) pruneAudit(before storage.Retention, limit int) (int, error) {
	if before.Audit.IsZero() {
		return 0, nil
	}
	return tx.remove(`DELETE FROM audit_entries WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM audit_entries WHERE coalesce(at, '-infinity') < $1
		ORDER BY coalesce(at, '-infinity') LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING 1`, stamp(before.Audit), limit)
}

func (tx *tx) pruneDeliveries(before storage.Retention, limit int) (int, error) {
	if before.Deliveries.IsZero() {
		return 0, nil
	}
	return tx.remove(`DELETE FROM deliveries WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM deliveries WHERE coalesce(created_at, '-infinity') < $1
		ORDER BY coalesce(created_at, '-infinity') LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING 1`, stamp(before.Deliveries), limit)
}

// pruneOrphans deletes deliveries of deleted webhooks, and then the webhooks without
// any left.
func (tx *tx) pruneOrphans(_ storage.Retention, limit int) (int, error) {
	n, err := tx.remove(`DELETE FROM deliveries WHERE ctid = ANY(ARRAY(
		SELECT deliveries.ctid FROM gone_webhooks JOIN deliveries ON deliveries.webhook_id = gone_webhooks.id
		LIMIT $1 FOR UPDATE OF deliveries SKIP LOCKED)) RETURNING 1`, limit)
	if err != nil || n == limit {
		return n, err
	}
	_, err = tx.remove("DELETE FROM gone_webhooks WHERE NOT EXISTS (SELECT 1 FROM deliveries WHERE deliveries.webhook_id = gone_webhooks.id) RETURNING 1")
	return n, err
}
