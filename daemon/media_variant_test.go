package daemon

import (
	"context"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/publish/feed"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
)

// openCounter counts the blobs that are opened and put.
type openCounter struct {
	blob.Store
	opens, puts atomic.Int64
}

func (c *openCounter) Open(ctx context.Context, key blob.Key) (blob.Reader, error) {
	c.opens.Add(1)
	return c.Store.Open(ctx, key)
}

func (c *openCounter) Put(ctx context.Context, s *blob.Spool) (blob.Info, error) {
	c.puts.Add(1)
	return c.Store.Put(ctx, s)
}

// countBlobs makes the source count what it opens and puts.
func countBlobs(s *mediaSource) *openCounter {
	c := &openCounter{Store: s.blobs}
	s.blobs, s.variants.Blobs = c, c
	return c
}

// A variant is converted when its URL is made, and never for a request: also after a
// restart, and not for requests at the same time.
func TestVariantsAreConvertedOnce(t *testing.T) {
	t.Parallel()
	s, a, _ := storedMedia(t, mediatest.PNG(400, 300), "image/png")
	counter := countBlobs(s)
	url, err := s.Link(t.Context(), a, "instagram")
	if err != nil || counter.puts.Load() != 1 {
		t.Fatalf("Link: %d conversions, %v", counter.puts.Load(), err)
	}
	path := strings.TrimPrefix(url, "https://daemon.example")
	restarted := newMediaSource(s.store, s.blobs, s.fitter, s.signer, s.publishers, s.publicURL)
	for _, source := range []*mediaSource{s, restarted} {
		links, _ := servedMedia(source)
		for _, header := range [][]string{nil, {"Range", "bytes=0-0"}, {"If-None-Match", `"x"`}} {
			if w := get(links, path, header...); w.Code != 200 && w.Code != 206 {
				t.Errorf("%v: got %d", header, w.Code)
			}
		}
		head := httptest.NewRecorder()
		links.ServeHTTP(head, httptest.NewRequest(http.MethodHead, path, nil))
		if head.Code != 200 || head.Header().Get("Content-Type") != "image/jpeg" || head.Header().Get("Content-Length") == "" {
			t.Errorf("HEAD: %d, %v", head.Code, head.Header())
		}
	}
	if _, err := s.Link(t.Context(), a, "instagram"); err != nil || counter.puts.Load() != 1 {
		t.Errorf("%d conversions, want 1; %v", counter.puts.Load(), err)
	}
}

// A variant that is missing, as after a restore, is converted once for all requests.
func TestMissingVariantsAreConvertedOnce(t *testing.T) {
	t.Parallel()
	s, a, _ := storedMedia(t, mediatest.PNG(400, 300), "image/png")
	counter := countBlobs(s)
	links, _ := servedMedia(s)
	path := mediaLinkPath + s.signer.Sign(media.Capability{
		Action: media.ActionVariant, WorkspaceID: a.WorkspaceID, AssetID: a.ID, Platform: "instagram", Expires: time.Now().Add(time.Hour),
	})
	var requests sync.WaitGroup
	for range 20 {
		requests.Go(func() {
			if w := get(links, path); w.Code != 200 {
				t.Errorf("got %d", w.Code)
			}
		})
	}
	requests.Wait()
	if n := counter.puts.Load(); n != 1 {
		t.Errorf("%d conversions, want 1", n)
	}
	name := media.NewVariantName(a.SHA256, media.Target(instagramImages()))
	v, found, err := s.variants.Find(t.Context(), name, time.Now())
	if err != nil || !found {
		t.Fatalf("kept: %v, %v", found, err)
	}
	if err := s.blobs.Delete(t.Context(), v.Key); err != nil {
		t.Fatal(err)
	}
	if w := get(links, path); w.Code != 200 || counter.puts.Load() != 2 {
		t.Errorf("without the blob: %d, %d conversions", w.Code, counter.puts.Load())
	}
}

// A file that cannot be made to fit is not tried again at every request.
func TestUnfitVariantsAreTriedOnce(t *testing.T) {
	t.Parallel()
	s, a, _ := storedMedia(t, mediatest.PNG(40, 4000), "image/png") // too narrow for Instagram
	counter := countBlobs(s)
	links, _ := servedMedia(s)
	path := mediaLinkPath + s.signer.Sign(media.Capability{
		Action: media.ActionVariant, WorkspaceID: a.WorkspaceID, AssetID: a.ID, Platform: "instagram", Expires: time.Now().Add(time.Hour),
	})
	for range 3 {
		if w := get(links, path); w.Code != 404 {
			t.Errorf("got %d, want 404", w.Code)
		}
	}
	if n := counter.opens.Load(); n != 1 {
		t.Errorf("the original was read %d times, want 1", n)
	}
	if _, err := s.Link(t.Context(), a, "instagram"); err == nil || counter.opens.Load() != 2 {
		t.Errorf("a post gets no new attempt: %v", err)
	}
}

