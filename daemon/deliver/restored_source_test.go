package deliver_test

import (
	"context"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/storage"
)

// TestRestoredSourcesMakeNoPostTwice guards that a restored database makes no post of an item
// of which the original may have made one: neither of one that waits, nor of one that has
// appeared since the backup.
func TestRestoredSourcesMakeNoPostTwice(t *testing.T) {
	for name, restore := range map[string]func(context.Context, storage.Store, time.Time) (int, error){
		"restored": deliver.Withhold, "salvaged": deliver.WithholdSalvaged,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				a, now := r.account("me", nil), schedctl.Millis(time.Now())
				s := schedctl.Source{
					ID: schedctl.NewID(schedctl.SourcePrefix, now), WorkspaceID: a.WorkspaceID, Name: "blog", State: schedctl.SourceActive, Version: 3,
					SourceProgress: schedctl.SourceProgress{BaselineAt: now, NewestAt: now, NextFetchAt: now, WakeAt: now, ClaimedUntil: now, Take: 2, ETag: "e", LastModified: "l", BodyHash: "b"},
				}
				s.URL, s.AccountIDs = "https://example.com/feed.xml", []string{a.ID}
				s.SetDefaults()
				const waiting = 120
				if err := r.store.Update(t.Context(), func(tx storage.Tx) error {
					for range waiting {
						i := schedctl.SourceItem{ID: schedctl.NewID(schedctl.SourceItemPrefix, now), WorkspaceID: a.WorkspaceID, SourceID: s.ID, State: schedctl.ItemWaiting, DueAt: now, Content: []byte("{}")}
						if err := tx.PutSourceItem(i); err != nil {
							return err
						}
					}
					return tx.PutSource(s)
				}); err != nil {
					t.Fatal(err)
				}
				if _, err := restore(t.Context(), r.store, now.Add(time.Hour)); err != nil {
					t.Fatal(err)
				}
				if err := r.store.View(t.Context(), func(reader storage.Reader) error {
					got, err := reader.Source(a.WorkspaceID, s.ID)
					if err != nil {
						return err
					}
					if !got.BaselineAt.IsZero() || got.Take != 0 || got.ETag+got.LastModified+got.BodyHash != "" || !got.ClaimedUntil.IsZero() || got.State != schedctl.SourceActive || got.WakeAt.IsZero() {
						t.Errorf("%+v", got.SourceProgress)
					}
					failed, err := reader.SourceItems(storage.SourceItemQuery{WorkspaceID: a.WorkspaceID, SourceID: s.ID, State: schedctl.ItemFailed, Limit: 1000})
					if len(failed) != waiting || failed[0].Reason == "" || failed[0].Content == nil || !failed[0].DueAt.IsZero() {
						t.Errorf("%d items failed, want %d", len(failed), waiting)
					}
					return err
				}); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}
