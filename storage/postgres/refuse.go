package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/schedctl/schedctl/storage"
)

// refusedStatus marks a row of answers that is a refusal. The primary key of the table
// makes refusal and response exclude each other: the second commit finds the row of the
// first.
const refusedStatus = -1

// undecidedAfter is how long Refuse waits for a transaction that stores a response.
const undecidedAfter = 500 * time.Millisecond

// Refuse implements [storage.Shared] in one round trip. The age of a refusal is
// measured by the clock of the database.
func (s *Store) Refuse(ctx context.Context, key storage.IdempotencyScope) (*storage.IdempotencyRecord, error) {
	var found []idempotencyRow
	hash := key.Hash()
	values, err := idempotencyRecords.values(&idempotencyRow{hash: hash, key: key, record: storage.IdempotencyRecord{Status: refusedStatus}})
	if err != nil {
		return nil, err
	}
	err = s.runBatch(ctx, s.pool,
		statement{sql: fmt.Sprintf("SET LOCAL lock_timeout = %d", undecidedAfter.Milliseconds())},
		statement{sql: idempotencyRecords.sql().insert + " ON CONFLICT (hash) DO NOTHING", args: values},
		statement{sql: "UPDATE answers SET created_at = clock_timestamp() WHERE hash = $1 AND status = $2", args: []any{hash[:], refusedStatus}},
		selects(idempotencyRecords, &found, "WHERE hash = $1", hash[:]),
	)
	switch {
	case isCode(err, codeLockTimeout):
		return nil, fmt.Errorf("%w: %w", storage.ErrUndecided, err)
	case err != nil:
		return nil, fmt.Errorf("store a refusal: %w", s.capacity.observe(err))
	case len(found) == 0 || found[0].record.Status == refusedStatus:
		return nil, nil
	}
	return &found[0].record, nil
}

// refusalAge returns the statement that reads the age of a refusal. It rounds down: a
// refusal must not look older than it is.
func refusalAge(hash [32]byte, age *time.Duration) statement {
	return statement{
		sql:  "SELECT floor(extract(epoch FROM clock_timestamp() - created_at) * 1000000)::bigint FROM answers WHERE hash = $1",
		args: []any{hash[:]},
		scan: func(rows pgx.Rows) error {
			micros, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[int64])
			*age = time.Duration(micros) * time.Microsecond
			return err
		},
	}
}
