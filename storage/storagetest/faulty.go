package storagetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/schedctl/schedctl/storage"
)

// ErrInjected is the error of injected failures.
var ErrInjected = errors.New("injected failure")

// FailurePoint says where an Update fails.
type FailurePoint int

// The failure points.
const (
	BeforeFn    FailurePoint = iota // the function does not run
	BeforeDisk                      // the function runs, and its writes are not committed
	AfterCommit                     // the transaction is committed, and the caller gets an error
)

// Faulty is a store with injected failures. It otherwise behaves like the store that it
// wraps. It may be used from any goroutine.
type Faulty struct {
	storage.Store

	mu      sync.Mutex // mu guards the fields below
	updates []FailurePoint
	views   int
	full    error
}

// NewFaulty wraps a store, without any failures.
func NewFaulty(inside storage.Store) *Faulty { return &Faulty{Store: inside} }

// FailUpdates makes n calls of Update and UpdateFromReserve fail at the given point
// with [ErrInjected], after the failures of earlier calls.
func (f *Faulty) FailUpdates(n int, at FailurePoint) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for range n {
		f.updates = append(f.updates, at)
	}
}

// FailViews makes n calls of View fail with [ErrInjected], after the failures of
// earlier calls.
func (f *Faulty) FailViews(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.views += n
}

// SetFull makes the store full until [Faulty.SetWritable]: Update is refused,
// UpdateFromReserve is not.
func (f *Faulty) SetFull() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.full = &storage.FullError{Where: "/full", Err: ErrInjected}
}

// SetWritable ends the effect of [Faulty.SetFull].
func (f *Faulty) SetWritable() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.full = nil
}

// Full implements [storage.Store].
func (f *Faulty) Full() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.full
}

// RemainingFailures returns how many injected failures have not happened yet.
func (f *Faulty) RemainingFailures() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.updates) + f.views
}

// View fails when a failure is due.
func (f *Faulty) View(ctx context.Context, fn func(storage.Reader) error) error {
	if f.takeView() {
		return ErrInjected
	}
	return f.Store.View(ctx, fn)
}

// Update fails when a failure is due, and while the store is full.
func (f *Faulty) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if err := f.Full(); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return f.transact(ctx, fn, f.Store.Update)
}

// UpdateFromReserve fails when a failure is due.
func (f *Faulty) UpdateFromReserve(ctx context.Context, fn func(storage.Tx) error) error {
	return f.transact(ctx, fn, f.Store.UpdateFromReserve)
}

// transact calls a method of the wrapped store, or fails.
func (f *Faulty) transact(
	ctx context.Context, fn func(storage.Tx) error, inside func(context.Context, func(storage.Tx) error) error,
) error {
	at, fails := f.takeUpdate()
	switch {
	case !fails:
		return inside(ctx, fn)
	case at == BeforeFn:
		return ErrInjected
	case at == BeforeDisk:
		return inside(ctx, func(tx storage.Tx) error {
			if err := fn(tx); err != nil {
				return err
			}
			return ErrInjected
		})
	default:
		if err := inside(ctx, fn); err != nil {
			return err
		}
		return ErrInjected
	}
}

func (f *Faulty) takeView() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.views == 0 {
		return false
	}
	f.views--
	return true
}

func (f *Faulty) takeUpdate() (FailurePoint, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.updates) == 0 {
		return 0, false
	}
	at := f.updates[0]
	f.updates = f.updates[1:]
	return at, true
}
