package node

import (
	"context"
	"time"
)

// Mine reports whether this node is preferred for a key. Exactly one of the nodes that see
// the same list is. When a node joins or leaves, only its share of the keys moves.
func (m *Member) Mine(key string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.preferred(key) == m.id
}

// Preferred returns the id of the node that is preferred for a key.
func (m *Member) Preferred(key string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.preferred(key)
}

// preferred implements [Member.Preferred]. The caller holds mu.
func (m *Member) preferred(key string) string {
	if len(m.peers) == 0 {
		return m.id
	}
	return preferred(m.peers, key, m.expiredBefore())
}

// expiredBefore returns the database time before which the last heartbeat of a node
// with an expired lease was, or the zero time when it is unknown. So a node counts as
// dead once its lease expires, even before the list of nodes is read again.
func (m *Member) expiredBefore() time.Time {
	if m.dbHeartbeatAt.IsZero() {
		return time.Time{}
	}
	return m.dbHeartbeatAt.Add(m.since(m.ackedAt) - Lease)
}

// Hold tries to make this node the holder of a name and reports whether it is the
// holder now. The hold ends with Release or with the lease, so a long task has to
// call Hold again.
func (m *Member) Hold(ctx context.Context, name string) (bool, error) {
	id := m.ID()
	if !m.Holds(id) {
		return false, nil
	}
	held, err := m.store.Hold(ctx, id, name)
	return held && err == nil && m.Holds(id), err
}

// Release gives up a name that this node holds.
func (m *Member) Release(ctx context.Context, name string) error {
	return m.store.Release(ctx, m.ID(), name)
}
