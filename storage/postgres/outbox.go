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
// transactions that run at once commit in any order. Who reads events stops at a
// number that is missing: its transaction may still be under way, and what it
// adds would be skipped. A number that can never come, because its transaction
// was rolled back, is noted in event_gaps, and so are those before the oldest
// event. See gaps.go for how that is found out.

// outboxLock is held by every transaction that takes numbers, from before it
// takes the first one.
var outboxLock = lockKey{table: "events"}

// Events implements [storage.Reader]. An event never comes before one that was
// returned already. What follows a place whose event may still come waits for
// it.
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

// readOutbox returns the statement that reads the events behind a place, each
// with the place of the one before it and how many are missing in between.
var readOutbox = sync.OnceValue(func() string {
	return "SELECT " + strings.ReplaceAll(events.sql().columns, "events.", "found.") + ", found.before, " + missingBefore + `
		FROM (SELECT events.*, lag(seq, 1, begins) OVER (ORDER BY seq) AS before
			FROM (SELECT greatest($1, first_seq - 1) AS begins FROM outbox) AS place, events
			WHERE seq > begins AND seq > $1 ORDER BY seq LIMIT $2) AS found
		ORDER BY found.seq`
})

// missingBefore is how many places between two events may still be filled.
const missingBefore = `CASE found.seq - found.before WHEN 1 THEN 0 ELSE found.seq - found.before - 1 -
	(SELECT count(*) FROM event_gaps WHERE event_gaps.seq > found.before AND event_gaps.seq < found.seq) END`

// strayIDs is how many ids are looked at to find the place of one that is not
// there: clocks of several processes differ, so that the order of ids is about
// that of places.
const strayIDs = 100

// outboxPosition returns the place of an event, 0 for the empty id. For an event that is
// not there it is a place that no event with a greater id comes before.
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
	err = r.send(statement{sql: sql, args: args, scan: func(rows pgx.Rows) error {
		for rows.Next() {
			var v pgtype.Int8
			if err := rows.Scan(&v); err != nil {
				return err
			}
			n, found = v.Int64, v.Valid
		}
		return rows.Err()
	}})
	return n, found, err
}

// LastEvent implements [storage.Reader]. Of the events that can be read it is
// the one with the greatest id.
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

// recentPositions is how far back from the youngest event a missing place is looked
// for. What is further back is older than any transaction.
const recentPositions = 50_000

// lastPosition returns the last place that can be read, and the first that is
// missing behind it, or 0.
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
