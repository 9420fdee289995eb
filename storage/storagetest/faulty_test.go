package storagetest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

func TestFaultyWithoutFaults(t *testing.T) {
	t.Parallel()
	storagetest.RunBriefly(t, func(*testing.T) storage.Store { return storagetest.NewFaulty(storagetest.NewMemory()) })
}

// putOne puts a workspace and reports whether its function ran and whether the
// workspace exists.
func putOne(t *testing.T, store *storagetest.Faulty) (ran, there bool, err error) {
	t.Helper()
	w := schedctl.Workspace{ID: schedctl.NewID(schedctl.WorkspacePrefix, time.Now())}
	err = store.Update(context.Background(), func(tx storage.Tx) error {
		ran = true
		return tx.PutWorkspace(w)
	})
	look := store.Store.View(context.Background(), func(r storage.Reader) error {
		_, err := r.Workspace(w.ID)
		return err
	})
	return ran, look == nil, err
}

func TestFaultyUpdates(t *testing.T) {
	t.Parallel()
	store := storagetest.NewFaulty(storagetest.NewMemory())
	commits := 0
	store.Notify(func(storage.Commit) { commits++ })
	store.FailUpdates(2, storagetest.BeforeFn)
	store.FailUpdates(1, storagetest.BeforeDisk)
	store.FailUpdates(1, storagetest.AfterCommit)
	for i, want := range []struct {
		ran, there, fails bool
		commits, pending  int
	}{
		{false, false, true, 0, 3},
		{false, false, true, 0, 2},
		{true, false, true, 0, 1},
		{true, true, true, 1, 0},
		{true, true, false, 2, 0},
	} {
		ran, there, err := putOne(t, store)
		if ran != want.ran || there != want.there || errors.Is(err, storagetest.ErrInjected) != want.fails {
			t.Errorf("update %d: ran %v, exists %v, error %v; want %+v", i, ran, there, err, want)
		}
		if commits != want.commits || store.RemainingFailures() != want.pending {
			t.Errorf("update %d: %d commits reported, %d failures remaining; want %+v", i, commits, store.RemainingFailures(), want)
		}
	}
}

func TestFaultyKeepsOtherErrors(t *testing.T) {
	t.Parallel()
	for _, at := range []storagetest.FailurePoint{storagetest.BeforeDisk, storagetest.AfterCommit} {
		store := storagetest.NewFaulty(storagetest.NewMemory())
		store.FailUpdates(1, at)
		own := errors.New("mine")
		if err := store.Update(context.Background(), func(storage.Tx) error { return own }); !errors.Is(err, own) {
			t.Errorf("failure point %d: error %v, want that of the function", at, err)
		}
	}
}

func TestFaultyViews(t *testing.T) {
	t.Parallel()
	store := storagetest.NewFaulty(storagetest.NewMemory())
	store.FailViews(2)
	ran := 0
	for i := range 4 {
		err := store.View(context.Background(), func(storage.Reader) error { ran++; return nil })
		if errors.Is(err, storagetest.ErrInjected) != (i < 2) {
			t.Errorf("view %d: error %v", i, err)
		}
	}
	if ran != 2 {
		t.Errorf("%d functions ran, want 2", ran)
	}
}

func TestFaultyThatIsFull(t *testing.T) {
	t.Parallel()
	store := storagetest.NewFaulty(storagetest.NewMemory())
	store.SetFull()
	if ran, there, err := putOne(t, store); ran || there || !storage.IsFull(err) || !storage.IsFull(store.Full()) {
		t.Errorf("full: ran %v, exists %v, error %v", ran, there, err)
	}
	if err := store.UpdateFromReserve(context.Background(), func(storage.Tx) error { return nil }); err != nil {
		t.Errorf("UpdateFromReserve: %v", err)
	}
	store.SetWritable()
	if ran, there, err := putOne(t, store); !ran || !there || err != nil || store.Full() != nil {
		t.Errorf("writable again: ran %v, exists %v, error %v", ran, there, err)
	}
}
