package postgres

import (
	"fmt"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
)

// Event implements [storage.Reader].
func (r *reader) Event(id string) (schedctl.Event, error) {
	event, err := parse(schedctl.EventPrefix, id)
	if err != nil {
		return schedctl.Event{}, err
	}
	lock := ""
	if r.tx != nil {
		lock = " FOR KEY SHARE" // an event never changes; it can only be removed
	}
	e, found, err := queryOne(r, events, "WHERE id = $1"+lock, event)
	if err == nil && !found {
		err = notFound(schedctl.EventPrefix, id)
	}
	return e, err
}

// PostEvents implements [storage.Reader].
func (r *reader) PostEvents(postID string, limit int) ([]schedctl.Event, error) {
	post, err := parse(schedctl.PostPrefix, postID)
	if err != nil {
		return nil, err
	}
	r.lockTable("events")
	// compared as rows, so that the planner does not choose the primary key for its
	// order; see byAge
	latest, err := query(r, events, "WHERE post_id IS NOT NULL AND (post_id, id) >= ($1, "+firstID+") AND (post_id, id) <= ($1, "+lastID+`)
		ORDER BY post_id DESC, id DESC LIMIT $2`, post, limit)
	slices.Reverse(latest)
	return latest, err
}

// returningSeq makes an insert return the positions of the new events.
const returningSeq = " RETURNING seq"

// insertEvents returns the bulk statement that adds events.
var insertEvents = sync.OnceValue(func() *bulkStatement {
	m := *events.sql().bulkInsert
	m.sql += returningSeq
	return &m
})

// AddEvents implements [storage.Tx]. It writes nothing unless all events can be written.
func (tx *tx) AddEvents(list ...schedctl.Event) error {
	rows := make([][]any, len(list))
	ids := make([]pgtype.UUID, len(list))
	added := make(map[string]bool, len(list))
	for i := range list {
		var err error
		if rows[i], err = events.values(&list[i]); err != nil {
			return err
		}
		id := list[i].ID
		if added[id] || tx.rows[id] {
			return fmt.Errorf("add event %s: the id exists already", id)
		}
		added[id] = true
		ids[i], _ = rows[i][0].(pgtype.UUID)
	}
	if len(list) == 0 {
		return nil
	}
	if tx.verifyWrites {
		if taken, err := tx.rowExists("SELECT 1 FROM events WHERE id = ANY($1)", ids); err != nil || taken {
			return fmt.Errorf("add %d events: the id of one of them exists already: %w", len(list), err)
		}
	}
	tx.lock(outboxLock)
	for i := range list {
		tx.rows[list[i].ID] = true
		tx.putRowUnverified(events.sql().insert+returningSeq, insertEvents(), rows[i])
		tx.writes[len(tx.writes)-1].scan = tx.recordPositions
	}
	tx.addedEvents += len(list)
	return nil
}

// recordPositions records the outbox positions that the transaction has taken.
func (tx *tx) recordPositions(rows pgx.Rows) error {
	for rows.Next() {
		var seq int64
		if err := rows.Scan(&seq); err != nil {
			return err
		}
		tx.takenPositions = append(tx.takenPositions, seq)
	}
	return rows.Err()
}

// rowExists reports whether a row exists that this transaction has not written.
func (tx *tx) rowExists(sql string, args ...any) (found bool, err error) {
	err = tx.queryNow(statement{sql: sql, args: args, scan: scanOne(&found)})
	return found, err
}
