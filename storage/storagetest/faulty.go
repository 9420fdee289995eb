package storagetest

import (
	"context"
	"errors"
	"sync"

	"github.com/schedctl/schedctl/storage"
)

// ErrInjected is what [Faulty] fails with.
var ErrInjected = errors.New("injected failure")

// Moment is when an Update fails.
type Moment int

// The moments.
const (
	BeforeFn    Moment = iota // its function never runs
	BeforeDisk                // its function runs, nothing is committed
	AfterCommit               // it is committed, and the caller is told that it failed
)

// Faulty is a store that fails when it is told to and else does what the store
// inside it does. It may be used from any goroutine.
type Faulty struct {
	storage.Store

	mu      sync.Mutex // mu guards updates and views
	updates []Moment
	views   int
}

// NewFaulty returns a store around another one, with no failures to come.
func NewFaulty(inside storage.Store) *Faulty { return &Faulty{Store: inside} }

// FailUpdates lets the next n Updates fail at the given moment with
// [ErrInjected], after those that earlier calls asked for.
func (f *Faulty) FailUpdates(n int, at Moment) {
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

// Pending returns how many of the failures asked for are still to come.
func (f *Faulty) Pending() int {
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

// Update fails when it was told to.
func (f *Faulty) Update(ctx context.Context, fn func(storage.Tx) error) error {
	at, fails := f.takeUpdate()
	switch {
	case !fails:
		return f.Store.Update(ctx, fn)
	case at == BeforeFn:
		return ErrInjected
	case at == BeforeDisk:
		return f.Store.Update(ctx, func(tx storage.Tx) error {
			if err := fn(tx); err != nil {
				return err
			}
			return ErrInjected
		})
	default:
		if err := f.Store.Update(ctx, fn); err != nil {
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

func (f *Faulty) takeUpdate() (Moment, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.updates) == 0 {
		return 0, false
	}
	at := f.updates[0]
	f.updates = f.updates[1:]
	return at, true
}
