package transfer_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
	"github.com/schedctl/schedctl/storage/transfer"
)

func TestCheckRefusesByRole(t *testing.T) {
	t.Parallel()
	for _, role := range []transfer.Role{"", transfer.Leaving, transfer.Arriving, transfer.Moved, transfer.Duplicate} {
		store := storagetest.NewMemory()
		mark := transfer.Mark{Role: role, Copy: "c", Peer: "bolt:/there.db", At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
		putMark(t, store, mark)
		var refused *transfer.RefusedError
		err := transfer.Check(t.Context(), store)
		if may := role == "" || role == transfer.Leaving; may != (err == nil) || !may && (!errors.As(err, &refused) || refused.Mark != mark) {
			t.Errorf("role %q: %v", role, err)
		}
		if role != transfer.Leaving {
			continue
		}
		if left := markOf(t, store); left != (transfer.Mark{}) {
			t.Errorf("after Check has allowed a daemon, the mark is %+v", left)
		}
	}
}

func putMark(t *testing.T, store storage.Store, mark transfer.Mark) {
	t.Helper()
	text, err := json.Marshal(mark)
	if err != nil {
		t.Fatal(err)
	}
	if mark.Role == "" {
		return
	}
	if err := store.Update(t.Context(), func(tx storage.Tx) error { return tx.PutMetadata("transfer", text) }); err != nil {
		t.Fatal(err)
	}
}

func markOf(t *testing.T, store storage.Store) (m transfer.Mark) {
	t.Helper()
	err := store.View(t.Context(), func(r storage.Reader) (err error) {
		m, err = transfer.MarkOf(r)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
