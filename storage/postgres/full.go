package postgres

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/schedctl/schedctl/storage"
)

// fullDuration is how long the server counts as full after it has reported that it is.
const fullDuration = 2 * time.Second

// capacity remembers whether the server has reported that it is full.
type capacity struct {
	database  string
	lastError atomic.Pointer[fullError]
}

// fullError is the report of a full server and its time.
type fullError struct {
	err *storage.FullError
	at  time.Time
}

// observe records the outcome of a commit. It wraps an error that reports a full server
// in the one that the contract specifies.
func (r *capacity) observe(err error) error {
	var answered *pgconn.PgError
	switch {
	case err == nil:
		if r.lastError.Load() != nil {
			r.lastError.Store(nil)
		}
	case errors.As(err, &answered) && answered.Code == "53100":
		full := &storage.FullError{Where: r.database, Err: answered}
		r.lastError.Store(&fullError{err: full, at: time.Now()})
		return full
	}
	return err
}

// Full implements [storage.Store]. The server counts as full for two seconds after it
// has refused a transaction; then the next transaction tries again.
func (s *Store) Full() error {
	if r := s.capacity.lastError.Load(); r != nil && time.Since(r.at) < fullDuration {
		return r.err
	}
	return nil
}

// UpdateFromReserve implements [storage.Store]. A server has no disk reserve for it, so
// that it fails when the server is full. Other transactions fail immediately in that
// case and leave the remaining space to it.
func (s *Store) UpdateFromReserve(ctx context.Context, fn func(storage.Tx) error) error {
	return s.transact(ctx, fn)
}
