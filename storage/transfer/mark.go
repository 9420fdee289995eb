package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/schedctl/schedctl/storage"
)

// Role is the part that a database has in a copy.
type Role string

// The roles.
const (
	Leaving   Role = "leaving"   // it is being copied, or a copy of it was interrupted
	Arriving  Role = "arriving"  // it is an unfinished copy
	Moved     Role = "moved"     // it was copied, and the copy is used in its place
	Duplicate Role = "duplicate" // it is a copy of one that goes on being used
)

// markKey is the note that says what part a database has in a copy.
const markKey = "transfer"

// Mark says what part a database has in a copy. It is a note in the database.
type Mark struct {
	Role Role      `json:"role"`
	Copy string    `json:"copy"` // the same in both databases
	Peer string    `json:"peer"` // the name of the other one, without a password
	At   time.Time `json:"at"`

	// Node is as what the copy was a node of a database that several daemons share.
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

// put marks a database.
func (m Mark) put(tx storage.Tx) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return tx.PutMetadata(markKey, text)
}

// unmark removes the mark of a database.
func unmark(tx storage.Tx) error { return tx.PutMetadata(markKey, nil) }

func readMark(ctx context.Context, store storage.Store) (m Mark, err error) {
	err = store.View(ctx, func(r storage.Reader) (err error) {
		m, err = MarkOf(r)
		return err
	})
	return m, err
}

// RefusedError says why no daemon may use a database.
type RefusedError struct{ Mark Mark }

// Error says it for people.
func (e *RefusedError) Error() string {
	at := e.Mark.At.UTC().Format(time.RFC3339)
	switch e.Mark.Role {
	case Leaving:
		return fmt.Sprintf("this database is being copied to %s, since %s", e.Mark.Peer, at)
	case Arriving:
		return fmt.Sprintf("this database is an unfinished copy of %s, begun at %s", e.Mark.Peer, at)
	case Moved:
		return fmt.Sprintf("this database was moved to %s at %s", e.Mark.Peer, at)
	}
	return fmt.Sprintf("this database is a copy of %s, made at %s, which goes on being used", e.Mark.Peer, at)
}

// Check returns a [*RefusedError] when no daemon may use the database: what is
// scheduled in it would be published twice, or it is but a part. A copy of it that
// was interrupted is over from then on.
//
// A daemon that shares its database has to be a node by then: of a copy and a
// daemon that begin at once one sees the other.
func Check(ctx context.Context, store storage.Store) error {
	m, err := readMark(ctx, store)
	switch {
	case err != nil:
		return fmt.Errorf("look whether the database may be used: %w", err)
	case m.Role == "":
		return nil
	case m.Role != Leaving:
		return &RefusedError{m}
	}
	running, err := isAlive(ctx, store, m.Node)
	if err != nil {
		return fmt.Errorf("look whether the database is being copied: %w", err)
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
		return fmt.Errorf("end a copy that was interrupted: %w", err)
	}
	return nil
}

// isAlive reports whether a node's lease runs. A database that nobody shares has
// no nodes.
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
