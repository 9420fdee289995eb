package api_test

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/storage/blob/dir"
	"github.com/schedctl/schedctl/storage/bolt"
)

// TestUnusedUploadsAreCollected guards that nothing remains of uploads that were cut off,
// not sent, not confirmed, reported as failed or not used: no asset, no blob and no
// temporary file. The file of a draft remains.
func TestUnusedUploadsAreCollected(t *testing.T) {
	t.Parallel()
	store, err := bolt.Open(filepath.Join(t.TempDir(), "schedctl.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "blobs")
	blobs, err := dir.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { blobs.Close() })
	f := newFixtureOn(t, store, func(c *api.Config) { c.Media = media.New(media.Config{Blobs: blobs}) })

	file := func(width int) []byte { return mediatest.PNG(width, 50) }
	f.do(cutAfter(100, io.ErrUnexpectedEOF), "POST", "/media", file(1)).refused(schedctl.MediaInvalid)
	f.announce(file(2))
	cut := f.announce(file(3))
	f.do(cutAfter(100, io.ErrUnexpectedEOF), "PUT", cut.path(), file(3)).refused(schedctl.MediaInvalid)
	f.do(nil, "PUT", f.announce(file(4)).path(), file(4)).want(204)
	failed := f.announce(file(5))
	f.do(nil, "PUT", failed.path(), file(5)).want(204)
	f.do(nil, "POST", "/media/"+failed.MediaAsset.ID+"/upload-failure", nil).want(200)
	f.upload(file(6))
	used := f.upload(file(7))
	f.do(nil, "POST", "/posts", body{"content": "a draft", "media_asset_ids": []string{used.ID}}).want(201)

	left := filepath.Join(path, "tmp", "spool-of-a-killed-daemon")
	if err := os.WriteFile(left, file(8), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(left, time.Time{}, time.Now().Add(-25*time.Hour)); err != nil {
		t.Fatal(err)
	}

	c := media.Collector{Store: store, Blobs: blobs}
	later := time.Now().Add(media.UnusedLife + time.Hour)
	if deleted, err := c.Assets(t.Context(), later); deleted != 5 || err != nil {
		t.Errorf("%d assets deleted, want 5, error %v", deleted, err)
	}
	if left, deleted, err := c.Orphans(t.Context(), later); deleted != 3 || left.Blobs != 1 || err != nil {
		t.Errorf("%d blobs deleted, want 3, left %+v, error %v", deleted, left, err)
	}
	var names []string
	err = filepath.WalkDir(path, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && e.Name() != "lock" {
			names = append(names, filepath.Base(path))
		}
		return err
	})
	if err != nil || len(names) != 1 || names[0] != *used.SHA256 {
		t.Errorf("files %q, want %s, error %v", names, *used.SHA256, err)
	}
	f.do(nil, "GET", "/media/"+used.ID+"/content", nil).want(200)
}
