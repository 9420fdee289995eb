package media_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/blob/dir"
	"github.com/schedctl/schedctl/storage/storagetest"
)

func TestCollector(t *testing.T) {
	t.Parallel()
	blobs, err := dir.Open(filepath.Join(t.TempDir(), "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	defer blobs.Close()
	store := storagetest.NewMemory()
	defer store.Close()
	testCollector(t, store, blobs)
}

// testCollector checks that a draft keeps its asset, that unused assets go when they
// expire, and their blobs a day after they were stored.
func testCollector(t *testing.T, store storage.Store, blobs blob.Store) {
	t.Helper()
	now := schedctl.Millis(time.Now())
	ws := schedctl.NewID(schedctl.WorkspacePrefix, now)
	service := media.New(media.Config{Blobs: blobs})
	put := func(file []byte) schedctl.MediaAsset {
		f, err := service.Receive(t.Context(), bytes.NewReader(file), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := service.Store(t.Context(), f); err != nil {
			t.Fatal(err)
		}
		a := f.Asset()
		a.ID, a.WorkspaceID, a.Status, a.ExpiresAt = schedctl.NewID(schedctl.MediaPrefix, now), ws, schedctl.MediaReady, now.Add(media.UnusedLife)
		a.CreatedAt, a.UpdatedAt = now, now
		if err := store.Update(t.Context(), func(tx storage.Tx) error { return tx.PutMediaAsset(a) }); err != nil {
			t.Fatal(err)
		}
		return a
	}
	unused, used := put(mediatest.PNG(2, 3)), put(mediatest.PNG(3, 2))
	post, _, err := schedctl.Create(schedctl.NewPost{WorkspaceID: ws, Content: schedctl.Content{Media: []schedctl.PostMedia{{AssetID: used.ID, SHA256: used.SHA256}}}}, now)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Update(t.Context(), func(tx storage.Tx) error { return tx.PutPost(post) }); err != nil {
		t.Fatal(err)
	}
	c := media.Collector{Store: store, Blobs: blobs}
	if n, err := c.Assets(t.Context(), now); n != 0 || err != nil {
		t.Errorf("before the expiry: %d deleted, %v", n, err)
	}
	later := now.Add(media.UnusedLife + time.Hour)
	if n, err := c.Assets(t.Context(), later); n != 1 || err != nil {
		t.Errorf("after the expiry: %d deleted, %v", n, err)
	}
	if err := store.View(t.Context(), func(r storage.Reader) error {
		kept, err := r.MediaAsset(ws, used.ID)
		if !kept.ExpiresAt.Equal(later.Add(24 * time.Hour)) {
			t.Errorf("the asset of a draft expires at %s", kept.ExpiresAt)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	if n, err := c.Assets(t.Context(), later); n != 0 || err != nil {
		t.Errorf("again after the expiry: %d deleted, %v", n, err)
	}
	if left, n, err := c.Orphans(t.Context(), now); left.Blobs != 2 || n != 0 || err != nil {
		t.Errorf("fresh blobs: %+v left, %d deleted, %v", left, n, err)
	}
	left, n, err := c.Orphans(t.Context(), later)
	if left.Blobs != 1 || left.Bytes != used.Size || n != 1 || err != nil {
		t.Errorf("old blobs: %+v left, %d deleted, %v", left, n, err)
	}
	if _, err := blobs.Stat(t.Context(), unused.SHA256); err == nil {
		t.Error("the blob of the deleted asset is still there")
	}
}

// A series keeps the files of its template until it ends.
func TestSeriesKeepsItsFiles(t *testing.T) {
	t.Parallel()
	store, now := storagetest.NewMemory(), schedctl.Millis(time.Now())
	ws := schedctl.NewID(schedctl.WorkspacePrefix, now)
	a := schedctl.MediaAsset{ID: schedctl.NewID(schedctl.MediaPrefix, now), WorkspaceID: ws, Status: schedctl.MediaReady, ExpiresAt: now}
	s := schedctl.Series{ID: schedctl.NewID(schedctl.SeriesPrefix, now), WorkspaceID: ws}
	s.Template.Media = []schedctl.PostMedia{{AssetID: a.ID}}
	c := media.Collector{Store: store}
	for _, state := range schedctl.SeriesStates() {
		s.State = state
		err := store.Update(t.Context(), func(tx storage.Tx) error {
			if err := errors.Join(tx.PutMediaAsset(a), tx.PutSeries(s)); err != nil {
				return err
			}
			until, err := c.NeededUntil(tx, &a, now)
			if until.After(now) != (state != schedctl.SeriesEnded) {
				t.Errorf("the file of a series that is %s is needed until %s", state, until)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// A published post keeps its files for as long as the collector says.
func TestKeepAfterPublishing(t *testing.T) {
	t.Parallel()
	store := storagetest.NewMemory()
	defer store.Close()
	now := schedctl.Millis(time.Now())
	ws := schedctl.NewID(schedctl.WorkspacePrefix, now)
	a := schedctl.MediaAsset{
		ID: schedctl.NewID(schedctl.MediaPrefix, now), WorkspaceID: ws, FileName: "cat.png", MIMEType: "image/png", Size: 1, SHA256: [32]byte{1},
		Status: schedctl.MediaReady, CreatedAt: now, UpdatedAt: now, ExpiresAt: now,
	}
	account := schedctl.Account{ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: ws, Platform: "http", Status: schedctl.AccountConnected}
	post, _, err := schedctl.Create(schedctl.NewPost{WorkspaceID: ws, Accounts: []schedctl.Account{account}, Content: schedctl.Content{Media: []schedctl.PostMedia{{AssetID: a.ID, SHA256: a.SHA256}}}, Now: true}, now)
	if err != nil {
		t.Fatal(err)
	}
	post.Targets[0].Status, post.Targets[0].PublishedAt = schedctl.Published, now
	if err := store.Update(t.Context(), func(tx storage.Tx) error { return errors.Join(tx.PutMediaAsset(a), tx.PutPost(post)) }); err != nil {
		t.Fatal(err)
	}
	for used, want := range map[time.Duration]time.Duration{0: media.UsedLife, 60 * 24 * time.Hour: 60 * 24 * time.Hour} {
		c := media.Collector{Store: store, Used: used}
		if err := store.View(t.Context(), func(r storage.Reader) error {
			until, err := c.NeededUntil(r, &a, now.Add(time.Hour))
			if !until.Equal(now.Add(want)) {
				t.Errorf("kept until %s, want %s", until, now.Add(want))
			}
			return err
		}); err != nil {
			t.Error(err)
		}
	}
}

func TestSigner(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := media.NewSigner([32]byte{1})
	c := media.Capability{
		Action: media.ActionUpload, WorkspaceID: schedctl.NewID(schedctl.WorkspacePrefix, now),
		AssetID: schedctl.NewID(schedctl.MediaPrefix, now), KeyID: schedctl.NewID(schedctl.KeyPrefix, now), Expires: now.Add(time.Hour).UTC().Truncate(time.Second),
	}
	token := s.Sign(c)
	if got, err := s.Verify(token, media.ActionUpload, now); err != nil || got != c {
		t.Errorf("%+v, %v", got, err)
	}
	for name, err := range map[string]error{
		"expired": verify(s, token, media.ActionUpload, now.Add(2*time.Hour)), "another action": verify(s, token, media.ActionDownload, now),
		"another key": verify(media.NewSigner([32]byte{2}), token, media.ActionUpload, now), "cut": verify(s, token[:len(token)-4], media.ActionUpload, now),
	} {
		if schedctl.CodeOf(err) != schedctl.UploadURLInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func verify(s *media.Signer, token string, action media.Action, now time.Time) error {
	_, err := s.Verify(token, action, now)
	return err
}
