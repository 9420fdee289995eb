// Package enginetest runs tests of code above the storage contract on every engine.
package enginetest

import (
	"path/filepath"
	"testing"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/postgres"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// OnEvery runs a test on an empty store of each engine, in parallel, and closes the stores
// after it.
func OnEvery(t *testing.T, test func(*testing.T, storage.Store)) {
	t.Helper()
	for name, open := range map[string]func(*testing.T) (storage.Store, error){
		"memory": func(*testing.T) (storage.Store, error) { return storagetest.NewMemory(), nil },
		"bolt": func(t *testing.T) (storage.Store, error) {
			return bolt.Open(filepath.Join(t.TempDir(), "schedctl.db"), bolt.Options{})
		},
		"postgres": func(t *testing.T) (storage.Store, error) {
			return postgres.Open(t.Context(), postgrestest.Schema(t), postgres.Options{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, err := open(t)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { store.Close() })
			store.Notify(func(storage.Commit) {})
			test(t, store)
		})
	}
}
