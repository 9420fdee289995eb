package postgres

import (
	"fmt"
	"time"

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

// removeOlder deletes up to limit rows of a table whose time in a column is before t, the
// oldest first, and returns their number. A zero t keeps all rows. key identifies a row.
func (tx *tx) removeOlder(table, key, column string, t time.Time, limit int) (int, error) {
	if t.IsZero() {
		return 0, nil
	}
	return tx.remove(fmt.Sprintf(`DELETE FROM %[1]s WHERE %[2]s = ANY(ARRAY(
		SELECT %[2]s FROM %[1]s WHERE coalesce(%[3]s, '-infinity') < $1
		ORDER BY coalesce(%[3]s, '-infinity') LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING 1`, table, key, column), stamp(t), limit)
}

func (tx *tx) pruneIdempotencyRecords(before storage.Retention, limit int) (int, error) {
	return tx.removeOlder("answers", "hash", "created_at", before.IdempotencyRecords, limit)
}

func (tx *tx) pruneAudit(before storage.Retention, limit int) (int, error) {
	return tx.removeOlder("audit_entries", "ctid", "at", before.Audit, limit)
}

func (tx *tx) pruneDeliveries(before storage.Retention, limit int) (int, error) {
	return tx.removeOlder("deliveries", "ctid", "created_at", before.Deliveries, limit)
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
