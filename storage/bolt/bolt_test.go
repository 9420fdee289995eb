package bolt_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/storagetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, func(t *testing.T) storage.Store {
		s := open(t, filepath.Join(t.TempDir(), "test.db"))
		t.Cleanup(func() { // before the Close of open
			if err := s.Check(context.Background()); err != nil && !errors.Is(err, storage.ErrClosed) {
				t.Errorf("Check: %v", err)
			}
		})
		return s
	})
}

// TestBubble guards that time passes in a testing/synctest bubble that has a
// database on a real file.
func TestBubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := open(t, filepath.Join(t.TempDir(), "bubble.db"))
		start := time.Now()
		for range 3 {
			newCreator(s).update(t, 1)
			time.Sleep(24 * time.Hour)
		}
		if slept := time.Since(start); slept != 72*time.Hour {
			t.Errorf("%v have passed, want 72h", slept)
		}
	})
}

// open opens a database that is closed with the test.
func open(t testing.TB, path string) *bolt.Store {
	t.Helper()
	s, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}
