package api_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/storagetest"
	"github.com/schedctl/schedctl/storage/storagetest/oracle"
)

// TestModel runs random scripts on a daemon behind its API: with a timer loop, a
// deliverer, an unreliable network, and restarts. On a shared database, two daemons
// take turns.
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

// playModel runs about so many scripts, each on its own store. setUp returns a
// function that opens the store, at first and after a restart.
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

// stale are scripts that seeds of [TestModel] have found. In each, a post is moved
// while its account is paused. The deliverer must not keep it at its old position.
var stale = map[string]oracle.Script{
	"seed 6117381934832504085": {
		{Do: "mood", Mood: "limiting"},
		{Do: "create", Text: "apple", Accounts: []int{0}, When: "now"},
		{Do: "create", Text: "Apple pie", Accounts: []int{0}, When: "now"},
		{Do: "create", Text: "Apple pie", Accounts: []int{0}, When: "later", In: time.Second},
		{Do: "create", Text: "Apple pie", Accounts: []int{0}, When: "later", In: 10 * time.Second},
		{Do: "create", Text: "pineapple", When: "later", In: 1001 * time.Millisecond},
		{Do: "edit", Post: 1, When: "later", In: 5*time.Minute + 2*time.Millisecond},
		{Do: "pass", In: 25*time.Hour + time.Millisecond},
	},
	"seed 11693779231642358400": {
		{Do: "mood", Mood: "limiting"},
		{Do: "pass", In: time.Second},
		{Do: "create", Text: "apple", Accounts: []int{0}, When: "later", In: 5*time.Minute + time.Millisecond},
		{Do: "create", Text: "Apple pie", Accounts: []int{0}, When: "later", In: 10*time.Second + time.Millisecond},
		{Do: "create", Text: "straw berry", Accounts: []int{0}, When: "later", In: time.Second},
		{Do: "create", Text: "BANANA", Accounts: []int{1}, When: "later", In: 10 * time.Second, Once: 1},
		{Do: "create", Text: "straw berry", Accounts: []int{2}, When: "later", In: time.Minute + time.Millisecond},
		{Do: "publish-now", Post: 3, Match: "current", Once: 2},
		{Do: "pass", In: 23*time.Hour + 2*time.Millisecond},
	},
	"seed 332601740145223510": {
		{Do: "create", Text: "apple", Accounts: []int{0}, When: "later", In: time.Second},
		{Do: "mood", Mood: "limiting"},
		{Do: "create", Text: "apple", When: "later", In: time.Second},
		{Do: "create", Text: "BANANA", When: "later", In: 2 * time.Hour},
		{Do: "create", Text: "BANANA", When: "null"},
		{Do: "create", Text: "apple", Accounts: []int{1}, When: "later", In: 25 * time.Hour},
		{Do: "create", Text: "Apple pie", Accounts: []int{2}, When: "now", Once: 2},
		{Do: "cancel"},
		{Do: "pass", In: time.Minute + 2*time.Millisecond},
		{Do: "create", Text: "apple"},
		{Do: "create", Text: "straw berry", Accounts: []int{0}, When: "later", In: 10*time.Second + 2*time.Millisecond},
		{Do: "publish-now", Post: 4, Accounts: []int{0}, Match: "current"},
		{Do: "pass", In: 40 * time.Minute},
		{Do: "create", Text: "Apple pie", Accounts: []int{1}, When: "later", In: 1001 * time.Millisecond},
		{Do: "create", Text: "pineapple"},
		{Do: "create", Text: "Apple pie", When: "later", In: 40*time.Minute + 3*time.Millisecond},
		{Do: "create", Text: "pineapple", Accounts: []int{2}, When: "later", In: 40*time.Minute + 2*time.Millisecond},
		{Do: "create", Text: "Apple pie"},
		{Do: "edit", Post: 3, When: "later", In: 5 * time.Minute, Match: "current"},
		{Do: "pass", In: 25*time.Hour + 2*time.Millisecond},
	},
	// A canceled target is not called again, but its account still waits.
	"seed 6272060755591629153": {
		{Do: "mood", On: 2, Mood: "hanging"},
		{Do: "create", Text: "pineapple", Accounts: []int{2}, When: "now"},
		{Do: "pass", In: 5*time.Minute + 3*time.Millisecond},
		{Do: "cancel"},
		{Do: "pass", In: 5 * time.Minute},
	},
	// The stop and the time limit of the call come in the same instant.
	"seed 4524187024899029193": {
		{Do: "mood", Mood: "hanging"},
		{Do: "create", Text: "apple", Accounts: []int{0}, When: "now"},
		{Do: "pass", In: 10 * time.Second},
		{Do: "restart", In: time.Minute},
		{Do: "timeline"},
	},
}

// TestModelScripts runs scripts about threads, and scripts that have failed once.
func TestModelScripts(t *testing.T) {
	t.Parallel()
	scripts := oracle.ThreadScripts()
	maps.Copy(scripts, stale)
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			memory, shared := storagetest.NewMemory(), storagetest.NewSharedMemory()
			for _, open := range []func() storage.Store{
				func() storage.Store { return outliving{memory} },
				func() storage.Store { return shared.Open() },
			} {
				synctest.Test(t, func(t *testing.T) {
					s := newModelDaemon(t, open)
					defer s.close()
					if err := oracle.Play(s, script); err != nil {
						t.Error(err)
					}
				})
			}
		})
	}
}

// outliving is a store that survives a restart without a file.
type outliving struct{ storage.Store }

func (outliving) Close() error { return nil }
