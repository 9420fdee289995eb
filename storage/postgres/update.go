package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/failpoint"
)

// How often, and for how long, a transaction that has lost against another, or
// its connection, is run again.
const (
	rerunLimit = 20
	rerunTime  = 20 * time.Second
	rerunPause = 10 * time.Millisecond // a part of it, at random, more with every run
)

// Update implements [storage.Store]. It runs fn again when the transaction has
// lost a deadlock, met a change that fn had not seen, or lost its connection. A
// connection that is lost during the commit leaves the outcome open: Update then
// asks the server on another one, and answers truly.
func (s *Store) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if err := s.Full(); err != nil {
		return err
	}
	return s.transact(ctx, fn)
}

func (s *Store) transact(ctx context.Context, fn func(storage.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !s.beginCall() {
		return storage.ErrClosed
	}
	defer s.calls.Done()
	careful := false
	for run, deadline := 1, time.Now().Add(rerunTime); ; run++ {
		err := s.run(ctx, fn, careful)
		var again *rerun
		if !errors.As(err, &again) {
			return s.capacity.observe(s.explainReadOnly(err))
		}
		careful = careful || again.verifyWrites
		if run == rerunLimit || time.Now().After(deadline) {
			return fmt.Errorf("given up after %d runs of the transaction: %w", run, again.cause)
		}
		if run > 1 || !again.verifyWrites {
			time.Sleep(rand.N(rerunPause * time.Duration(run)))
		}
		ctx = context.WithoutCancel(ctx) // fn has begun
	}
}

// rerun says that a transaction has left no trace and is to be run again.
type rerun struct {
	cause        error
	verifyWrites bool // as carefully as can be
}

func (r *rerun) Error() string { return r.cause.Error() }
func (r *rerun) Unwrap() error { return r.cause }

// errUnverified is why a transaction is run again that has failed after writes
// of which it was not known whether they are allowed.
var errUnverified = errors.New("it failed after writes that were not looked at")

// run runs fn in one transaction.
func (s *Store) run(ctx context.Context, fn func(storage.Tx) error, careful bool) error {
	conn, err := s.acquire(ctx, s.pool)
	if err != nil {
		return err
	}
	began := time.Now()
	tx := newTx(session{ctx: context.WithoutCancel(ctx), store: s, pool: s.pool, conn: conn}, careful)
	ended := false
	defer func() {
		if !ended { // by runtime.Goexit
			tx.rollback()
		}
	}()
	err = s.apply(tx, fn)
	if err == nil && tx.fault == nil && tx.wrote {
		err = s.commit(tx, began)
		ended = true
		return err
	}
	err = tx.failure(err)
	tx.abandon()
	ended = true
	return err
}

// apply calls the function of a transaction.
func (s *Store) apply(tx *tx, fn func(storage.Tx) error) (err error) {
	defer s.recovered("a transaction panicked", &err)
	return fn(tx)
}

// failure says what is to become of a transaction that is not committed, whose
// function has returned err. What the database said counts more: fn may have
// taken an error of it for one of a record.
func (tx *tx) failure(err error) error {
	switch fault := tx.fault; {
	case fault == nil && err != nil && tx.unverified() && !tx.verifyWrites:
		return &rerun{cause: errUnverified, verifyWrites: true}
	case fault == nil:
		return err
	case isCode(fault, codeUniqueViolation):
		return &rerun{cause: fault, verifyWrites: true}
	case tx.lost, isCode(fault, codeSerializationFailed, codeDeadlock):
		return &rerun{cause: fault}
	default:
		return classifyError(fault)
	}
}

// commit commits a transaction and tells of it.
func (s *Store) commit(tx *tx, began time.Time) error {
	if !tx.started {
		// The commit goes out only when it is known what to ask for should its
		// answer be lost.
		if err := tx.send(); err != nil {
			err = tx.failure(nil)
			tx.abandon()
			return err
		}
	}
	if err := failpoint.Hit(failpoint.StoreCommit); err != nil {
		tx.abandon()
		return fmt.Errorf("commit: %w", err)
	}
	turn := s.notifyQueue.take()
	tx.mark.connection = connectionID(tx.conn.Conn())
	err := tx.send(tx.mark.write(), statement{sql: "COMMIT"})
	if err == nil {
		tx.release()
		s.announceCommit(tx, began, turn)
		return failpoint.Hit(failpoint.StoreCommitted)
	}
	turn.run(func() {})
	if !tx.lost {
		err = tx.failure(nil)
		tx.abandon()
		return err
	}
	tx.rollback()
	return s.resolveOutcome(tx, began, err)
}

// resolveOutcome finds out what became of a transaction whose connection was lost while
// it was committed.
func (s *Store) resolveOutcome(tx *tx, began time.Time, cause error) error {
	committed, err := s.outcome(tx.mark)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", storage.ErrUnknownOutcome, errors.Join(cause, err))
	case !committed:
		return &rerun{cause: cause}
	}
	s.announceCommit(tx, began, s.notifyQueue.take())
	return nil
}

// announceCommit tells of a transaction, in its turn.
func (s *Store) announceCommit(tx *tx, began time.Time, turn ticket) {
	told := tx.summary()
	told.Took = time.Since(began)
	turn.run(func() { s.callNotify(told) })
	s.announcer.add(told)
}
