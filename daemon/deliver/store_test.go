package deliver_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/schedctl/schedctl"
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

func (s *countingStore) UpdateFromReserve(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

// hookedStore calls a function once, after the commit of its first transaction and before
// Update returns.
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

func (s *hookedStore) UpdateFromReserve(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

// damagedStore has an account and a post that cannot be read, and a post that cannot be
// written, until they are repaired.
type damagedStore struct {
	storage.Store
	account, post, unreadable string
	repaired                  atomic.Bool
}

var errDamaged = errors.New("damaged record")

func (s *damagedStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Store.Update(ctx, func(tx storage.Tx) error { return fn(damagedTx{tx, s}) })
}

func (s *damagedStore) UpdateFromReserve(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

type damagedTx struct {
	storage.Tx
	store *damagedStore
}

func (tx damagedTx) Account(workspaceID, id string) (schedctl.Account, error) {
	if id == tx.store.account && !tx.store.repaired.Load() {
		return schedctl.Account{}, errDamaged
	}
	return tx.Tx.Account(workspaceID, id)
}

func (tx damagedTx) Post(workspaceID, id string) (schedctl.Post, error) {
	if id == tx.store.unreadable && !tx.store.repaired.Load() {
		return schedctl.Post{}, errDamaged
	}
	return tx.Tx.Post(workspaceID, id)
}

func (tx damagedTx) PutPost(p schedctl.Post) error {
	if p.ID == tx.store.post && !tx.store.repaired.Load() {
		return errDamaged
	}
	return tx.Tx.PutPost(p)
}
