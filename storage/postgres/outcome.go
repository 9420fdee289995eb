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

// commitMark identifies a transaction whose connection is lost during its commit. The
// transaction number only shows whether the transaction still runs: after a crash, the
// server reuses the numbers of lost transactions. The row of its connection, which the
// transaction writes too, shows whether it was committed.
type commitMark struct {
	number     string // transaction number at the server
	connection pgtype.UUID
	self       pgtype.UUID
}

func newUUID() pgtype.UUID { return pgtype.UUID{Bytes: schedctl.NewULID(time.Now()), Valid: true} }

// connectionID returns the unique id of a connection.
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

// readNumber returns the statement that reads the number of the running transaction.
func (m *commitMark) readNumber() statement {
	return statement{sql: "SELECT pg_current_xact_id()::text", scan: func(rows pgx.Rows) (err error) {
		m.number, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[string])
		return err
	}}
}

// write returns the statement that writes the row of the connection.
func (m *commitMark) write() statement {
	return statement{
		sql: `INSERT INTO commits (connection, last, at) VALUES ($1, $2, now())
			ON CONFLICT (connection) DO UPDATE SET last = excluded.last, at = excluded.at`,
		args: []any{m.connection, m.self},
	}
}

// markRetention is how long the row of a connection is kept after its last commit. It
// is longer than any outcome is queried.
const markRetention = "1 day"

// outcomeLimit is how long the outcome of a commit is queried. It is longer than a
// transaction can wait for its client.
const outcomeLimit = 30 * time.Second

// outcome reports whether a transaction was committed whose connection is lost. It
// waits until the transaction has ended.
func (s *Store) outcome(m commitMark) (committed bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), outcomeLimit)
	defer cancel()
	for wait := time.Millisecond; ; wait = min(2*wait, time.Second) {
		over, committed, err := s.queryOutcome(ctx, m)
		if err == nil && over {
			return committed, nil
		}
		if !schedctl.Sleep(ctx, wait) {
			return false, errors.Join(err, ctx.Err())
		}
	}
}

// queryOutcome reports whether a transaction has ended, and whether it was committed.
func (s *Store) queryOutcome(ctx context.Context, m commitMark) (over, committed bool, err error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return false, false, classifyError(err)
	}
	defer conn.Release()
	err = conn.QueryRow(ctx, "SELECT coalesce(pg_xact_status($1::text::xid8), '') <> 'in progress'", m.number).Scan(&over)
	if isCode(err, codeInFuture) {
		over, err = true, nil // another server has taken over that does not know the transaction
	}
	if err == nil && over { // only after the first query: a running transaction may still be committed
		err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM commits WHERE connection = $1 AND last = $2)", m.connection, m.self).
			Scan(&committed)
	}
	if err != nil {
		return false, false, fmt.Errorf("query the outcome of a commit: %w", err)
	}
	return over, committed, nil
}
