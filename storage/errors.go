package storage

import (
	"errors"
	"fmt"
)

// Errors of opening a database. They are wrapped with the path and with advice. The
// database is then unchanged.
var (
	ErrLocked  = errors.New("another process has the database open")
	ErrForeign = errors.New("not a schedctl database")
	ErrCorrupt = errors.New("the database is damaged")
	ErrNewer   = errors.New("the database was written by a newer schedctl")

	// Of database servers. They may also be returned later.
	ErrUnreachable = errors.New("the database cannot be reached")
	ErrReadOnly    = errors.New("the database is read-only")
	ErrStandby     = fmt.Errorf("%w: the server is a standby", ErrReadOnly)
	ErrBusy        = errors.New("all connections to the database are in use")
	ErrPooler      = errors.New("a pooler uses a different database session for every transaction")
)

// ErrClosed is returned by every method of a closed store.
var ErrClosed = errors.New("the store is closed")

// ErrUnknownOutcome is wrapped by the error of an Update or UpdateFromReserve whose
// transaction may have been committed, or may be committed later, because the
// database cannot be reached. Any other error means that the transaction was not
// committed and will not be.
var ErrUnknownOutcome = errors.New("it is not known whether the database has stored this")

// ErrBroken means that a store cannot write until it is opened again. The daemon
// uses it as the [context.Cause] when it ends for this reason. Its parts must then
// not wait for their results to be stored.
var ErrBroken = errors.New("the database cannot be written any more")

// Explain returns a sentence about a database error for clients and operators, without
// names or addresses. It returns "" for errors that have no explanation.
func Explain(err error) string {
	switch {
	case errors.Is(err, ErrBusy):
		return "all connections of the daemon to its database are in use, or a pooler limits their number"
	case errors.Is(err, ErrStandby):
		return "the database server is a standby, which is read-only; connect the daemon to the primary"
	case errors.Is(err, ErrReadOnly):
		return "the database is read-only because default_transaction_read_only is on; the daemon continues when it is off"
	case errors.Is(err, ErrPooler):
		return "a pooler uses a different database session for every transaction of the daemon; add pool_mode=transaction to the database URL"
	case errors.Is(err, ErrUnreachable):
		return "the database cannot be reached; the daemon retries, and its log has the error"
	}
	return ""
}

// FullError means that a transaction was refused because the disk is full, or because
// a limit on the size of the database is reached. Nothing of the transaction was
// stored.
type FullError struct {
	Where string // the full resource, for an operator; for example a directory
	Err   error  // of the system
}

// Error returns the full resource and the error of the system.
func (e *FullError) Error() string { return fmt.Sprintf("no space left in %s: %v", e.Where, e.Err) }

// Unwrap returns the error of the system.
func (e *FullError) Unwrap() error { return e.Err }

// IsFull reports whether err is or wraps a [*FullError].
func IsFull(err error) bool {
	var full *FullError
	return errors.As(err, &full)
}
