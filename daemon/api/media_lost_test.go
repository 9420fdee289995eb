package api_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/storage/blob/dir"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// TestLostContentIsRefused guards that a file with missing or too few bytes is not served,
// and that clients do not wait for it: only a person can bring it back. The same applies
// to backups of a database that has its own.
func TestLostContentIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "blobs")
	blobs, err := dir.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { blobs.Close() })
	f := newFixtureOn(t, storagetest.NewMemory(), func(c *api.Config) { c.Media = media.New(media.Config{Blobs: blobs}) })
	missing, short := f.upload(mediatest.PNG(3, 4)), f.upload(mediatest.PNG(5, 6))
	file := func(sha256 string) string { return filepath.Join(path, sha256[:2], sha256) }
	if err := os.Remove(file(*missing.SHA256)); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file(*short.SHA256), short.SizeBytes-1); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/media/" + missing.ID + "/content", "/media/" + short.ID + "/content", "/backup"} {
		r := f.do(nil, "GET", path, nil)
		r.refused(schedctl.Unavailable)
		if after := r.header.Get("Retry-After"); after != "" {
			t.Errorf("%s: Retry-After: %s", path, after)
		}
	}
}
