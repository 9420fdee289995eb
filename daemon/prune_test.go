package daemon

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// Old records are also pruned on a full disk, but only a few at a time, so that the disk
// reserve for outcomes is not used up.
func TestPruneOnAFullDisk(t *testing.T) {
	t.Parallel()
	store := storagetest.NewFaulty(storagetest.NewMemory())
	const atOnce, more = maxPruneStepsWhenFull * pruneBatch, 50
	now := time.Now()
	workspace := schedctl.NewID(schedctl.WorkspacePrefix, now)
	err := store.Update(t.Context(), func(tx storage.Tx) error {
		old := make([]schedctl.Event, atOnce+more)
		for i := range old {
			old[i] = schedctl.Event{ID: schedctl.NewID(schedctl.EventPrefix, now), WorkspaceID: workspace, CreatedAt: now.Add(-2*eventRetention + time.Duration(i)*time.Second)}
		}
		return tx.AddEvents(old...)
	})
	if err != nil {
		t.Fatal(err)
	}
	left := func() (n int) {
		if err := prune(t.Context(), store, now); err != nil {
			t.Error(err)
		}
		store.View(t.Context(), func(r storage.Reader) error {
			events, err := r.Events("", atOnce+more)
			n = len(events)
			return err
		})
		return n
	}
	store.SetFull()
	if n := left(); n != more {
		t.Errorf("%d are left, want %d", n, more)
	}
	store.SetWritable()
	if n := left(); n != 1 {
		t.Errorf("%d are left, want the youngest", n)
	}
}
