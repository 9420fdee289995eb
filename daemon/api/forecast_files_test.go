package api_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/blob/dir"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// countedBlobs counts lookups, which can fail, and fails the test if bytes are read.
type countedBlobs struct {
	blob.Store
	t       *testing.T
	lookups atomic.Int32
	fails   atomic.Bool
	strict  atomic.Bool
}

func (b *countedBlobs) Stat(ctx context.Context, key blob.Key) (blob.Info, error) {
	b.lookups.Add(1)
	if b.fails.Load() {
		return blob.Info{}, errors.New("the store is out of reach")
	}
	return b.Store.Stat(ctx, key)
}

func (b *countedBlobs) Open(ctx context.Context, key blob.Key) (blob.Reader, error) {
	if b.strict.Load() {
		b.t.Error("a forecast reads a file")
	}
	return b.Store.Open(ctx, key)
}

func withBlobs(t *testing.T) (*fixture, *countedBlobs) {
	t.Helper()
	opened, err := dir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	blobs := &countedBlobs{Store: opened, t: t}
	return newPictureFixture(t, storagetest.NewMemory(), func(c *api.Config) { c.Media = media.New(media.Config{Blobs: blobs}) }), blobs
}

// TestForecastFindsLostFiles deletes the bytes of a file that posts need. The forecast names
// it, reads no bytes, and says that it is not complete if it cannot look.
func TestForecastFindsLostFiles(t *testing.T) {
	t.Parallel()
	f, blobs := withBlobs(t)
	kept, lost := f.upload(mediatest.PNG(3, 4)), f.upload(mediatest.PNG(5, 6))
	var ids []string
	for i, id := range []string{kept.ID, lost.ID, lost.ID} {
		at := in(time.Duration(24*(i+1)) * time.Hour)
		ids = append(ids, f.create(body{"content": "with a file " + at, "social_account_ids": []string{f.mine.account}, "publish_at": at, "media": []body{{"id": id}}}).ID)
	}
	blobs.strict.Store(true)
	blobs.lookups.Store(0)
	if got := f.forecast(nil, ""); got.Count != 0 || got.Truncated || blobs.lookups.Load() != 2 {
		t.Fatalf("before, after %d lookups: %+v", blobs.lookups.Load(), got)
	}
	key, err := blob.ParseKey(*lost.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	if err := blobs.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	got := f.forecast(nil, "")
	if got.Count != 2 || got.Truncated {
		t.Fatalf("after: %+v", got)
	}
	for i, e := range got.Results {
		if want := ids[i+1]; e.Kind != apiv1.ForecastRefused || !slices.Equal(e.PostIDs, []string{want}) || e.Command != "schedctl post edit "+want+" --media FILE" ||
			!strings.Contains(e.Message, "the daemon has lost the bytes of the file") {
			t.Errorf("entry %d: %+v", i, e)
		}
	}
	blobs.fails.Store(true)
	blobs.lookups.Store(0)
	if got := f.forecast(nil, ""); got.Count != 0 || !got.Truncated || blobs.lookups.Load() != 1 {
		t.Errorf("without the store, after %d lookups: %+v", blobs.lookups.Load(), got)
	}
}

// TestForecastLooksForFewFiles limits how many files a forecast looks for.
func TestForecastLooksForFewFiles(t *testing.T) {
	t.Parallel()
	f, blobs := withBlobs(t)
	now := schedctl.Millis(time.Now())
	f.update(func(tx storage.Tx) error {
		for n := range 250 {
			asset := schedctl.MediaAsset{
				ID: schedctl.NewID(schedctl.MediaPrefix, now), WorkspaceID: f.mine.workspace, Status: schedctl.MediaReady, MIMEType: "image/png",
				Size: 5, SHA256: [32]byte{byte(n), 1}, Width: 3, Height: 4, CreatedAt: now, UpdatedAt: now,
			}
			at := now.Add(time.Duration(n+60) * time.Minute)
			err := errors.Join(tx.PutMediaAsset(asset), tx.PutPost(schedctl.Post{
				ID: schedctl.NewID(schedctl.PostPrefix, now), WorkspaceID: f.mine.workspace, PublishAt: at, CreatedAt: now, UpdatedAt: now, Version: 1,
				Content: schedctl.Content{Text: at.String(), Media: []schedctl.PostMedia{{AssetID: asset.ID}}},
				Targets: []schedctl.Target{{ID: schedctl.NewID(schedctl.TargetPrefix, now), AccountID: f.mine.account, Platform: "fake", Status: schedctl.Scheduled, PublishAt: at}},
			}))
			if err != nil {
				return err
			}
		}
		return nil
	})
	got := f.forecast(nil, "")
	lost := 0
	for _, e := range got.Results {
		if strings.Contains(e.Message, "has lost the bytes of the file") {
			lost++
		}
	}
	if blobs.lookups.Load() != 200 || lost != 200 || got.Truncated {
		t.Errorf("%d lookups, %d lost files, truncated %v, %+v", blobs.lookups.Load(), lost, got.Truncated, got.Results[249])
	}
}

// TestForecastOfWarnings lists a post with files, and the occurrences of a series, whose
// account must not publish them.
func TestForecastOfWarnings(t *testing.T) {
	t.Parallel()
	f := newPictureFixture(t, storagetest.NewMemory())
	f.at(time.Hour, "only text", f.mine.account)
	file := f.upload(mediatest.PNG(3, 4))
	id := f.create(body{"content": "with a file", "social_account_ids": []string{f.mine.account}, "publish_at": in(2 * time.Hour), "media": []body{{"id": file.ID}}}).ID
	warn := func(text string) apiv1.ForecastList {
		f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Warnings = []string{text} })
		return f.forecast(nil, "")
	}
	if got := warn("a hint"); got.Count != 0 {
		t.Errorf("a hint: %+v", got.Results)
	}
	if got := warn("no files"); got.Count != 1 || got.Results[0].Kind != apiv1.ForecastAccountWarning || !slices.Equal(got.Results[0].PostIDs, []string{id}) {
		t.Errorf("a warning about files: %+v", got.Results)
	}
	if got := warn("no posts"); got.Count != 1 || got.Results[0].PostCount != 2 {
		t.Errorf("a warning about posts: %+v", got.Results)
	}
	f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Status = schedctl.AccountError })
	if got := f.forecast(nil, ""); got.Count != 1 || got.Results[0].Kind != apiv1.ForecastAccountError {
		t.Errorf("the warning repeats what another entry says: %+v", got.Results)
	}
}

// TestForecastOfExpiredKey lists no posts of keys that expire before their time: they are
// published as others are, and nobody withdrew the key.
func TestForecastOfExpiredKey(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	secret := f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.ExpiresAt = schedctl.Millis(time.Now().Add(time.Hour)) })
	f.do(as(secret), "POST", "/posts", body{"content": "one", "social_account_ids": []string{f.mine.account}, "publish_at": in(48 * time.Hour)}).want(201)
	if got := f.forecast(nil, ""); got.Count != 0 {
		t.Errorf("the forecast has %+v", got.Results)
	}
}
