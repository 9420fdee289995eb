package api_test

import (
	"bytes"
	"context"
	"io"
	"mime"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/archive"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/bolt"
)

// newBackupFixture is a fixture on a file, with media. It returns the collector of the
// same daemon.
func newBackupFixture(t *testing.T) (*fixture, *media.Collector) {
	t.Helper()
	store, err := bolt.Open(filepath.Join(t.TempDir(), "schedctl.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := newLoneFixture(t, store)
	service := media.New(media.Config{Blobs: f.blobs})
	f.handler = api.New(api.Config{
		Store: store, Media: service, Signer: media.NewSigner([32]byte{}), Publishers: f.publishers, Connector: f.connector, Sealer: f.sealer,
	})
	return f, &media.Collector{Store: store, Blobs: f.blobs, Retention: service.Retention()}
}

// contents reads an archive.
func contents(t *testing.T, file []byte) (blobs map[string][]byte, lost map[string]archive.Result, m archive.Manifest) {
	t.Helper()
	blobs, lost = map[string][]byte{}, map[string]archive.Result{}
	m, err := archive.Read(t.Context(), bytes.NewReader(file), archive.Visitor{
		Blob: func(key blob.Key, r io.Reader, _ int64) (err error) {
			blobs[key.String()], err = io.ReadAll(r)
			return err
		},
		Lost: func(key blob.Key, how archive.Result) error { lost[key.String()] = how; return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return blobs, lost, m
}

func TestBackupHasMedia(t *testing.T) {
	t.Parallel()
	f, _ := newBackupFixture(t)
	picture, document := mediatest.PNG(3, 4), mediatest.PDF()
	one, two := f.upload(picture), f.upload(document)
	r := f.do(nil, "GET", "/backup", nil).want(200)
	_, params, err := mime.ParseMediaType(r.header.Get("Content-Disposition"))
	if err != nil || !strings.HasSuffix(params["filename"], ".tar") {
		t.Errorf("Content-Disposition: %s", r.header.Get("Content-Disposition"))
	}
	blobs, lost, m := contents(t, r.body)
	if !bytes.Equal(blobs[*one.SHA256], picture) || !bytes.Equal(blobs[*two.SHA256], document) || len(blobs) != 2 || len(lost) != 0 || m.Blobs.Files != 2 {
		t.Errorf("manifest %+v, lost %v", m, lost)
	}
	if r := f.do(nil, "GET", "/backup?media=false", nil).want(200); bytes.HasPrefix(r.body, []byte("schedctl.db")) {
		t.Error("media=false returns an archive")
	}
	f.do(nil, "GET", "/backup?media=perhaps", nil).want(400)

	// A file that is lost does not prevent the backup of the others.
	key, err := blob.ParseKey(*one.SHA256)
	if err == nil {
		err = f.blobs.Delete(t.Context(), key)
	}
	if err != nil {
		t.Fatal(err)
	}
	blobs, lost, m = contents(t, f.do(nil, "GET", "/backup", nil).want(200).body)
	if len(blobs) != 1 || lost[*one.SHA256] != archive.Missing || m.Missing != 1 {
		t.Errorf("manifest %+v, lost %v", m, lost)
	}
}

// TestBackupHoldsBlobs guards that no blob that a backup needs is deleted between the copy
// of the database and the copy of the blob.
func TestBackupHoldsBlobs(t *testing.T) {
	t.Parallel()
	f, collector := newBackupFixture(t)
	picture := f.upload(mediatest.PNG(3, 4))
	deleted := -1
	service := media.New(media.Config{Blobs: f.blobs})
	collector.Retention = service.Retention()
	store := &copiedMeanwhile{Store: collector.Store.(*bolt.Store), meanwhile: func() {
		// The asset is deleted while the database is copied, and its blob is old.
		f.do(nil, "DELETE", "/media/"+picture.ID, nil).want(204)
		_, n, err := collector.Orphans(t.Context(), time.Now().Add(48*time.Hour))
		if deleted = n; err != nil {
			t.Error(err)
		}
	}}
	f.handler = api.New(api.Config{
		Store: store, Media: service, Signer: media.NewSigner([32]byte{}), Publishers: f.publishers, Connector: f.connector, Sealer: f.sealer,
	})
	_, lost, m := contents(t, f.do(nil, "GET", "/backup", nil).want(200).body)
	if deleted != 0 || m.Blobs.Files != 1 || len(lost) != 0 {
		t.Errorf("%d deleted, manifest %+v", deleted, m)
	}
	if _, n, err := collector.Orphans(t.Context(), time.Now().Add(48*time.Hour)); n != 1 || err != nil {
		t.Errorf("after the backup: %d deleted, error %v", n, err)
	}
}

// copiedMeanwhile calls a function at the start of each copy.
type copiedMeanwhile struct {
	*bolt.Store
	meanwhile func()
}

// CopySnapshot implements [storage.SnapshotCopier].
func (c *copiedMeanwhile) CopySnapshot(ctx context.Context, open func(storage.Reader, int64) (io.Writer, error)) (int64, error) {
	return c.Store.CopySnapshot(ctx, func(r storage.Reader, size int64) (io.Writer, error) {
		w, err := open(r, size)
		c.meanwhile()
		return w, err
	})
}
