package postgres_test

import (
	"testing"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// TestStoreBehindTransactionPool runs the suite behind a PgBouncer that gives each
// transaction another session.
func TestStoreBehindTransactionPool(t *testing.T) {
	t.Parallel()
	storagetest.RunBriefly(t, func(t *testing.T) storage.Store { return openEmpty(t, &transactionsPooled) })
}

// TestSharedBehindSessionPool runs what needs a session, LISTEN above all, behind
// a PgBouncer that keeps one for each connection.
func TestSharedBehindSessionPool(t *testing.T) {
	t.Parallel()
	storagetest.RunShared(t, func(t *testing.T) (one, two storage.Shared) { return openEmptyTwice(t, &sessionPooled) })
}
