package deliver_test

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/schedctl/schedctl/storage"
)

// countingStore counts transactions.
type countingStore struct {
	storage.Store
	updates atomic.Int64
}

func (s *countingStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	s.updates.Add(1)
	return s.Store.Update(ctx, fn)
}

// hookedStore calls a function once, after its first transaction and before
// that returns.
type hookedStore struct {
	storage.Store
	once  sync.Once
	after func()
}

func (s *hookedStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	err := s.Store.Update(ctx, fn)
	s.once.Do(s.after)
	return err
}
