package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
)

// Shared is implemented by stores whose database several daemons use at once, each
// as a node. [Store.Notify] then reports the commits of other nodes as well.
type Shared interface {
	Store

	// Heartbeat stores the state of a node and renews its lease: it is valid for the
	// given time from now, by the clock of the database. A new node must send a
	// heartbeat first.
	Heartbeat(ctx context.Context, n Node, lease time.Duration) error

	// Leave ends the lease of a node and releases all names that it holds.
	Leave(ctx context.Context, nodeID string) error

	// Nodes returns the nodes with a valid lease, and those whose lease expired within
	// the last hour, ordered by id.
	Nodes(ctx context.Context) ([]Node, error)

	// Hold acquires a name for a node, unless another node holds it, and reports
	// whether the node holds it now. The node holds it until Release, or until its
	// lease expires. A node without a valid lease cannot hold a name.
	Hold(ctx context.Context, nodeID, name string) (held bool, err error)

	// Release releases a name. It does nothing if the node does not hold it.
	Release(ctx context.Context, nodeID, name string) error

	// UseTokens takes tokens from buckets that all nodes share. For each bucket, in the
	// same order, it returns the time at which the bucket will be full, by the clock of
	// this machine. After an error the tokens may be taken twice if it is called again.
	UseTokens(ctx context.Context, spent []TokenUse) ([]time.Time, error)

	// Refuse is called before a request is finally refused. It records the refusal and
	// returns nil, or it returns the response if there is one already.
	//
	// After a recorded refusal, no transaction that found no response before can commit
	// one. A later transaction gets a [*RefusedError] from IdempotencyRecord, and can
	// compare its age with the age of the request. A response that it stores replaces the
	// refusal.
	//
	// If another transaction is storing a response, Refuse waits briefly and then
	// returns [ErrUndecided].
	Refuse(ctx context.Context, key IdempotencyScope) (*IdempotencyRecord, error)
}

// ErrUndecided is returned by [Shared.Refuse] while another transaction may still
// commit a response to the same request.
var ErrUndecided = errors.New("another transaction may still store a response to this request")

// RefusedError means that a request has no stored response because it was refused.
// It wraps an error with the code NOT_FOUND.
type RefusedError struct {
	Ago time.Duration // at most, since the refusal, by the clock of the database
}

// Error returns the time since the refusal.
func (e *RefusedError) Error() string { return fmt.Sprintf("the request was refused %v ago", e.Ago) }

// Unwrap returns the error with the code NOT_FOUND.
func (e *RefusedError) Unwrap() error {
	return schedctl.Errorf(schedctl.NotFound, "", "there is no response to this request")
}

// Node is one of the daemons that share a database.
type Node struct {
	ID        string // 26 characters (ULID); the owner of its attempts
	Name      string // of its machine
	Version   string // of its program
	StartedAt time.Time
	Lag       time.Duration // how late its oldest due target is; 0 when none is due

	HeartbeatAt time.Time // by the clock of the database; not written by Heartbeat
	Alive       bool      // its lease is valid; not written by Heartbeat
}

// TokenUse is a number of tokens taken from a bucket. A bucket is stored as the time at
// which it will be full. Each token moves that time by Every.
type TokenUse struct {
	Bucket string
	Tokens int // 0 to read the bucket
	Every  time.Duration
}

// SharedTx is implemented by the transactions of a [Shared] store.
type SharedTx interface {
	Tx

	// RunningOf returns the attempts of an account that have not finished, oldest
	// first. If the transaction has read the account before, no other attempt of the
	// account starts before its commit.
	RunningOf(accountID string) ([]schedctl.Attempt, error)
}

// Preparer is implemented by readers and transactions for which every read is a
// round trip to a server.
type Preparer interface {
	// Prepare reads the routes of targets in one round trip. In a transaction it also
	// locks and reads their posts, accounts and attempts, and the running attempts of
	// the accounts, in one order for all transactions. It does not change the results
	// of other methods. Missing targets are ignored.
	Prepare(targetIDs []string) error

	// PreparePosts is Prepare without the accounts and their running attempts. It does
	// not lock the accounts.
	PreparePosts(targetIDs []string) error
}

// Prepare calls [Preparer.Prepare] if r implements it.
func Prepare(r Reader, targetIDs []string) error {
	if p, ok := r.(Preparer); ok && len(targetIDs) > 0 {
		return p.Prepare(targetIDs)
	}
	return nil
}

// PreparePosts calls [Preparer.PreparePosts] if r implements it.
func PreparePosts(r Reader, targetIDs []string) error {
	if p, ok := r.(Preparer); ok && len(targetIDs) > 0 {
		return p.PreparePosts(targetIDs)
	}
	return nil
}
