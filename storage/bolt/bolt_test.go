package bolt_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

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
