package postgres_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// writeWorkspace writes a record.
func writeWorkspace(t *testing.T, s *postgres.Store) error {
	return s.Update(t.Context(), func(tx storage.Tx) error {
		return tx.PutWorkspace(schedctl.Workspace{ID: schedctl.NewID(schedctl.WorkspacePrefix, time.Now())})
	})
}

// heartbeat renews the lease of a node.
func heartbeat(t *testing.T, s *postgres.Store) error {
	return s.Heartbeat(t.Context(), storage.Node{ID: "01K2M4N6P8QARCTDVEWFXGYHZ1"}, time.Minute)
}

// waitForError calls fn until it returns the wanted error, with a time limit.
func waitForError(t *testing.T, what string, want error, fn func(*testing.T, *postgres.Store) error, s *postgres.Store) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(testsize.Patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if err = fn(t, s); errors.Is(err, want) {
			return
		}
	}
	t.Errorf("%s: %v, want %v", what, err, want)
}

// TestServerTurnsReadOnly switches writes off and on again while a node is connected.
func TestServerTurnsReadOnly(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t)
	s := open(t, server.URL("postgres"))
	execSQL(t, server.URL("postgres"), "ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()")
	waitForError(t, "a write", storage.ErrReadOnly, writeWorkspace, s)
	waitForError(t, "a heartbeat", storage.ErrReadOnly, heartbeat, s)
	if err := writeWorkspace(t, s); errors.Is(err, storage.ErrStandby) {
		t.Errorf("a primary is reported as a standby: %v", err)
	}
	execSQL(t, server.URL("postgres"), "SET default_transaction_read_only = off", "ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_reload_conf()")
	waitForError(t, "a write when writes are on again", nil, writeWorkspace, s)
	waitForError(t, "a heartbeat when writes are on again", nil, heartbeat, s)
}

// TestServerReturnsAsStandby restarts the server of a node as a standby. While it is
// down, calls fail.
func TestServerReturnsAsStandby(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t)
	s := open(t, server.URL("postgres"))
	if err := errors.Join(writeWorkspace(t, s), server.Stop(postgrestest.Fast)); err != nil {
		t.Fatal(err)
	}
	waitForError(t, "a write while it is down", storage.ErrUnreachable, writeWorkspace, s)
	for _, call := range []func(*testing.T, *postgres.Store) error{writeWorkspace, heartbeat} {
		if err := call(t, s); !errors.Is(err, storage.ErrUnreachable) {
			t.Errorf("while the server is down: %v", err)
		}
	}
	signal := filepath.Join(filepath.Dir(server.Socket()), "data", "standby.signal")
	if err := errors.Join(os.WriteFile(signal, nil, 0o644), server.Run()); err != nil {
		t.Fatal(err)
	}
	waitForError(t, "a write", storage.ErrStandby, writeWorkspace, s)
	waitForError(t, "a heartbeat", storage.ErrStandby, heartbeat, s)
}

// TestMissingPoolMode opens a database behind a PgBouncer in transaction mode with a
// URL that does not say so.
func TestMissingPoolMode(t *testing.T) {
	t.Parallel()
	_, err := postgres.Open(t.Context(), postgrestest.Pooled(t, postgrestest.TransactionPool), postgres.Options{})
	if !errors.Is(err, storage.ErrPooler) {
		t.Errorf("error %v, want %v", err, storage.ErrPooler)
	}
}
