package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// session is one transaction of the database on a connection of the pool. It
// begins with the first statement that is sent, in the same round trip.
//
// ctx is that of the call it belongs to: the functions of the contract that read
// and write have none of their own.
type session struct {
	ctx     context.Context
	store   *Store
	pool    *pgxpool.Pool // where conn is from
	begin   []statement   // sent before the first ones
	conn    *pgxpool.Conn
	started bool

	// scanned says that a scan function was given an answer. What it has made of it
	// stays, so that the statements are not sent again on another connection.
	scanned bool

	// writes wait to be sent: with the next read, which must see them, or with
	// the commit.
	writes []statement

	// fault is the first error of the database. The transaction has failed, and
	// nothing more is sent. lost says that the connection is gone with it.
	fault error
	lost  bool
}

// statement is one to send, with what is to be done with its rows, if any.
type statement struct {
	sql  string
	args []any
	scan func(pgx.Rows) error
	bulk *bulkStatement // how many of this kind are one statement; nil when they are not
}

// Limits of one round trip. What waits for a server that is gone ends by the
// first, which is longer than the server lets a statement run.
const (
	roundTripLimit = statementLimit + 5*time.Second
	rollbackLimit  = 5 * time.Second
)

// maxConnectTries is how many connections a transaction tries to begin on: those that
// wait in the pool may have died unnoticed, and answer nothing.
const maxConnectTries = 5

// write adds a statement to those that wait.
func (s *session) write(sql string, args ...any) {
	s.writes = append(s.writes, statement{sql: sql, args: args})
}

// send sends the statements that wait and then the given ones in one round trip.
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
		return fmt.Errorf("ask the database: %w", err)
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

// reconnect takes another connection.
func (s *session) reconnect() error {
	s.discard()
	conn, err := s.store.acquire(s.ctx, s.pool)
	if err != nil {
		return err
	}
	s.conn, s.lost = conn, false
	return nil
}

// discard gives up the connection.
func (s *session) discard() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	s.conn.Conn().Close(ctx) // whatever the server says, the connection is not used again
	s.release()
}

func (s *session) release() {
	s.conn.Release()
	s.conn, s.started = nil, false
}

// rollback ends the transaction without a trace and gives the connection back.
// It does nothing when that was done.
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

// end sends what ends the transaction.
func (s *session) end(sql string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), rollbackLimit)
	defer cancel()
	_, err := s.conn.Exec(ctx, sql)
	return err
}

// isFatal reports whether an error has ended the connection it came over.
func isFatal(err error) bool {
	var answered *pgconn.PgError
	return errors.As(err, &answered) && answered.SeverityUnlocalized != "ERROR"
}

// isCode reports whether an error of the server has the code
// (https://www.postgresql.org/docs/current/errcodes-appendix.html).
func isCode(err error, codes ...string) bool {
	var answered *pgconn.PgError
	if !errors.As(err, &answered) {
		return false
	}
	for _, code := range codes {
		if answered.Code == code {
			return true
		}
	}
	return false
}

// The codes that matter.
const (
	codeReadOnly            = "25006"
	codeUniqueViolation     = "23505"
	codeSerializationFailed = "40001"
	codeDeadlock            = "40P01"
	codeInFuture            = "22023"
	codeLockTimeout         = "55P03"
	codeNoStatement         = "26000"
	codeDuplicateStatement  = "42P05"
)
