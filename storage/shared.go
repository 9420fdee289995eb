package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
)

// Shared is implemented by engines whose database several daemons use at once,
// each of them as a node. [Commit] then tells of what other nodes have done too.
type Shared interface {
	Store

	// Heartbeat stores what a node says of itself, and lets its lease run from now on, by
	// the clock of the database, for as long as is given. A node that is new has to
	// beat before it does anything else.
	Heartbeat(ctx context.Context, n Node, lease time.Duration) error

	// Leave ends the lease of a node, and with it all that it holds.
	Leave(ctx context.Context, nodeID string) error

	// Nodes returns the nodes whose leases run, and those whose lease has run out
	// within the last hour, in order of their ids.
	Nodes(ctx context.Context) ([]Node, error)

	// Hold makes a node the holder of a name, unless another node holds it, and
	// reports whether the node holds it now. It is held until it is released, or
	// the lease of its node has run out. A node whose lease has run out holds
	// nothing.
	Hold(ctx context.Context, nodeID, name string) (held bool, err error)

	// Release lets others hold a name. It does nothing when the node does not.
	Release(ctx context.Context, nodeID, name string) error

	// UseTokens adds what was taken out of token buckets since it was last told, and
	// returns the buckets in the same order, as all nodes together have left them,
	// by the clock of this machine. Tokens may be counted twice when it fails.
	UseTokens(ctx context.Context, spent []TokenUse) ([]time.Time, error)

	// Refuse is called before a request is refused for good. It notes the refusal
	// and returns nil, or returns the response that the request has by now.
	//
	// After a noted refusal no transaction commits a response to the request that
	// has read, with Answer, that there is none. A transaction that reads it later
	// gets a [*RefusedError], and can compare its age with that of its own request.
	// A response that is stored then replaces the note.
	//
	// While a transaction that stores a response is under way, Refuse waits a
	// moment for it and then returns [ErrUndecided].
	Refuse(ctx context.Context, key IdempotencyScope) (*IdempotencyRecord, error)
}

// ErrUndecided is returned by [Shared.Refuse] while another transaction may still
// commit a response to the same request.
var ErrUndecided = errors.New("another transaction may still store a response to this request")

// RefusedError says that there is no response to a request, and that it was
// refused a while ago. It wraps an error with the code NOT_FOUND.
type RefusedError struct {
	Ago time.Duration // by the clock of the database, and not more
}

// Error says when that was.
func (e *RefusedError) Error() string { return fmt.Sprintf("the request was refused %v ago", e.Ago) }

// Unwrap returns that there is no response.
func (e *RefusedError) Unwrap() error {
	return schedctl.Errorf(schedctl.NotFound, "", "there is no answer to this request")
}

// Node is a daemon among those that use one database.
type Node struct {
	ID        string // 26 characters (ULID); the owner of its attempts
	Name      string // of its machine
	Version   string // of its program
	StartedAt time.Time
	Lag       time.Duration // by how much what it has to publish is late; 0 when nothing waits for it

	HeartbeatAt time.Time // by the clock of the database; not written by Heartbeat
	Alive       bool      // its lease runs; not written by Heartbeat
}

// TokenUse is what was taken out of a token bucket. A bucket is kept as the time
// at which it will be full again: each token moves that time on by Every.
type TokenUse struct {
	Bucket string
	Tokens int // 0 to look only
	Every  time.Duration
}

// SharedTx is what the transactions of a [Shared] engine implement.
type SharedTx interface {
	Tx

	// RunningOf returns the attempts without an end of an account, the oldest
	// first. When the account was read before in the transaction, nobody begins
	// another one before its commit.
	RunningOf(accountID string) ([]schedctl.Attempt, error)
}

// Preparer is implemented by the readers and transactions of engines for which
// each reading is a way to a server and back.
type Preparer interface {
	// Prepare reads at once what will be asked for of targets: their routes, and in a
	// transaction, which locks them all in one order, also their posts, the accounts,
	// the attempts, and what runs for the accounts. It changes the answer of no other
	// method. Targets that are not there are passed over.
	Prepare(targetIDs []string) error

	// PreparePosts is Prepare without the accounts, which it does not lock, and what
	// runs for them.
	PreparePosts(targetIDs []string) error
}

// Prepare calls the reader's Prepare, if it has one.
func Prepare(r Reader, targetIDs []string) error {
	if p, ok := r.(Preparer); ok && len(targetIDs) > 0 {
		return p.Prepare(targetIDs)
	}
	return nil
}

// PreparePosts calls the reader's PreparePosts, if it has one.
func PreparePosts(r Reader, targetIDs []string) error {
	if p, ok := r.(Preparer); ok && len(targetIDs) > 0 {
		return p.PreparePosts(targetIDs)
	}
	return nil
}
