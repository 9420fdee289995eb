package storage

import (
	"context"
	"fmt"
	"time"
)

// ReaderTimeout is how long a request waits for a reader.
const ReaderTimeout = 2 * time.Second

// Readers lets requests read a store, at most so many at once as the store can
// serve without delaying what publishes posts. What publishes does not use it.
type Readers struct {
	store Store
	slots chan struct{} // nil without a bound
}

// BoundedReading is implemented by engines on which each View occupies something
// that writers and the deliverer need too, such as a connection.
type BoundedReading interface {
	// MaxReaders returns how many Views requests may run at once.
	MaxReaders() int
}

// NewReaders returns the readers of a store. All requests of a daemon have to
// share one.
func NewReaders(store Store) *Readers {
	r := &Readers{store: store}
	if n := r.Max(); n > 0 {
		r.slots = make(chan struct{}, n)
	}
	return r
}

// Max returns how many may read at once, or 0 when there is no bound.
func (r *Readers) Max() int {
	if b, ok := r.store.(BoundedReading); ok {
		return max(1, b.MaxReaders())
	}
	return 0
}

// View is that of the store. It waits for a reader until ctx ends, and returns
// [ErrBusy] when there is none for too long.
func (r *Readers) View(ctx context.Context, fn func(Reader) error) error {
	if r.slots == nil {
		return r.store.View(ctx, fn)
	}
	if err := r.wait(ctx); err != nil {
		return err
	}
	defer func() { <-r.slots }()
	return r.store.View(ctx, fn)
}

func (r *Readers) wait(ctx context.Context) error {
	select {
	case r.slots <- struct{}{}:
		return nil
	default:
	}
	patience := time.NewTimer(ReaderTimeout)
	defer patience.Stop()
	select {
	case r.slots <- struct{}{}:
		return nil
	case <-patience.C:
		return fmt.Errorf("%w: %d requests read it, and none of them ended for %v", ErrBusy, cap(r.slots), ReaderTimeout)
	case <-ctx.Done():
		return ctx.Err()
	}
}
