package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/schedctl/schedctl/storage"
)

// Role is the role of a database in a copy.
type Role string

// The roles.
const (
	Leaving   Role = "leaving"   // source of a running or interrupted copy
	Arriving  Role = "arriving"  // unfinished copy
	Moved     Role = "moved"     // source of a complete copy that replaces it
	Duplicate Role = "duplicate" // copy of a source that stays in use
)

// markKey is the metadata key of the mark.
const markKey = "transfer"

// Mark records the role of a database in a copy. It is stored in the metadata of the
// database.
type Mark struct {
	Role Role      `json:"role"`
	Copy string    `json:"copy"` // id of the copy, the same in both databases
	Peer string    `json:"peer"` // name of the other database, without a password
	At   time.Time `json:"at"`

	// Node is the id under which the copy is a node of a shared database.
	Node string `json:"node,omitempty"`
}

// MarkOf returns the mark of a database, with no role when it has none.
func MarkOf(r storage.Reader) (m Mark, err error) {
	text, err := r.Metadata(markKey)
	if err != nil || text == nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("read the mark of a copy: %w", err)
	}
	return m, nil
}

// put stores the mark.
func (m Mark) put(tx storage.Tx) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return tx.PutMetadata(markKey, text)
}

// unmark removes the mark of a database.
func unmark(tx storage.Tx) error { return tx.PutMetadata(markKey, nil) }

func readMark(ctx context.Context, store storage.Store) (Mark, error) {
	return storage.Read(ctx, store.View, MarkOf)
}

// RefusedError means that no daemon may use a database because of its mark.
type RefusedError struct{ Mark Mark }

// Error describes the role of the database.
func (e *RefusedError) Error() string {
	at := e.Mark.At.UTC().Format(time.RFC3339)
	switch e.Mark.Role {
	case Leaving:
		return fmt.Sprintf("this database is being copied to %s, since %s", e.Mark.Peer, at)
	case Arriving:
		return fmt.Sprintf("this database is an unfinished copy of %s, started at %s", e.Mark.Peer, at)
	case Moved:
		return fmt.Sprintf("this database was moved to %s at %s", e.Mark.Peer, at)
	}
	return fmt.Sprintf("this database is a copy of %s, made at %s, which stays in use", e.Mark.Peer, at)
}

// Check returns a [*RefusedError] when no daemon may use the database: its posts would
// be published twice, or the database is incomplete. Check ends an interrupted copy of
// the database, which cannot be resumed afterwards.
//
// A daemon on a shared database must have sent its first heartbeat: when a copy and a
// daemon start at the same time, at least one of them sees the other.
func Check(ctx context.Context, store storage.Store) error {
	m, err := readMark(ctx, store)
	switch {
	case err != nil:
		return fmt.Errorf("check whether the database may be used: %w", err)
	case m.Role == "":
		return nil
	case m.Role != Leaving:
		return &RefusedError{m}
	}
	running, err := isAlive(ctx, store, m.Node)
	if err != nil {
		return fmt.Errorf("check whether the database is being copied: %w", err)
	}
	if running {
		return &RefusedError{m}
	}
	err = store.Update(ctx, func(tx storage.Tx) error {
		now, err := MarkOf(tx)
		if err != nil || now != m {
			return err
		}
		return unmark(tx)
	})
	if err != nil {
		return fmt.Errorf("end an interrupted copy: %w", err)
	}
	return nil
}

// isAlive reports whether the lease of a node is valid. A database that is not shared
// has no nodes.
func isAlive(ctx context.Context, store storage.Store, nodeID string) (bool, error) {
	shared, ok := store.(storage.Shared)
	if !ok || nodeID == "" {
		return false, nil
	}
	nodes, err := shared.Nodes(ctx)
	for _, n := range nodes {
		if n.ID == nodeID && n.Alive {
			return true, nil
		}
	}
	return false, err
}
