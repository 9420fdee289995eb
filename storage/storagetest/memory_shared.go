package storagetest

import (
	"context"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// SharedMemory is a database in memory that several processes use. Like [NewMemory] it
// has no goroutines and timers, so that it can be used in a testing/synctest bubble;
// its clock is time.Now. Its outbox is in commit order, whatever the ids of the events.
type SharedMemory struct {
	m     *memory
	fleet nodeTable
}

// NewSharedMemory returns an empty database without processes.
func NewSharedMemory() *SharedMemory {
	m := newMemory()
	m.outbox.byCommit = true
	return &SharedMemory{m: m, fleet: newNodeTable()}
}

// Open opens the database for one more process. A commit is reported to the other
// processes before its Update returns.
func (s *SharedMemory) Open() storage.Shared {
	return &sharedProcess{process: s.m.open(), fleet: &s.fleet}
}

// LoseNotifications silently drops notifications between processes until
// [SharedMemory.RestoreNotifications].
func (s *SharedMemory) LoseNotifications() {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.m.notificationsLost = true
}

// RestoreNotifications resumes notifications, and reports to all processes that they
// have missed some.
func (s *SharedMemory) RestoreNotifications() {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.m.notificationsLost = false
	for _, p := range s.m.processes {
		p.receive(storage.Commit{Elsewhere: true, Missed: true})
	}
}

// sharedProcess implements [storage.Shared].
type sharedProcess struct {
	*process
	fleet *nodeTable
}

func (p *sharedProcess) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return p.process.Update(ctx, func(tx storage.Tx) error { return fn(sharedTx{tx.(*memoryTx)}) })
}

func (p *sharedProcess) UpdateFromReserve(ctx context.Context, fn func(storage.Tx) error) error {
	return p.Update(ctx, fn)
}

// checkOpen returns why a call cannot start, or nil.
func (p *sharedProcess) checkOpen(ctx context.Context) error {
	p.m.mu.RLock()
	defer p.m.mu.RUnlock()
	if p.closed {
		return storage.ErrClosed
	}
	return ctx.Err()
}

func (p *sharedProcess) Heartbeat(ctx context.Context, n storage.Node, lease time.Duration) error {
	if err := p.checkOpen(ctx); err != nil {
		return err
	}
	p.fleet.heartbeat(n, lease)
	return nil
}

func (p *sharedProcess) Leave(ctx context.Context, nodeID string) error {
	if err := p.checkOpen(ctx); err != nil {
		return err
	}
	p.fleet.leave(nodeID)
	return nil
}

func (p *sharedProcess) Nodes(ctx context.Context) ([]storage.Node, error) {
	if err := p.checkOpen(ctx); err != nil {
		return nil, err
	}
	return p.fleet.list(), nil
}

func (p *sharedProcess) Hold(ctx context.Context, nodeID, name string) (bool, error) {
	if err := p.checkOpen(ctx); err != nil {
		return false, err
	}
	return p.fleet.hold(nodeID, name), nil
}

func (p *sharedProcess) Release(ctx context.Context, nodeID, name string) error {
	if err := p.checkOpen(ctx); err != nil {
		return err
	}
	p.fleet.release(nodeID, name)
	return nil
}

func (p *sharedProcess) UseTokens(ctx context.Context, spent []storage.TokenUse) ([]time.Time, error) {
	if err := p.checkOpen(ctx); err != nil {
		return nil, err
	}
	return p.fleet.useTokens(spent), nil
}

func (p *sharedProcess) Refuse(ctx context.Context, key storage.IdempotencyScope) (found *storage.IdempotencyRecord, err error) {
	err = p.process.Update(ctx, func(tx storage.Tx) error {
		m, hash := tx.(*memoryTx), key.Hash()
		if a, there := m.m.idempotency[hash]; there {
			a = cloneIdempotencyRecord(a)
			found = &a
			return nil
		}
		putKey(m, m.m.refused, hash, time.Now())
		return nil
	})
	return found, err
}

// sharedTx implements [storage.SharedTx].
type sharedTx struct{ *memoryTx }

func (tx sharedTx) RunningOf(accountID string) ([]schedctl.Attempt, error) {
	if err := checkIDs(schedctl.AccountPrefix, accountID); err != nil {
		return nil, err
	}
	running, err := tx.RunningAttempts()
	return slices.DeleteFunc(running, func(a schedctl.Attempt) bool { return a.AccountID != accountID }), err
}
