package api_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/storagetest"
	"github.com/schedctl/schedctl/storage/storagetest/oracle"
)

// TestModel plays random scripts on a daemon behind its API: with a timer loop,
// a deliverer, a network of many moods, and restarts. On a database that several
// daemons use, two of them answer in turns.
func TestModel(t *testing.T) {
	t.Parallel()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		playModel(t, 1, func(*rapid.T) func() storage.Store {
			store := outliving{storagetest.NewMemory()}
			return func() storage.Store { return store }
		})
	})
	t.Run("two daemons", func(t *testing.T) {
		t.Parallel()
		playModel(t, 2, func(*rapid.T) func() storage.Store {
			memory := storagetest.NewSharedMemory()
			return func() storage.Store { return memory.Open() }
		})
	})
	t.Run("bolt", func(t *testing.T) {
		t.Parallel()
		folder, n := t.TempDir(), 0
		playModel(t, 4, func(t *rapid.T) func() storage.Store {
			n++
			path := filepath.Join(folder, fmt.Sprint(n))
			return func() storage.Store {
				store, err := bolt.Open(path, bolt.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return store
			}
		})
	})
}

// playModel plays about one of so many scripts, each on a store of its own: setUp
// returns what opens it, at first and after a restart.
func playModel(t *testing.T, of uint32, setUp func(*rapid.T) func() storage.Store) {
	rapid.Check(t, func(t *rapid.T) {
		if rapid.Uint32Range(1, of).Draw(t, "one of") > 1 {
			return
		}
		rapid.SyncTest(t, func(t *rapid.T) {
			s := newModelDaemon(t, setUp(t))
			defer s.close()
			oracle.Check(t, s)
		})
	})
}

// outliving is a store that is there after a restart without a file.
type outliving struct{ storage.Store }

func (outliving) Close() error { return nil }
