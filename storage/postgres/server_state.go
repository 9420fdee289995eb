package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/schedctl/schedctl/storage"
)

// standbyLimit limits the query for whether the server is a standby.
const standbyLimit = 500 * time.Millisecond

// explainReadOnly distinguishes a standby from a server that was made read-only.
func (s *Store) explainReadOnly(err error) error {
	if !errors.Is(err, storage.ErrReadOnly) || errors.Is(err, storage.ErrStandby) {
		return err
	}
	ctx, cancel := context.WithTimeout(s.closing, standbyLimit)
	defer cancel()
	var standby bool
	if s.lifeline.QueryRow(ctx, "SELECT pg_is_in_recovery()").Scan(&standby) == nil && standby {
		return fmt.Errorf("%w: %w", storage.ErrStandby, err)
	}
	return err
}

// checkSession returns an error that wraps [storage.ErrPooler] when a connection does
// not keep its session. It takes the session over with a transaction on another
// connection, and checks that the next statement runs in another one.
func checkSession(ctx context.Context, pool *pgxpool.Pool, conn *pgx.Conn) error {
	other, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer other.Release()
	before, err := backendPID(ctx, conn)
	if err != nil {
		return err
	}
	tx, err := other.Begin(ctx)
	if err != nil {
		return err
	}
	taken, errTaken := backendPID(ctx, tx.Conn())
	after, errAfter := backendPID(ctx, conn)
	if err := errors.Join(errTaken, errAfter, tx.Rollback(ctx)); err != nil {
		return err
	}
	if taken == before || after != before {
		return fmt.Errorf("%w; add pool_mode=transaction to the URL", storage.ErrPooler)
	}
	return nil
}

// backendPID returns the server process that runs a statement. It prepares no statement.
func backendPID(ctx context.Context, conn *pgx.Conn) (pid int, err error) {
	err = conn.QueryRow(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&pid)
	return pid, err
}
