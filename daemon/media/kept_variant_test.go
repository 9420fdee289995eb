package media_test

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/media/variant"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/blob/dir"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// TestVariantsAreCollected guards that a variant stays as long as its URL and its original,
// that its bytes then go, and that those of an asset stay.
func TestVariantsAreCollected(t *testing.T) {
	t.Parallel()
	blobs, err := dir.Open(filepath.Join(t.TempDir(), "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	defer blobs.Close()
	store := storagetest.NewMemory()
	defer store.Close()
	kept := media.KeptVariants{Store: store, Blobs: blobs}
	now := schedctl.Millis(time.Now())
	ws := schedctl.NewID(schedctl.WorkspacePrefix, now)
	original := receive(t, blobs, mediatest.PNG(2, 3))
	asset := original.Asset()
	asset.ID, asset.WorkspaceID, asset.Status, asset.ExpiresAt = schedctl.NewID(schedctl.MediaPrefix, now), ws, schedctl.MediaReady, now.AddDate(1, 0, 0)
	update := func(fn func(storage.Tx) error) {
		t.Helper()
		if err := store.Update(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	update(func(tx storage.Tx) error { return tx.PutMediaAsset(asset) })
	keep := func(of blob.Key, f *media.File, until time.Time) media.VariantName {
		t.Helper()
		name := media.NewVariantName(of, variant.Target{MaxBytes: f.Size})
		if err := kept.Keep(t.Context(), name, media.KeptVariant{Key: f.Key, Size: f.Size, MIMEType: "image/png", Until: until}); err != nil {
			t.Fatal(err)
		}
		return name
	}
	short, long := receive(t, blobs, mediatest.PNG(20, 30)), receive(t, blobs, mediatest.PNG(200, 300))
	keep(original.Key, short, now.AddDate(0, 0, 7))
	name := keep(original.Key, long, now.AddDate(0, 0, 30))
	keep(original.Key, original, now.AddDate(0, 0, 7)) // the bytes of the asset itself
	keep(blob.Key{1}, short, now.AddDate(0, 0, 30))    // of an asset that was deleted
	c := &media.Collector{Store: store, Blobs: blobs}
	for _, step := range []struct {
		days    int
		blobs   int
		records int
	}{{6, 3, 3}, {9, 2, 1}, {25, 2, 1}} {
		left, _, err := c.Orphans(t.Context(), now.AddDate(0, 0, step.days))
		all, readErr := storage.Read(t.Context(), store.View, storage.Reader.AllMetadata)
		if err != nil || readErr != nil || left.Blobs != step.blobs || len(all) != step.records {
			t.Errorf("after %d days: %d blobs, %d records, %v, %v; want %d, %d", step.days, left.Blobs, len(all), err, readErr, step.blobs, step.records)
		}
	}
	if _, found, err := kept.Find(t.Context(), name, now); err != nil || !found {
		t.Errorf("found %v, %v", found, err)
	}
	if _, found, err := kept.Find(t.Context(), name, now.AddDate(0, 0, 30)); err != nil || found {
		t.Errorf("after its URL expired: found %v, %v", found, err)
	}
	update(func(tx storage.Tx) error { return tx.DeleteMediaAsset(ws, asset.ID) })
	if left, _, err := c.Orphans(t.Context(), now.AddDate(0, 0, 25)); err != nil || left.Blobs != 0 {
		t.Errorf("without the asset: %d blobs, %v", left.Blobs, err)
	}
}

// receive stores a file.
func receive(t *testing.T, blobs blob.Store, data []byte) *media.File {
	t.Helper()
	service := media.New(media.Config{Blobs: blobs})
	f, err := service.Receive(t.Context(), bytes.NewReader(data), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := service.Store(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	return f
}
