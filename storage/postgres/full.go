package postgres

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/schedctl/schedctl/storage"
)

// fullDuration is how long a server is taken to be full after it has said so.
const fullDuration = 2 * time.Second

// capacity remembers whether the server has room.
type capacity struct {
	database  string
	lastError atomic.Pointer[fullError]
}

// fullError is what a full server has said, and when.
type fullError struct {
	err *storage.FullError
	at  time.Time
}

// observe takes the outcome of a commit. Of an error that says that the server is
// full it returns what the contract has for that.
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

// Full implements [storage.Store]. For two seconds after a server has refused a
// transaction it is said to be full; then the next one tries.
func (s *Store) Full() error {
	if r := s.capacity.lastError.Load(); r != nil && time.Since(r.at) < fullDuration {
		return r.err
	}
	return nil
}

// UpdateFromReserve implements [storage.Store]. A server keeps no room for it, so it fails
// with a server that is full; other transactions do so at once, and leave it what
// room there is.
func (s *Store) UpdateFromReserve(ctx context.Context, fn func(storage.Tx) error) error {
	return s.transact(ctx, fn)
}
