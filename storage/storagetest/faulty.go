package storagetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/schedctl/schedctl/storage"
)

// ErrInjected is what [Faulty] fails with.
var ErrInjected = errors.New("injected failure")

// FailurePoint is when an Update fails.
type FailurePoint int

// The moments.
const (
	BeforeFn    FailurePoint = iota // its function never runs
	BeforeDisk                      // its function runs, nothing is committed
	AfterCommit                     // it is committed, and the caller is told that it failed
)

// Faulty is a store that fails when it is told to and else does what the store
// inside it does. It may be used from any goroutine.
type Faulty struct {
	storage.Store

	mu      sync.Mutex // mu guards what follows
	updates []FailurePoint
	views   int
	full    error
}

// NewFaulty returns a store around another one, with no failures to come.
func NewFaulty(inside storage.Store) *Faulty { return &Faulty{Store: inside} }

// FailUpdates lets the next n Updates and Records fail at the given moment with
// [ErrInjected], after those that earlier calls asked for.
func (f *Faulty) FailUpdates(n int, at FailurePoint) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for range n {
		f.updates = append(f.updates, at)
	}
}

// FailViews lets the next n Views fail with [ErrInjected], after those that
// earlier calls asked for.
func (f *Faulty) FailViews(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.views += n
}

// SetFull makes the store full until [Faulty.SetWritable]: Updates are refused, Records
// are not.
func (f *Faulty) SetFull() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.full = &storage.FullError{Where: "/full", Err: ErrInjected}
}

// SetWritable ends what [Faulty.SetFull] began.
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

// RemainingFailures returns how many of the failures asked for are still to come.
func (f *Faulty) RemainingFailures() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.updates) + f.views
}

// View fails when it was told to.
func (f *Faulty) View(ctx context.Context, fn func(storage.Reader) error) error {
	if f.takeView() {
		return ErrInjected
	}
	return f.Store.View(ctx, fn)
}

// Update fails when it was told to, and while the store is full.
func (f *Faulty) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if err := f.Full(); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return f.transact(ctx, fn, f.Store.Update)
}

// UpdateFromReserve fails when it was told to.
func (f *Faulty) UpdateFromReserve(ctx context.Context, fn func(storage.Tx) error) error {
	return f.transact(ctx, fn, f.Store.UpdateFromReserve)
}

// transact calls a method of the store inside, or fails.
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
