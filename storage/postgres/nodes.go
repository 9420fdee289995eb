package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/schedctl/schedctl/storage"
)

var _ storage.Shared = (*Store)(nil)

// runOnLifeline runs statements as one transaction, in one round trip, on a connection
// that no other transaction occupies. When the connection is lost, the transaction may
// have been committed, and may run twice.
func (s *Store) runOnLifeline(ctx context.Context, statements ...statement) error {
	return s.runBatch(ctx, s.lifeline, statements...)
}

// runBatch is runOnLifeline on a connection of the given pool.
func (s *Store) runBatch(ctx context.Context, pool *pgxpool.Pool, statements ...statement) error {
	if err := s.beginCall(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	conn, err := s.acquire(ctx, pool)
	if err != nil {
		return err
	}
	one := session{ctx: ctx, store: s, pool: pool, conn: conn, begin: s.mode.beginUpdate()}
	defer one.rollback()
	if err := one.send(append(statements, statement{sql: "COMMIT"})...); err != nil {
		return s.explainReadOnly(classifyError(err))
	}
	one.release()
	return nil
}

// nodeRetention is how long nodes are kept after their leases have ended.
const nodeRetention = "interval '1 hour'"

// Heartbeat implements [storage.Shared]. It reads the lease only after locking the
// node's row, because other nodes may check the lease at the same time.
func (s *Store) Heartbeat(ctx context.Context, n storage.Node, lease time.Duration) error {
	err := s.runOnLifeline(ctx,
		statement{sql: "SELECT 1 FROM nodes WHERE id = $1 FOR NO KEY UPDATE", args: []any{n.ID}},
		statement{
			sql: `INSERT INTO nodes AS n (id, name, version, started_at, lag_ns, beat_at, lease_until, lease)
				VALUES ($1, $2, $3, $4, $5, clock_timestamp(), clock_timestamp() + $6::bigint * interval '1 microsecond', 1)
				ON CONFLICT (id) DO UPDATE SET name = excluded.name, version = excluded.version, started_at = excluded.started_at,
					lag_ns = excluded.lag_ns, beat_at = excluded.beat_at, lease_until = excluded.lease_until,
					lease = CASE WHEN n.lease_until > clock_timestamp() THEN n.lease ELSE n.lease + 1 END`,
			args: []any{n.ID, clean(n.Name), clean(n.Version), stamp(n.StartedAt), int64(n.Lag), lease.Microseconds()},
		},
		statement{sql: "DELETE FROM nodes WHERE id IN (SELECT id FROM nodes WHERE lease_until < clock_timestamp() - " + nodeRetention + " FOR UPDATE SKIP LOCKED)"},
	)
	if err != nil {
		return fmt.Errorf("renew the lease of a node: %w", err)
	}
	return nil
}

// Leave implements [storage.Shared].
func (s *Store) Leave(ctx context.Context, nodeID string) error {
	err := s.runOnLifeline(ctx, statement{
		sql: "UPDATE nodes SET lease_until = least(lease_until, clock_timestamp()) WHERE id = $1", args: []any{nodeID},
	})
	if err != nil {
		return fmt.Errorf("end the lease of a node: %w", err)
	}
	return nil
}

// Nodes implements [storage.Shared].
func (s *Store) Nodes(ctx context.Context) (nodes []storage.Node, err error) {
	err = s.runOnLifeline(ctx, statement{
		sql: `SELECT id, name, version, started_at, lag_ns, beat_at, lease_until > clock_timestamp() FROM nodes
			WHERE lease_until > clock_timestamp() - ` + nodeRetention + " ORDER BY id",
		scan: scanAll(&nodes, scanNode),
	})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	return nodes, nil
}

func scanNode(row pgx.CollectableRow) (n storage.Node, err error) {
	err = row.Scan(&n.ID, &n.Name, &n.Version, timeField{&n.StartedAt}, intField[time.Duration]{&n.Lag}, timeField{&n.HeartbeatAt}, &n.Alive)
	return n, err
}
