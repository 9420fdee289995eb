package deliver_test

import (
	"context"
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
