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

// How often, and for how long, a transaction is rerun that lost a deadlock, a race or
// its connection.
const (
	rerunLimit = 20
	rerunTime  = 20 * time.Second
	rerunPause = 10 * time.Millisecond // multiplied by a random number that grows with each run
)

// Update implements [storage.Store]. It reruns fn when the transaction has lost a
// deadlock, met a concurrent change, or lost its connection. When the connection is
// lost during the commit, Update queries the outcome on another connection and returns
// the true result.
func (s *Store) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if err := s.Full(); err != nil {
		return err
	}
	return s.transact(ctx, fn)
}

func (s *Store) transact(ctx context.Context, fn func(storage.Tx) error) error {
	if err := s.beginCall(ctx); err != nil {
		return err
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
			return fmt.Errorf("gave up after %d runs of the transaction: %w", run, again.cause)
		}
		if run > 1 || !again.verifyWrites {
			time.Sleep(rand.N(rerunPause * time.Duration(run)))
		}
		ctx = context.WithoutCancel(ctx) // fn has started
	}
}

// rerun reports that a transaction had no effect and must be run again.
type rerun struct {
	cause        error
	verifyWrites bool // verify every write
}

func (r *rerun) Error() string { return r.cause.Error() }
func (r *rerun) Unwrap() error { return r.cause }

// errUnverified is the cause of a rerun after the function has failed with unchecked
// writes.
var errUnverified = errors.New("it failed after unchecked writes")

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
		if !ended { // ended by runtime.Goexit
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

// failure decides what follows for a transaction that is not committed and whose
// function returned err. An error of the database takes precedence: fn may have
// mistaken it for an error about a record.
func (tx *tx) failure(err error) error {
	switch fault := tx.fault; {
	case fault == nil && err != nil && tx.unverified() && !tx.verifyWrites:
		return &rerun{cause: errUnverified, verifyWrites: true}
	case fault == nil:
		return err
	case isCode(fault, codeUniqueViolation):
		return &rerun{cause: fault, verifyWrites: true}
	case isCode(fault, codeDivisionByZero):
		return storage.ErrPolicyChanged // see keepPolicies
	case tx.lost, isCode(fault, codeSerializationFailed, codeDeadlock):
		return &rerun{cause: fault}
	default:
		return classifyError(fault)
	}
}

// commit commits a transaction and reports it.
func (s *Store) commit(tx *tx, began time.Time) error {
	if !tx.started {
		// Send the commit only when its outcome can be queried if the response is lost.
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

// resolveOutcome determines the outcome of a transaction whose connection was lost
// during the commit.
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

// announceCommit reports a committed transaction, in order.
func (s *Store) announceCommit(tx *tx, began time.Time, turn ticket) {
	reported := tx.summary()
	reported.Took = time.Since(began)
	turn.run(func() { s.callNotify(reported) })
	s.announcer.add(reported)
}
