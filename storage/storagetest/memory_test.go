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
		t.Errorf("error %v, %d runs, %d saw the run before, %d commits; want nil, 2, 0, 1", err, runs, seen, commits)
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
		time.Sleep(72 * time.Hour) // returns immediately unless something in the bubble is running
		if time.Since(start) != 72*time.Hour {
			t.Error("the store prevented time from passing")
		}
	})
}

func TestSharedMemory(t *testing.T) {
	t.Parallel()
	storagetest.RunBriefly(t, func(*testing.T) storage.Store { return storagetest.NewSharedMemory().Open() })
	storagetest.RunShared(t, func(*testing.T) (one, two storage.Shared) {
		db := storagetest.NewSharedMemory()
		return db.Open(), db.Open()
	})
}

func TestSharedMemoryLosesNotifications(t *testing.T) {
	t.Parallel()
	db := storagetest.NewSharedMemory()
	one, two := db.Open(), db.Open()
	var heard []storage.Commit
	two.Notify(func(c storage.Commit) { heard = append(heard, c) })
	w := schedctl.Workspace{ID: schedctl.NewID(schedctl.WorkspacePrefix, time.Now())}
	db.LoseNotifications()
	if err := one.Update(t.Context(), func(tx storage.Tx) error { return tx.PutWorkspace(w) }); err != nil {
		t.Fatal(err)
	}
	if len(heard) > 0 {
		t.Errorf("received %v, want nothing", heard)
	}
	db.RestoreNotifications()
	if len(heard) != 1 || !heard[0].Elsewhere || !heard[0].Missed {
		t.Errorf("received %v, want Missed", heard)
	}
}

func TestSharedMemoryLivesInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one, n := storagetest.NewSharedMemory().Open(), storage.Node{ID: "one"}
		if err := one.Heartbeat(t.Context(), n, 10*time.Second); err != nil {
			t.Fatal(err)
		}
		for _, want := range []bool{true, false} {
			nodes, err := one.Nodes(t.Context())
			if err != nil || len(nodes) != 1 || nodes[0].Alive != want {
				t.Errorf("nodes %v, error %v, want one node, alive: %v", nodes, err, want)
			}
			time.Sleep(10 * time.Second)
		}
	})
}
