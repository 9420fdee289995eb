package bolt

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	bbolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/schedctl/schedctl/storage"
)

// Options are the options of [Open].
type Options struct {
	Logger *slog.Logger // logs migrations and panics in transactions; may be nil
}

// Store is an open database file. It implements [storage.Store]. [Open] returns one.
type Store struct {
	path        string
	db          *bbolt.DB
	log         *slog.Logger
	idempotency *idempotencyIndex
	queue       *queue
	notify      func(storage.Commit)
	reserve     *diskReserve
	scans       scanTurns

	// The following fields belong to the writer.
	tx        tx
	sync      func(*bbolt.Tx) error // (*bbolt.Tx).Commit, or a test's
	broken    bool                  // no more writes are possible
	brokenErr error                 // the cause
	stuck     bool                  // bbolt never releases its locks
	written   sync.WaitGroup        // the writer

	brokenSignal chan struct{} // closed when the store is broken

	close  sync.Once
	closed error // what Close returns
}

var _ storage.Store = (*Store)(nil)

// start takes over an open file and starts the writer.
func start(path string, db *bbolt.DB, log *slog.Logger) (*Store, error) {
	s := &Store{path: path, db: db, log: log, queue: newQueue(), idempotency: new(idempotencyIndex), scans: make(scanTurns, 1), sync: (*bbolt.Tx).Commit, brokenSignal: make(chan struct{})}
	if err := db.View(s.idempotency.load); err != nil {
		return nil, err
	}
	var err error
	if s.reserve, err = newDiskReserve(path, log, s.recheckDisk); err != nil {
		return nil, err
	}
	s.tx.idempotency, s.tx.known, s.tx.ctx = s.idempotency, map[ulid]knownAccount{}, context.Background()
	s.written.Add(1)
	go s.write()
	return s, nil
}

// View implements [storage.Store]. fn must not wait for an Update, because a writer that
// grows the file waits for all readers.
func (s *Store) View(ctx context.Context, fn func(storage.Reader) error) error {
	return s.read(ctx, "a reader panicked", func(_ *bbolt.Tx, r *reader) error { return fn(r) })
}

// read calls fn with a read transaction. panicked is the log message for a panic of fn.
func (s *Store) read(ctx context.Context, panicked string, fn func(*bbolt.Tx, *reader) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	tx, err := s.db.Begin(false)
	if errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		return storage.ErrClosed
	}
	if err != nil {
		return fmt.Errorf("start reading %s: %w", s.path, err)
	}
	defer tx.Rollback()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer s.recovered(panicked, &err)
	return fn(tx, &reader{ctx: ctx, buckets: buckets{bolt: tx}, idempotency: s.idempotency, turn: scanTurn{turns: s.scans}})
}

// recovered turns a panic into an error; defer it. bbolt panics on damaged pages, and
// reading the mapped file faults if the disk cannot be read. One bad page or function must
// not end the daemon.
func (s *Store) recovered(what string, err *error) {
	if r := recover(); r != nil {
		s.log.Error(what, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
		*err = fmt.Errorf("%s: %s: %v", s.path, what, r)
		if fromDamage(r) {
			*err = fmt.Errorf("%s: %w", s.path, damaged(fmt.Sprintf("%s: %v", what, r)))
		}
	}
}

// fromDamage reports whether the current panic comes from bbolt, or from a fault in the
// mapped file.
func fromDamage(r any) bool {
	if _, ok := r.(interface{ Addr() uintptr }); ok {
		return true
	}
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for panicked := false; ; {
		f, more := frames.Next()
		if panicked && !strings.HasPrefix(f.Function, "runtime.") {
			return strings.HasPrefix(f.Function, "go.etcd.io/bbolt")
		}
		panicked = panicked || f.Function == "runtime.gopanic"
		if !more {
			return false
		}
	}
}

// Update implements [storage.Store].
func (s *Store) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return s.transact(ctx, &request{fn: fn, done: make(chan error, 1)})
}

// UpdateFromReserve implements [storage.Store].
func (s *Store) UpdateFromReserve(ctx context.Context, fn func(storage.Tx) error) error {
	return s.transact(ctx, &request{fn: fn, fromReserve: true, done: make(chan error, 1)})
}

// Full implements [storage.Store].
func (s *Store) Full() error {
	if full := s.reserve.full.Load(); full != nil {
		return full
	}
	return nil
}

// recheckDisk makes the writer check whether a full disk has space again.
func (s *Store) recheckDisk() {
	s.queue.push(&request{fn: func(storage.Tx) error { return nil }, fromReserve: true, done: make(chan error, 1)})
}

// transact sends a request to the writer and waits for its result.
func (s *Store) transact(ctx context.Context, r *request) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !s.queue.push(r) {
		return storage.ErrClosed
	}
	select {
	case err := <-r.done:
		return err
	case <-ctx.Done():
		if r.abandon() {
			return ctx.Err()
		}
		return <-r.done
	}
}

// Broken returns a channel that is closed when the store cannot write any more: after a
// commit that may be on disk but was not confirmed, or when a damaged page has stopped
// bbolt. The file must then be opened again.
func (s *Store) Broken() <-chan struct{} { return s.brokenSignal }

// Notify implements [storage.Store].
func (s *Store) Notify(fn func(storage.Commit)) { s.notify = fn }

// Close implements [storage.Store]. Transactions that have not started return
// [storage.ErrClosed].
func (s *Store) Close() error {
	s.close.Do(func() {
		s.queue.close()
		s.written.Wait()
		s.reserve.close()
		if s.stuck {
			return // the file is closed when the process ends
		}
		if err := s.db.Close(); err != nil {
			s.closed = fmt.Errorf("close %s: %w", s.path, err)
		}
	})
	return s.closed
}
