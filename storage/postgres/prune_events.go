package postgres

import (
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/schedctl/schedctl/storage"
)

// pruneEvents deletes events from the start of the outbox up to the first one to keep,
// and records gaps in their positions.
func (tx *tx) pruneEvents(before storage.Retention, limit int) (int, error) {
	if before.Events.IsZero() {
		return 0, nil
	}
	places, err := tx.oldEvents(before, limit)
	if err != nil || len(places) == 0 {
		return 0, err
	}
	if err := tx.addGaps(places); err != nil {
		return 0, err
	}
	return tx.remove("DELETE FROM events WHERE seq = ANY($1) RETURNING 1", places)
}

// pruneAhead is how many events at most are read beyond those to delete, because a
// clock that was ahead may have dated them.
const pruneAhead = 1000

// oldEvents returns the positions of the events to delete. It locks them, so that two
// processes do not prune at once.
func (tx *tx) oldEvents(before storage.Retention, limit int) (places []int64, err error) {
	young := false
	err = tx.send(statement{
		sql: "SELECT seq, created_at FROM events ORDER BY seq LIMIT $1 FOR UPDATE", args: []any{limit + pruneAhead},
		scan: func(rows pgx.Rows) error {
			for rows.Next() {
				var seq int64
				var at time.Time
				if err := rows.Scan(&seq, timeField{&at}); err != nil {
					return err
				}
				if before.InFuture(at) {
					continue
				}
				if young = young || !at.Before(before.Events); !young && len(places) < limit {
					places = append(places, seq)
				}
			}
			return rows.Err()
		},
	})
	return places, err
}

// addGaps records positions as empty. Positions at the start of the outbox move its
// start instead.
func (tx *tx) addGaps(places []int64) error {
	tx.put(insertGaps, places)
	var first int64
	var gaps []int64
	err := tx.send(
		statement{sql: "SELECT first_seq FROM outbox FOR UPDATE", scan: scanOne(new(bool), &first)},
		statement{
			sql: "SELECT seq FROM event_gaps ORDER BY seq LIMIT $1", args: []any{len(places) + pruneAhead},
			scan: scanAll(&gaps, pgx.RowTo[int64]),
		},
	)
	for _, gap := range gaps {
		if gap == first {
			first++
		}
	}
	tx.put("UPDATE outbox SET first_seq = $1", first)
	tx.put("DELETE FROM event_gaps WHERE seq < $1", first)
	return err
}
