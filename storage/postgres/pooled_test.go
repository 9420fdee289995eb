package postgres_test

import (
	"testing"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// TestStoreBehindTransactionPool runs the suite behind a PgBouncer that assigns a
// session to each transaction.
func TestStoreBehindTransactionPool(t *testing.T) {
	t.Parallel()
	storagetest.RunBriefly(t, func(t *testing.T) storage.Store { return openEmpty(t, &transactionsPooled) })
}

// TestSharedBehindSessionPool runs everything that needs a session, above all LISTEN,
// behind a PgBouncer that assigns a session to each connection.
func TestSharedBehindSessionPool(t *testing.T) {
	t.Parallel()
	storagetest.RunShared(t, func(t *testing.T) (one, two storage.Shared) { return openEmptyTwice(t, &sessionPooled) })
}
