package transfer_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/blob/dir"
	"github.com/schedctl/schedctl/storage/postgres"
	"github.com/schedctl/schedctl/storage/transfer"
)

// blobsOf returns the blob store of a database: its own, or a directory.
func blobsOf(t *testing.T, store storage.Store) blob.Store {
	t.Helper()
	var blobs blob.Store
	var err error
	if server, ok := store.(*postgres.Store); ok {
		blobs, err = server.Blobs(t.TempDir())
	} else {
		blobs, err = dir.Open(t.TempDir())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { blobs.Close() })
	return blobs
}

// putAssets puts ready assets with these bytes.
func putAssets(t *testing.T, store storage.Store, blobs blob.Store, files ...string) (keys []blob.Key) {
	t.Helper()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	ws := schedctl.Workspace{ID: schedctl.NewID(schedctl.WorkspacePrefix, now), Name: "one", CreatedAt: now}
	err := store.Update(t.Context(), func(tx storage.Tx) error { return tx.PutWorkspace(ws) })
	for _, file := range files {
		if err != nil {
			break
		}
		var spool *blob.Spool
		if spool, err = blobs.Spool(); err != nil {
			break
		}
		defer spool.Close()
		_, _ = io.WriteString(spool, file)
		if _, err = blobs.Put(t.Context(), spool); err != nil {
			break
		}
		keys = append(keys, spool.Key())
		a := schedctl.MediaAsset{
			ID: schedctl.NewID(schedctl.MediaPrefix, now), WorkspaceID: ws.ID, FileName: file, MIMEType: "image/png", Size: spool.Size(), SHA256: spool.Key(),
			Status: schedctl.MediaReady, CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(time.Hour),
		}
		err = store.Update(t.Context(), func(tx storage.Tx) error { return tx.PutMediaAsset(a) })
	}
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func withBlobs(from, to blob.Store) transfer.Options {
	o := options()
	o.Blobs = func(context.Context) (blob.Store, blob.Store, error) { return from, to, nil }
	return o
}

func TestBlobsAreCopiedToAServerAndBack(t *testing.T) {
	t.Parallel()
	first, server, last := openFile(t), openServer(t), openFile(t)
	at := map[storage.Store]blob.Store{first: blobsOf(t, first), server: blobsOf(t, server), last: blobsOf(t, last)}
	keys := putAssets(t, first, at[first], "a cat", "a dog")
	for _, step := range []struct{ from, to storage.Store }{{first, server}, {server, last}} {
		report, err := transfer.Run(t.Context(), step.from, step.to, withBlobs(at[step.from], at[step.to]))
		if want := (transfer.Media{Files: 2, Bytes: 10, Copied: 2}); err != nil || report.Media != want {
			t.Fatalf("report %+v, error %v", report.Media, err)
		}
		for _, key := range keys {
			if err := blob.Verify(t.Context(), at[step.to], key); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestCopyResumesItsBlobs guards that an interrupted copy does not copy a blob again, and
// that no record is copied before all blobs are.
func TestCopyResumesItsBlobs(t *testing.T) {
	t.Parallel()
	from, to := openFile(t), openFile(t)
	source, target := blobsOf(t, from), blobsOf(t, to)
	putAssets(t, from, source, "one", "two", "three")
	ctx, cancel := context.WithCancel(t.Context())
	o := withBlobs(source, target)
	o.Progress = func(phase transfer.Phase, done, _ int) {
		if phase == transfer.Copying {
			t.Error("records are copied before the blobs")
		}
		if phase == transfer.CopyingFiles && done == 2 {
			cancel()
		}
	}
	if _, err := transfer.Run(ctx, from, to, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	report, err := transfer.Run(t.Context(), from, to, withBlobs(source, target))
	if want := (transfer.Media{Files: 3, Bytes: 11, Copied: 1}); err != nil || report.Media != want || !report.Resumed {
		t.Errorf("report %+v, error %v", report, err)
	}
}

// TestCopyWithLostBlobs guards that a copy does not silently leave out files.
func TestCopyWithLostBlobs(t *testing.T) {
	t.Parallel()
	from, to := openFile(t), openFile(t)
	source := blobsOf(t, from)
	keys := putAssets(t, from, source, "one", "two")
	if err := source.Delete(t.Context(), keys[0]); err != nil {
		t.Fatal(err)
	}
	for _, target := range []blob.Store{blobsOf(t, to), source} {
		var lost *transfer.LostError
		if _, err := transfer.Run(t.Context(), from, to, withBlobs(source, target)); !errors.As(err, &lost) || lost.Lost != 1 || lost.Required != 2 || lost.First != keys[0] {
			t.Errorf("error %v", err)
		}
	}
	o := withBlobs(source, source)
	o.SkipLost = true
	report, err := transfer.Run(t.Context(), from, to, o)
	if want := (transfer.Media{Files: 1, Bytes: 3, Lost: 1}); err != nil || report.Media != want {
		t.Errorf("report %+v, error %v", report.Media, err)
	}
}
