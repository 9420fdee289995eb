package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// session is one transaction on a connection of the pool. It starts with the first
// statement sent, in the same round trip.
//
// ctx belongs to the call that created the session: the read and write functions of the
// contract have no context.
type session struct {
	ctx     context.Context
	store   *Store
	pool    *pgxpool.Pool // source of conn
	begin   []statement   // sent before the first statement
	conn    *pgxpool.Conn
	started bool

	// scanned reports that a scan function has received rows. Its results stay, so that
	// the statements cannot be sent again on another connection.
	scanned bool

	// writes are buffered until the next read, which must see them, or until the commit.
	writes []statement

	// fault is the first error of the database. The transaction has failed and sends
	// nothing more. lost reports that the connection is lost, too.
	fault error
	lost  bool
}

// statement is a statement to send. scan, if any, reads its rows.
type statement struct {
	sql  string
	args []any
	scan func(pgx.Rows) error
	bulk *bulkStatement // how to merge statements of this kind; nil when they cannot be merged
}

// Limits of one round trip. The first one is longer than the server lets a statement
// run, and ends the wait for a server that has disappeared.
const (
	roundTripLimit = statementLimit + 5*time.Second
	rollbackLimit  = 5 * time.Second
)

// maxConnectTries is how many connections a transaction tries to start on: idle
// connections of the pool may be dead without notice.
const maxConnectTries = 5

// write buffers a statement.
func (s *session) write(sql string, args ...any) {
	s.writes = append(s.writes, statement{sql: sql, args: args})
}

// send sends the buffered statements and then the given ones in one round trip.
func (s *session) send(more ...statement) error {
	if s.fault != nil {
		return s.fault
	}
	for try := 1; ; try++ {
		err := s.sendOnce(more)
		if err == nil {
			s.started, s.writes = true, nil
			return nil
		}
		s.lost = s.conn.Conn().IsClosed() || isFatal(err)
		if s.started || s.scanned || !s.lost || try == maxConnectTries || s.ctx.Err() != nil {
			s.fault = err
			return err
		}
		if err := s.reconnect(); err != nil {
			s.fault = err
			return err
		}
	}
}

func (s *session) sendOnce(more []statement) error {
	ctx, cancel := context.WithTimeout(s.ctx, roundTripLimit)
	defer cancel()
	batch := &pgx.Batch{}
	if !s.started {
		s.enqueue(batch, s.begin)
	}
	s.enqueue(batch, gather(s.writes))
	s.enqueue(batch, more)
	if err := s.conn.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("query the database: %w", err)
	}
	return nil
}

func (s *session) enqueue(batch *pgx.Batch, statements []statement) {
	for _, st := range statements {
		q := batch.Queue(st.sql, st.args...)
		if st.scan == nil {
			continue
		}
		q.Query(func(rows pgx.Rows) error {
			s.scanned = s.scanned || rows.Err() == nil
			return st.scan(rows)
		})
	}
}

// reconnect replaces the connection.
func (s *session) reconnect() error {
	s.discard()
	conn, err := s.store.acquire(s.ctx, s.pool)
	if err != nil {
		return err
	}
	s.conn, s.lost = conn, false
	return nil
}

// discard closes the connection.
func (s *session) discard() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	s.conn.Conn().Close(ctx) // never used again, whatever the server responds
	s.release()
}

func (s *session) release() {
	s.conn.Release()
	s.conn, s.started = nil, false
}

// rollback rolls the transaction back and returns the connection to the pool. It may be
// called more than once.
func (s *session) rollback() {
	switch {
	case s.conn == nil:
	case !s.started && s.fault == nil:
		s.release()
	case s.lost || s.end("ROLLBACK") != nil:
		s.discard()
	default:
		s.release()
	}
}

// end sends the statement that ends the transaction.
func (s *session) end(sql string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), rollbackLimit)
	defer cancel()
	_, err := s.conn.Exec(ctx, sql)
	return err
}

// isFatal reports whether an error ended its connection.
func isFatal(err error) bool {
	var answered *pgconn.PgError
	return errors.As(err, &answered) && answered.SeverityUnlocalized != "ERROR"
}

// isCode reports whether a server error has one of the codes
// (https://www.postgresql.org/docs/current/errcodes-appendix.html).
func isCode(err error, codes ...string) bool {
	var answered *pgconn.PgError
	if !errors.As(err, &answered) {
		return false
	}
	return slices.Contains(codes, answered.Code)
}

// Error codes of the server.
const (
	codeReadOnly            = "25006"
	codeUniqueViolation     = "23505"
	codeSerializationFailed = "40001"
	codeDeadlock            = "40P01"
	codeInFuture            = "22023"
	codeLockTimeout         = "55P03"
	codeNoStatement         = "26000"
	codeDuplicateStatement  = "42P05"
	codeDivisionByZero      = "22012"
)
