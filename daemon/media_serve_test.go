package daemon

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/feed"
	"github.com/schedctl/schedctl/daemon/publish/instagram"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/storage"
)

func get(h http.Handler, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// servedMedia returns the handlers of the files of a source.
func servedMedia(s *mediaSource) (links, feeds http.Handler) {
	readers, files, log := storage.NewReaders(s.store), media.New(media.Config{Blobs: s.blobs}), slog.New(slog.DiscardHandler)
	return &mediaLinks{readers, files, s, log}, feed.Handler(feedSource{readers, files}, s.publicURL, log)
}

// checkServed checks that a response has the file without metadata and can never run in
// the origin of the daemon.
func checkServed(t *testing.T, w *httptest.ResponseRecorder, original []byte, header map[string]string) {
	t.Helper()
	if w.Code != 200 || w.Body.Len() == 0 || bytes.Contains(w.Body.Bytes(), []byte("CamMake")) || bytes.Equal(w.Body.Bytes(), original) {
		t.Errorf("status %d, %d bytes; want the file without metadata", w.Code, w.Body.Len())
	}
	for name, want := range header {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Header().Get("Content-Security-Policy") != "sandbox; default-src 'none'" {
		t.Errorf("headers %v", w.Header())
	}
}

// A signed URL shows the bytes that the payload of the http platform describes.
func TestMediaLinks(t *testing.T) {
	t.Parallel()
	original := mediatest.JPEGWithMetadata(400, 300, 6)
	s, a, _ := storedMedia(t, original, "image/jpeg")
	links, _ := servedMedia(s)
	url, err := s.Link(t.Context(), a, "")
	if err != nil {
		t.Fatal(err)
	}
	path := strings.TrimPrefix(url, "https://daemon.example")
	w := get(links, path)
	checkServed(t, w, original, map[string]string{"Content-Type": "image/jpeg", "Content-Disposition": "attachment; filename=a", "Cache-Control": "private, max-age=31536000, immutable"})
	fitted, err := s.Fit(t.Context(), a, publish.ClassRules{})
	if err != nil {
		t.Fatal(err)
	}
	defer fitted.Close()
	if sha256.Sum256(w.Body.Bytes()) != fitted.SHA256 {
		t.Error("the URL shows other bytes than the payload describes")
	}
	if part := get(links, path, "Range", "bytes=100-199"); part.Code != 206 || !bytes.Equal(part.Body.Bytes(), w.Body.Bytes()[100:200]) {
		t.Errorf("a range: got %d, %d bytes", part.Code, part.Body.Len())
	}
	expired := s.signer.Sign(media.Capability{Action: media.ActionDownload, WorkspaceID: a.WorkspaceID, AssetID: a.ID, Expires: time.Now().Add(-time.Second)})
	upload := s.signer.Sign(media.Capability{Action: media.ActionUpload, WorkspaceID: a.WorkspaceID, AssetID: a.ID, Expires: time.Now().Add(time.Hour)})
	for _, token := range []string{expired, upload, "", "x", path[len(mediaLinkPath):] + "A"} {
		if w := get(links, mediaLinkPath+token); w.Code != 403 {
			t.Errorf("%q: got %d, want 403", token, w.Code)
		}
	}
	a.Status = schedctl.MediaDeleted
	putAsset(t, s, a)
	if w := get(links, path); w.Code != 404 {
		t.Errorf("a deleted asset: got %d, want 404", w.Code)
	}
}

// A network that fetches files gets them as it takes them: Instagram takes only JPEG.
func TestMediaLinksOfVariants(t *testing.T) {
	t.Parallel()
	original := mediatest.PNG(400, 300)
	s, a, _ := storedMedia(t, original, "image/png")
	links, _ := servedMedia(s)
	url, err := s.Link(t.Context(), a, "instagram")
	if err != nil {
		t.Fatal(err)
	}
	path := strings.TrimPrefix(url, "https://daemon.example")
	w := get(links, path)
	checkServed(t, w, original, map[string]string{"Content-Type": "image/jpeg", "Content-Disposition": "attachment; filename=a.jpg"})
	fitted, err := s.Fit(t.Context(), a, instagramImages())
	if err != nil {
		t.Fatal(err)
	}
	defer fitted.Close()
	if sha256.Sum256(w.Body.Bytes()) != fitted.SHA256 || fitted.MIMEType != "image/jpeg" {
		t.Error("the URL shows other bytes than Fit returns")
	}
	if part := get(links, path, "Range", "bytes=100-199"); part.Code != 206 || !bytes.Equal(part.Body.Bytes(), w.Body.Bytes()[100:200]) {
		t.Errorf("a range: got %d, %d bytes", part.Code, part.Body.Len())
	}
	if _, err := s.Link(t.Context(), a, "nowhere"); publish.AsError(err).Code != "unsupported" {
		t.Errorf("a platform that does not exist: %v", err)
	}
	a.MIMEType, a.Duration = "image/gif", time.Second
	putAsset(t, s, a) // Instagram takes no moving GIFs
	if w := get(links, path); w.Code != 404 {
		t.Errorf("got %d, %s", w.Code, w.Header())
	}
}

// instagramImages returns the limits of pictures of Instagram.
func instagramImages() publish.ClassRules {
	return instagram.New(nil, outbound.PublicOnly, "test", "https://daemon.example").MediaRules(schedctl.Account{}).Classes[schedctl.MediaImage]
}

func putAsset(t *testing.T, s *mediaSource, a schedctl.MediaAsset) {
	t.Helper()
	if err := s.store.Update(t.Context(), func(tx storage.Tx) error { return tx.PutMediaAsset(a) }); err != nil {
		t.Fatal(err)
	}
}

// putEntry publishes a post with the asset to a feed.
func putEntry(t *testing.T, s *mediaSource, a schedctl.MediaAsset, name string) schedctl.Target {
	t.Helper()
	now := schedctl.Millis(time.Now())
	account := schedctl.Account{
		ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: a.WorkspaceID, Platform: "feed", Name: name, Status: schedctl.AccountConnected, CreatedAt: now,
	}
	post := schedctl.Post{
		ID: schedctl.NewID(schedctl.PostPrefix, now), WorkspaceID: a.WorkspaceID, Content: schedctl.Content{Text: "With a file", Media: []schedctl.PostMedia{{AssetID: a.ID, SHA256: a.SHA256, AltText: "A picture", HasAltText: true}}}, CreatedAt: now, UpdatedAt: now,
	}
	post.Targets = []schedctl.Target{{
		ID: schedctl.NewID(schedctl.TargetPrefix, now), AccountID: account.ID, Platform: "feed", Status: schedctl.Published, PublishedAt: now,
	}}
	err := s.store.Update(t.Context(), func(tx storage.Tx) error {
		if err := tx.PutAccount(account); err != nil {
			return err
		}
		return tx.PutPost(post)
	})
	if err != nil {
		t.Fatal(err)
	}
	return post.Targets[0]
}

// The files of a feed are public as long as it shows the entry, also after the asset was
// deleted.
func TestFeedMedia(t *testing.T) {
	t.Parallel()
	original := mediatest.JPEGWithMetadata(400, 300, 6)
	s, a, root := storedMedia(t, original, "image/jpeg")
	_, feeds := servedMedia(s)
	putEntry(t, s, a, "news")
	document := get(feeds, "/feeds/news.atom").Body.String()
	enclosure := regexp.MustCompile(`rel="enclosure" type="image/jpeg" title="A picture" href="https://daemon.example(/feeds/news/media/[^"]*)"`).FindStringSubmatch(document)
	if enclosure == nil {
		t.Fatalf("no enclosure in %s", document)
	}
	header := map[string]string{
		"Content-Type": "image/jpeg", "Content-Disposition": "inline; filename=a", "Cache-Control": "public, max-age=31536000, immutable",
		"Etag": fmt.Sprintf(`"%x"`, a.SHA256),
	}
	w := get(feeds, enclosure[1])
	checkServed(t, w, original, header)
	if again := get(feeds, enclosure[1], "If-None-Match", w.Header().Get("Etag")); again.Code != 304 {
		t.Errorf("a repeated request: got %d, want 304", again.Code)
	}
	a.Status = schedctl.MediaDeleted
	putAsset(t, s, a)
	checkServed(t, get(feeds, enclosure[1]), original, header)
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			err = os.Remove(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if w := get(feeds, enclosure[1]); w.Code != 404 {
		t.Errorf("without the blob: got %d, want 404", w.Code)
	}
}

// A file that was stored before its number of parts was limited is served up to 30,000
// pieces of metadata. Beyond that, the response says why it is not.
func TestServeManyParts(t *testing.T) {
	t.Parallel()
	for pieces, want := range map[int]int{29_000: 200, 31_000: 422} {
		data := append(mediatest.MP4(2000), strings.Repeat("\x00\x00\x00\x09free.", pieces)...)
		s, a, _ := storedMedia(t, data, "video/mp4")
		links, feeds := servedMedia(s)
		target := putEntry(t, s, a, "news")
		url, err := s.Link(t.Context(), a, "")
		if err != nil {
			t.Fatal(err)
		}
		for name, w := range map[string]*httptest.ResponseRecorder{
			"link": get(links, strings.TrimPrefix(url, "https://daemon.example")),
			"feed": get(feeds, "/feeds/news/media/"+target.ID+"-"+a.ID+".mp4"),
		} {
			if w.Code != want || (want == 200) != (w.Body.Len() == len(data)) || (want != 200) != strings.Contains(w.Body.String(), "30,001 pieces of metadata") {
				t.Errorf("%s, %d pieces: got %d, %.100q", name, pieces, w.Code, w.Body)
			}
		}
	}
}

// Documents are never shown in the origin of the daemon.
func TestFeedDocuments(t *testing.T) {
	t.Parallel()
	s, a, _ := storedMedia(t, mediatest.PDF(), "application/pdf")
	_, feeds := servedMedia(s)
	target := putEntry(t, s, a, "news")
	w := get(feeds, "/feeds/news/media/"+target.ID+"-"+a.ID+".pdf")
	if w.Code != 200 || w.Header().Get("Content-Disposition") != "attachment; filename=a" || !bytes.Equal(w.Body.Bytes(), mediatest.PDF()) {
		t.Errorf("got %d, %v", w.Code, w.Header())
	}
}

// A client that reads slowly gets the whole file, although the server limits how long
// other responses take.
func TestServeToASlowClient(t *testing.T) {
	t.Parallel()
	s, a, _ := storedMedia(t, mediatest.MP4(1<<20), "video/mp4")
	links, _ := servedMedia(s)
	url, err := s.Link(t.Context(), a, "")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(links)
	server.Config.WriteTimeout = time.Nanosecond
	server.Start()
	defer server.Close()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, server.URL+strings.TrimPrefix(url, "https://daemon.example"), nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err != nil || int64(len(body)) != a.Size {
		t.Errorf("got %d bytes, %v; want %d", len(body), err, a.Size)
	}
}

// TestFeedAnnouncesServedLength guards that the lengths in a feed are those of the files that
// it serves, without metadata. The length of a file that an earlier version has stored is not
// known.
func TestFeedAnnouncesServedLength(t *testing.T) {
	t.Parallel()
	for mimeType, data := range map[string][]byte{
		"image/jpeg": mediatest.JPEGWithMetadata(400, 300, 6), "image/png": mediatest.PNGWithMetadata(40, 30, 6), "image/webp": mediatest.WebPWithMetadata(40, 30, 6),
		"image/gif": mediatest.GIFWithComment(40, 30), "video/mp4": mediatest.MP4WithPositions(), "video/quicktime": mediatest.QuickTime(),
		"video/webm": mediatest.WebM(), "application/pdf": mediatest.PDF(),
	} {
		s, a, _ := storedMedia(t, data, mimeType)
		_, feeds := servedMedia(s)
		putEntry(t, s, a, "news")
		lengths := regexp.MustCompile(`rel="enclosure"[^>]* href="https://daemon.example(/feeds/news/media/[^"]*)"(?: length="([0-9]+)")?`)
		before := lengths.FindStringSubmatch(get(feeds, "/feeds/news.atom").Body.String())
		if before == nil || before[2] != "" {
			t.Fatalf("%s, stored by an earlier version: %q", mimeType, before)
		}
		f, err := media.New(media.Config{Blobs: s.blobs, Limits: media.DefaultLimits}).Receive(t.Context(), bytes.NewReader(data), nil)
		if err != nil {
			t.Fatal(err)
		}
		f.SetFacts(&a)
		f.Close()
		putAsset(t, s, a)
		served := fmt.Sprint(get(feeds, before[1]).Body.Len())
		if now := lengths.FindStringSubmatch(get(feeds, "/feeds/news.atom").Body.String()); now == nil || now[2] != served {
			t.Errorf("%s: the feed announces %q, and serves %s bytes of %d", mimeType, now, served, len(data))
		}
		if document := get(feeds, "/feeds/news.json").Body.String(); !strings.Contains(document, `"size_in_bytes": `+served) {
			t.Errorf("%s, %s bytes: %s", mimeType, served, document)
		}
	}
}
