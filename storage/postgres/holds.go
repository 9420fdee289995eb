package postgres

import (
	"context"
	"fmt"
)

// Hold implements [storage.Shared]. A hold stores the number of the lease under which
// it was taken, so that it ends with it. The row of the current holder is locked before
// its lease is checked, because the holder may be renewing it.
func (s *Store) Hold(ctx context.Context, nodeID, name string) (held bool, err error) {
	name = clean(name)
	err = s.runOnLifeline(ctx,
		statement{sql: "SELECT pg_advisory_xact_lock('holds'::regclass::oid::int4, hashtext($1))", args: []any{name}},
		statement{sql: "SELECT 1 FROM nodes WHERE id = (SELECT node_id FROM holds WHERE name = $1) FOR SHARE", args: []any{name}},
		statement{
			sql: `INSERT INTO holds AS h (name, node_id, lease)
				SELECT $1, id, lease FROM nodes WHERE id = $2 AND lease_until > clock_timestamp()
				ON CONFLICT (name) DO UPDATE SET node_id = excluded.node_id, lease = excluded.lease
				WHERE h.node_id = excluded.node_id OR NOT EXISTS (
					SELECT 1 FROM nodes WHERE id = h.node_id AND lease = h.lease AND lease_until > clock_timestamp())
				RETURNING name`,
			args: []any{name, nodeID},
			scan: scanOne(&held),
		},
	)
	if err != nil {
		return false, fmt.Errorf("hold %s: %w", name, err)
	}
	return held, nil
}

// Release implements [storage.Shared].
func (s *Store) Release(ctx context.Context, nodeID, name string) error {
	err := s.runOnLifeline(ctx, statement{sql: "DELETE FROM holds WHERE name = $1 AND node_id = $2", args: []any{clean(name), nodeID}})
	if err != nil {
		return fmt.Errorf("release %s: %w", name, err)
	}
	return nil
}
