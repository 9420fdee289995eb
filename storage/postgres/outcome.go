package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
)

// commitMark is what a transaction leaves to be recognised by, should its connection be
// lost in the middle of its commit. The number that the server gives it tells how
// long it is under way, and no more: after a crash the server gives the numbers
// of transactions that were lost to others. Whether it was committed is told by
// the row of its connection, which is in the database if the rest of it is.
type commitMark struct {
	number     string // of the transaction, at the server
	connection pgtype.UUID
	self       pgtype.UUID
}

func newUUID() pgtype.UUID { return pgtype.UUID{Bytes: schedctl.NewULID(time.Now()), Valid: true} }

// connectionID returns the id of a connection. No other one has it, ever.
func connectionID(conn *pgx.Conn) pgtype.UUID {
	const key = "schedctl"
	data := conn.PgConn().CustomData()
	id, known := data[key].(pgtype.UUID)
	if !known {
		id = newUUID()
		data[key] = id
	}
	return id
}

// readNumber asks for the number of the transaction that runs.
func (m *commitMark) readNumber() statement {
	return statement{sql: "SELECT pg_current_xact_id()::text", scan: func(rows pgx.Rows) (err error) {
		m.number, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[string])
		return err
	}}
}

// write writes the row of the connection.
func (m *commitMark) write() statement {
	return statement{
		sql: `INSERT INTO commits (connection, last, at) VALUES ($1, $2, now())
			ON CONFLICT (connection) DO UPDATE SET last = excluded.last, at = excluded.at`,
		args: []any{m.connection, m.self},
	}
}

// markRetention is for how long the row of a connection is kept on which nothing was
// committed any more. It is longer than anyone asks for one.
const markRetention = "1 day"

// outcomeLimit is how long the server is asked what became of a commit. It is
// longer than a transaction can wait for its client.
const outcomeLimit = 30 * time.Second

// outcome reports whether a transaction was committed whose connection is gone.
// It waits for one that is still under way.
func (s *Store) outcome(m commitMark) (committed bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), outcomeLimit)
	defer cancel()
	for wait := time.Millisecond; ; wait = min(2*wait, time.Second) {
		over, committed, err := s.queryOutcome(ctx, m)
		if err == nil && over {
			return committed, nil
		}
		if !sleep(ctx, wait) {
			return false, errors.Join(err, ctx.Err())
		}
	}
}

// queryOutcome reports whether a transaction is over, and was committed.
func (s *Store) queryOutcome(ctx context.Context, m commitMark) (over, committed bool, err error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return false, false, classifyError(err)
	}
	defer conn.Release()
	err = conn.QueryRow(ctx, "SELECT coalesce(pg_xact_status($1::text::xid8), '') <> 'in progress'", m.number).Scan(&over)
	if isCode(err, codeInFuture) {
		over, err = true, nil // a server that does not know of it has taken over
	}
	if err == nil && over { // in this order: what is not over may still be committed
		err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM commits WHERE connection = $1 AND last = $2)", m.connection, m.self).
			Scan(&committed)
	}
	if err != nil {
		return false, false, fmt.Errorf("ask for the outcome of a commit: %w", err)
	}
	return over, committed, nil
}
