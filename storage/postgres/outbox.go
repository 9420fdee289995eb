package postgres

import (
	"fmt"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
)

// The order of the outbox. Every event takes the next number of a sequence, and
// concurrent transactions commit in any order. A reader stops at a missing number: the
// transaction that took it may still be running, and its event would be skipped.
// Numbers whose transactions were rolled back are recorded in event_gaps, and so are
// pruned ones. gaps.go finds out which numbers stay empty.

// outboxLock is held by every transaction that takes numbers, from before it takes the
// first one.
var outboxLock = lockKey{table: "events"}

// Events implements [storage.Reader]. A later call never returns an event that belongs
// before one already returned. Events after a position that may still be filled are
// withheld until it is.
func (r *reader) Events(afterID string, limit int) (list []schedctl.Event, err error) {
	r.lockTable("events")
	after, err := r.outboxPosition(afterID)
	if err != nil {
		return nil, err
	}
	return list, r.send(statement{sql: readOutbox(), args: []any{after, limit}, scan: func(rows pgx.Rows) error {
		var e schedctl.Event
		var before, missing int64
		var row row
		events.describe(&row, &e)
		destinations := append(row.destinations(), &before, &missing)
		for rows.Next() {
			if err := rows.Scan(destinations...); err != nil {
				return fmt.Errorf("read events: %w", err)
			}
			if missing > 0 {
				r.store.gaps.report(before + 1)
				rows.Close()
				break
			}
			list = append(list, e)
		}
		return rows.Err()
	}})
}

// readOutbox returns the statement that reads the events after a position, each with
// the position before it and the number of missing positions in between.
var readOutbox = sync.OnceValue(func() string {
	return "SELECT " + strings.ReplaceAll(events.sql().columns, "events.", "found.") + ", found.before, " + missingBefore + `
		FROM (SELECT events.*, lag(seq, 1, lower_bound) OVER (ORDER BY seq) AS before
			FROM (SELECT greatest($1, first_seq - 1) AS lower_bound FROM outbox) AS bound, events
			WHERE seq > lower_bound AND seq > $1 ORDER BY seq LIMIT $2) AS found
		ORDER BY found.seq`
})

// missingBefore counts the positions between two events that may still be filled.
const missingBefore = `CASE found.seq - found.before WHEN 1 THEN 0 ELSE found.seq - found.before - 1 -
	(SELECT count(*) FROM event_gaps WHERE event_gaps.seq > found.before AND event_gaps.seq < found.seq) END`

// strayIDs is how many ids are read to find the position of a missing one. The clocks
// of processes differ, so that the order of ids only roughly matches that of positions.
const strayIDs = 100

// outboxPosition returns the position of an event, and 0 for the empty id. For a
// missing event it returns a position such that all events with greater ids come after
// it.
func (r *reader) outboxPosition(id string) (int64, error) {
	if id == "" {
		return 0, nil
	}
	event, err := parse(schedctl.EventPrefix, id)
	if err != nil {
		return 0, err
	}
	place, found, err := r.queryNumber("SELECT seq FROM events WHERE id = $1", event)
	if err != nil || found {
		return place, err
	}
	if place, ok := decodePosition(event.Bytes); ok {
		return place, nil
	}
	next, found, err := r.queryNumber("SELECT min(seq) FROM (SELECT seq FROM events WHERE id > $1 ORDER BY id LIMIT $2) AS later", event, strayIDs)
	if err != nil || found {
		return next - 1, err
	}
	last, _, err := r.lastPosition()
	return last, err
}

// queryNumber reads one number, or null.
func (r *reader) queryNumber(sql string, args ...any) (n int64, found bool, err error) {
	var v pgtype.Int8
	err = r.send(statement{sql: sql, args: args, scan: scanOne(new(bool), &v)})
	return v.Int64, v.Valid, err
}

// LastEvent implements [storage.Reader]. It returns the greatest id of the events that
// can be read.
func (r *reader) LastEvent() (string, error) {
	r.lockTable("events")
	last, firstMissing, err := r.lastPosition()
	if err != nil {
		return "", err
	}
	condition, args := "ORDER BY id DESC LIMIT 1", []any(nil)
	if firstMissing != 0 {
		condition, args = "WHERE seq <= $1 ORDER BY id DESC LIMIT 1", []any{last}
	}
	e, _, err := queryOne(r, events, condition, args...)
	return e.ID, err
}

// recentPositions is how far before the newest event gaps are searched. Older positions
// were taken before any running transaction started.
const recentPositions = 50_000

// lastPosition returns the last position that can be read, and the first missing one
// after it, or 0.
func (r *reader) lastPosition() (last, missing int64, err error) {
	youngest, _, err := r.queryNumber("SELECT seq FROM events ORDER BY seq DESC LIMIT 1")
	if err != nil {
		return 0, 0, err
	}
	from, _, err := r.queryNumber("SELECT greatest(first_seq - 1, $1) FROM outbox", youngest-recentPositions)
	if err != nil || youngest <= from {
		return youngest, 0, err
	}
	known, _, err := r.queryNumber(`SELECT (SELECT count(*) FROM events WHERE seq > $1 AND seq <= $2) +
		(SELECT count(*) FROM event_gaps WHERE seq > $1 AND seq <= $2)`, from, youngest)
	if err != nil || from+known == youngest {
		return youngest, 0, err
	}
	last, found, err := r.queryNumber(`SELECT before FROM (SELECT seq, lag(seq, 1, $1::bigint) OVER (ORDER BY seq) AS before
			FROM events WHERE seq > $1 AND seq <= $2) AS found
		WHERE seq > before + 1 AND `+missingBefore+" > 0 ORDER BY seq LIMIT 1", from, youngest)
	if err != nil || !found {
		return youngest, 0, err
	}
	r.store.gaps.report(last + 1)
	return last, last + 1, nil
}