// A client that has the file gets 304, and no byte of the file is read.
func TestUnmodifiedMediaIsNotOpened(t *testing.T) {
	t.Parallel()
	s, a, _ := storedMedia(t, mediatest.JPEGWithMetadata(400, 300, 6), "image/jpeg")
	counter := countBlobs(s)
	links, feeds := servedMedia(s)
	target := putEntry(t, s, a, "news")
	url, err := s.Link(t.Context(), a, "")
	if err != nil {
		t.Fatal(err)
	}
	for h, path := range map[http.Handler]string{
		links: strings.TrimPrefix(url, "https://daemon.example"), feeds: "/feeds/news/media/" + target.ID + "-" + a.ID + ".jpg",
	} {
		etag := get(h, path).Header().Get("ETag")
		before := counter.opens.Load()
		if w := get(h, path, "If-None-Match", etag); w.Code != 304 || w.Body.Len() > 0 || w.Header().Get("ETag") != etag || counter.opens.Load() != before {
			t.Errorf("%s: %d, %d bytes, opened %d times", path, w.Code, w.Body.Len(), counter.opens.Load()-before)
		}
	}
}

// A page of a feed has fewer entries if their texts are long, and no entry is lost.
func TestFeedPagesHaveABound(t *testing.T) {
	t.Parallel()
	s, a, _ := storedMedia(t, mediatest.PNG(4, 3), "image/png")
	_, feeds := servedMedia(s)
	putEntry(t, s, a, "news")
	var account schedctl.Account
	err := s.store.View(t.Context(), func(r storage.Reader) (err error) {
		account, err = r.Feed("news")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	const entries = 70
	text := strings.Repeat("x", feed.PageBytes/10)
	for range entries - 1 {
		now := schedctl.Millis(time.Now())
		post := schedctl.Post{ID: schedctl.NewID(schedctl.PostPrefix, now), WorkspaceID: a.WorkspaceID, Content: schedctl.Content{Text: text}, CreatedAt: now, UpdatedAt: now}
		post.Targets = []schedctl.Target{{ID: schedctl.NewID(schedctl.TargetPrefix, now), AccountID: account.ID, Platform: "feed", Status: schedctl.Published, PublishedAt: now}}
		if err := s.store.Update(t.Context(), func(tx storage.Tx) error { return tx.PutPost(post) }); err != nil {
			t.Fatal(err)
		}
	}
	seen := 0
	for path := "/feeds/news.atom"; path != ""; {
		w := get(feeds, path)
		n := strings.Count(w.Body.String(), "<entry>")
		if seen += n; n == 0 || w.Body.Len() > 2*feed.PageBytes {
			t.Fatalf("%s: %d entries, %d bytes", path, n, w.Body.Len())
		}
		path = ""
		if next := regexp.MustCompile(`rel="next" type="[^"]*" href="https://daemon.example([^"]*)"`).FindStringSubmatch(w.Body.String()); next != nil {
			path = next[1]
		}
	}
	if seen != entries {
		t.Errorf("%d entries, want %d", seen, entries)
	}
}

// TestThumbnails guards that the picture of a post in a calendar is small, also if the
// original is not.
func TestThumbnails(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{1200, 400}, {40, 1200}, {10, 10}} {
		s, a, _ := storedMedia(t, mediatest.PNG(size[0], size[1]), "image/png")
		links, _ := servedMedia(s)
		w := get(links, mediaLinkPath+s.signer.Sign(media.Capability{
			Action: media.ActionVariant, WorkspaceID: a.WorkspaceID, AssetID: a.ID, Platform: media.Thumbnail, Expires: time.Now().Add(time.Hour),
		}))
		picture, _, err := image.DecodeConfig(w.Body)
		if w.Code != 200 || err != nil || max(picture.Width, picture.Height) != min(240, max(size[0], size[1])) {
			t.Errorf("%v: %d, %d × %d, %v", size, w.Code, picture.Width, picture.Height, err)
		}
	}
}
