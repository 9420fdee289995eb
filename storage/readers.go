package storage

import (
	"context"
	"fmt"
	"time"
)

// ReaderTimeout is how long [Readers.View] waits for a free reader.
const ReaderTimeout = 2 * time.Second

// Readers bounds the number of API requests that read a store at once, so that they do
// not delay publishing. The deliverer reads the store directly.
type Readers struct {
	store Store
	slots chan struct{} // nil if there is no limit
}

// BoundedReading is implemented by stores whose Views use a resource that writers and
// the deliverer need as well, such as a connection.
type BoundedReading interface {
	// MaxReaders returns the number of Views that requests may run at once.
	MaxReaders() int
}

// NewReaders returns the readers of a store. All requests of a daemon must share one
// Readers.
func NewReaders(store Store) *Readers {
	r := &Readers{store: store}
	if n := r.Max(); n > 0 {
		r.slots = make(chan struct{}, n)
	}
	return r
}

// Max returns the number of concurrent readers, or 0 if there is no limit.
func (r *Readers) Max() int {
	if b, ok := r.store.(BoundedReading); ok {
		return max(1, b.MaxReaders())
	}
	return 0
}

// View calls [Store.View] when a reader is free. It waits until ctx ends, and for
// [ReaderTimeout] at most, then it returns [ErrBusy].
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
	timeout := time.NewTimer(ReaderTimeout)
	defer timeout.Stop()
	select {
	case r.slots <- struct{}{}:
		return nil
	case <-timeout.C:
		return fmt.Errorf("%w: %d requests are reading it, and none of them finished within %v", ErrBusy, cap(r.slots), ReaderTimeout)
	case <-ctx.Done():
		return ctx.Err()
	}
}
