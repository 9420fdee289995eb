package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/schedctl/schedctl/storage"
)

// Store is an open database. It implements [storage.Shared]. Create one with [Open].
type Store struct {
	pool        *pgxpool.Pool
	lifeline    *pgxpool.Pool // reserved for what keeps a node alive, however busy the pool is
	log         *slog.Logger
	mode        poolMode
	notify      atomic.Pointer[func(storage.Commit)]
	notifyQueue ticketQueue
	capacity    capacity
	gaps        *gapResolver
	announcer   *announcer

	bucketsSwept atomic.Int64 // last removal of full buckets, in Unix seconds

	background     sync.WaitGroup // background goroutines
	stopBackground context.CancelFunc

	closing context.Context // canceled by Close
	close   context.CancelFunc
	closed  sync.Once

	mu    sync.Mutex // mu guards the fields below
	ended bool       // new calls are refused
	calls sync.WaitGroup
}

// MaxReaders implements [storage.BoundedReading]. It leaves a third of the connections
// to writers and to publishing.
func (s *Store) MaxReaders() int { return max(1, int(s.pool.Config().MaxConns)*2/3) }

// View implements [storage.Store]. fn sees everything committed before its first read.
func (s *Store) View(ctx context.Context, fn func(storage.Reader) error) (err error) {
	if err := s.beginCall(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	conn, err := s.acquire(ctx, s.pool)
	if err != nil {
		return err
	}
	r := &reader{session: session{ctx: ctx, store: s, pool: s.pool, conn: conn, begin: s.mode.beginView()}}
	defer r.rollback()
	defer s.recovered("a reader panicked", &err)
	if err := fn(r); err != nil {
		return err
	}
	if !r.started {
		return r.send() // the caller only checks that the database responds
	}
	return nil
}

// recovered must be deferred. It turns a panic into an error: one faulty function must
// not end the daemon.
func (s *Store) recovered(what string, err *error) {
	if r := recover(); r != nil {
		s.log.Error(what, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
		*err = fmt.Errorf("%s: %v", what, r)
	}
}

// beginCall registers a call that Close waits for. It returns the error of ctx, or
// [storage.ErrClosed].
func (s *Store) beginCall(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return storage.ErrClosed
	}
	s.calls.Add(1)
	return nil
}

// Notify implements [storage.Store]. fn is also called for commits of other processes,
// shortly after them, in the order of their announcements.
func (s *Store) Notify(fn func(storage.Commit)) { s.notify.Store(&fn) }

// notifyInOrder calls the notify function, after the calls for earlier commits.
func (s *Store) notifyInOrder(c storage.Commit) {
	s.notifyQueue.take().run(func() { s.callNotify(c) })
}

func (s *Store) callNotify(c storage.Commit) {
	if fn := s.notify.Load(); fn != nil {
		(*fn)(c)
	}
}

// Close implements [storage.Store]. Transactions that wait for a connection fail with
// [storage.ErrClosed].
func (s *Store) Close() error {
	s.closed.Do(func() {
		s.mu.Lock()
		s.ended = true
		s.mu.Unlock()
		s.close()
		s.calls.Wait()
		s.stopBackground()
		s.background.Wait()
		s.pool.Close()
		s.lifeline.Close()
	})
	return nil
}
