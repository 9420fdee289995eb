package storagetest_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, func(*testing.T) storage.Store { return storagetest.NewMemory() })
}

func TestMemoryRunsEveryFunctionTwice(t *testing.T) {
	t.Parallel()
	store := storagetest.NewMemory()
	w := schedctl.Workspace{ID: schedctl.NewID(schedctl.WorkspacePrefix, time.Now())}
	commits, runs, seen := 0, 0, 0
	store.Notify(func(storage.Commit) { commits++ })
	err := store.Update(context.Background(), func(tx storage.Tx) error {
		runs++
		if _, err := tx.Workspace(w.ID); err == nil {
			seen++
		}
		return tx.PutWorkspace(w)
	})
	if err != nil || runs != 2 || seen != 0 || commits != 1 {
		t.Errorf("error %v, %d runs, of which %d saw the run before, %d commits; want nil, 2, 0, 1", err, runs, seen, commits)
	}
}

func TestMemoryLivesInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := storagetest.NewMemory()
		w := schedctl.Workspace{ID: schedctl.NewID(schedctl.WorkspacePrefix, time.Now())}
		if err := store.Update(t.Context(), func(tx storage.Tx) error { return tx.PutWorkspace(w) }); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		time.Sleep(72 * time.Hour) // passes at once unless something in the bubble is awake
		if time.Since(start) != 72*time.Hour {
			t.Error("the store kept time from passing")
		}
	})
}
