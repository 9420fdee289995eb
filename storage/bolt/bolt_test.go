package bolt_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
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

// TestBubble guards that time passes in a testing/synctest bubble with a database on a
// real file.
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

// TestEventsSortByID guards that the outbox of this engine is in order of ids, even if
// the events were added in another order.
func TestEventsSortByID(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "test.db"))
	var made []schedctl.Event
	for range 20 {
		now := time.Now()
		made = append(made, schedctl.Event{ID: schedctl.NewID(schedctl.EventPrefix, now), WorkspaceID: schedctl.NewID(schedctl.WorkspacePrefix, now)})
	}
	for _, part := range [][]schedctl.Event{made[12:], made[:12]} {
		if err := s.Update(t.Context(), func(tx storage.Tx) error { return tx.AddEvents(part...) }); err != nil {
			t.Fatal(err)
		}
	}
	err := s.View(t.Context(), func(r storage.Reader) error {
		got, err := r.Events(made[2].ID, 15)
		if diff := cmp.Diff(made[3:18], got); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// open opens a database and closes it at the end of the test.
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

// TestModelReopened guards that the state in memory is correct after the file was
// reopened.
func TestModelReopened(t *testing.T) {
	t.Parallel()
	storagetest.RunReopened(t, func(t testing.TB, folder string) storage.Store {
		s, err := bolt.Open(filepath.Join(folder, "test.db"), bolt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
