package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/schedctl/schedctl/storage"
)

const (
	// acquireLimit is how long a caller waits for a connection while all are in use.
	acquireLimit = 2 * time.Second

	// reconnectLimit is how long acquire retries a server that refuses connections or
	// does not respond. reconnectPause is the pause between two tries. Callers
	// therefore do not notice a quick restart of the server.
	reconnectLimit = 800 * time.Millisecond
	reconnectPause = 50 * time.Millisecond
)

// acquire takes a connection from a pool. Its error wraps [storage.ErrBusy] when all
// connections were in use for two seconds, and [storage.ErrUnreachable] when the server
// was out of reach for almost one.
func (s *Store) acquire(ctx context.Context, pool *pgxpool.Pool) (*pgxpool.Conn, error) {
	wait, stop := context.WithTimeout(ctx, acquireLimit)
	defer stop()
	defer context.AfterFunc(s.closing, stop)()
	give := time.AfterFunc(reconnectLimit, func() {
		if !hasConnections(pool) {
			stop()
		}
	})
	defer give.Stop()
	for deadline := time.Now().Add(reconnectLimit); ; {
		conn, err := pool.Acquire(wait)
		switch {
		case err == nil:
			return conn, nil
		case s.closing.Err() != nil:
			return nil, storage.ErrClosed
		case errors.Is(ctx.Err(), context.Canceled):
			return nil, ctx.Err()
		case wait.Err() != nil:
			return nil, acquireError(pool, err)
		case !time.Now().Before(deadline):
			return nil, classifyError(err)
		}
		select {
		case <-wait.Done():
		case <-time.After(reconnectPause):
		}
	}
}

// hasConnections reports whether a pool has a connection. A pool with at least one may
// only be slow to open more.
func hasConnections(pool *pgxpool.Pool) bool {
	stat := pool.Stat()
	return stat.AcquiredConns()+stat.IdleConns() > 0
}

// acquireError returns why no connection became available.
func acquireError(pool *pgxpool.Pool, err error) error {
	if hasConnections(pool) {
		return fmt.Errorf("%w: %w", storage.ErrBusy, err)
	}
	return fmt.Errorf("%w: the server, or a pooler in front of it, gives this process no connection: %w", storage.ErrUnreachable, err)
}
