package daemon

import (
	"bytes"
	"cmp"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/clock"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/blob/dir"
	"github.com/schedctl/schedctl/storage/bolt"
)

// hostileWorkspace is what a workspace can store to make requests without a key expensive.
type hostileWorkspace struct {
	id, post, target, calendar, share string
	assets                            []schedctl.MediaAsset
}

const (
	hostileAccounts = schedctl.MaxAccounts
	hostilePosts    = 80
	hostileFiles    = 20
)

// fillHostile stores posts with many targets, long texts and many files with long alt
// texts, all of them published to feeds, and a calendar feed that names all accounts.
func fillHostile(t *testing.T, store storage.Store, blobs blob.Store) (h hostileWorkspace) {
	t.Helper()
	now := schedctl.Millis(time.Now())
	h.id = schedctl.NewID(schedctl.WorkspacePrefix, now)
	update := func(fn func(storage.Tx) error) {
		t.Helper()
		if err := store.Update(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	service := media.New(media.Config{Blobs: blobs})
	for i := range hostileFiles {
		f, err := service.Receive(t.Context(), bytes.NewReader(mediatest.PNG(400, 300+i)), nil)
		if err == nil {
			err = service.Store(t.Context(), f)
		}
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		a := f.Asset()
		a.ID, a.WorkspaceID, a.Status, a.AltText = schedctl.NewID(schedctl.MediaPrefix, now), h.id, schedctl.MediaReady, strings.Repeat("<&", schedctl.MaxAltText/2)
		a.CreatedAt, a.UpdatedAt, a.ExpiresAt = now, now, now.AddDate(1, 0, 0)
		h.assets = append(h.assets, a)
	}
	var accounts []string
	key := schedctl.APIKey{ID: schedctl.NewID(schedctl.KeyPrefix, now), WorkspaceID: h.id, Hash: [32]byte{1}, Scopes: schedctl.Scopes(), CreatedAt: now}
	update(func(tx storage.Tx) error {
		if err := tx.PutWorkspace(schedctl.Workspace{ID: h.id, Name: "hostile", Timezone: "UTC", CreatedAt: now}); err != nil {
			return err
		}
		for _, a := range h.assets {
			if err := tx.PutMediaAsset(a); err != nil {
				return err
			}
		}
		for i := range hostileAccounts {
			a := schedctl.Account{ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: h.id, Platform: "feed", Name: fmt.Sprintf("f%d", i), Status: schedctl.AccountConnected, CreatedAt: now}
			accounts = append(accounts, a.ID)
			if err := tx.PutAccount(a); err != nil {
				return err
			}
		}
		f := schedctl.CalendarFeed{ID: schedctl.NewID(schedctl.CalendarFeedPrefix, now), WorkspaceID: h.id, Name: "all", AccountIDs: accounts, KeyID: key.ID, CreatedAt: now}
		h.calendar, f.Hash = schedctl.NewFeedToken()
		slices.Sort(f.AccountIDs)
		if err := tx.PutKey(key); err != nil {
			return err
		}
		share := schedctl.Share{ID: schedctl.NewID(schedctl.SharePrefix, now), WorkspaceID: h.id, Kind: schedctl.ShareCalendar, Name: "all", Can: schedctl.ShareComment, KeyID: key.ID, CreatedAt: now, ExpiresAt: now.AddDate(0, 0, 7)}
		h.share, share.Hash = schedctl.ShareToken([32]byte{1})
		if err := tx.PutShare(share); err != nil {
			return err
		}
		return tx.PutCalendarFeed(f)
	})
	for range hostilePosts {
		p := schedctl.Post{
			ID: schedctl.NewID(schedctl.PostPrefix, now), WorkspaceID: h.id, PublishAt: now, CreatedAt: now, UpdatedAt: now, Version: 1,
			Content: schedctl.Content{
				Text: strings.Repeat("<é\n", schedctl.MaxContent/3), Thread: slices.Repeat([]schedctl.Part{{Content: strings.Repeat("y", schedctl.MaxContent)}}, 4),
			},
		}
		for _, a := range h.assets {
			p.Media = append(p.Media, schedctl.PostMedia{AssetID: a.ID, SHA256: a.SHA256})
		}
		for _, id := range accounts {
			p.Targets = append(p.Targets, schedctl.Target{
				ID: schedctl.NewID(schedctl.TargetPrefix, now), AccountID: id, Platform: "feed", Status: schedctl.Published, PublishedAt: now,
				Done: make([]schedctl.PublishedPart, 5), PlatformPostURL: "https://posts.example/" + strings.Repeat("u", 500),
			})
		}
		h.post, h.target = p.ID, p.Targets[0].ID
		update(func(tx storage.Tx) error { return tx.PutPost(p) })
	}
	return h
}

// countingWriter counts the bytes of a response.
type countingWriter struct {
	header http.Header
	status int
	bytes  int64
}

func (w *countingWriter) Header() http.Header { return w.header }

func (w *countingWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *countingWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.bytes += int64(len(b))
	return len(b), nil
}

// hostileRequest is a request without a key.
type hostileRequest struct {
	pattern      string // of its route
	method, path string
	header       []string
	body         int // bytes
	static       bool
}

// hostileRequests returns requests to all routes that need no key.
func hostileRequests(h hostileWorkspace, signer *media.Signer) []hostileRequest {
	token := func(action media.Action) string {
		return signer.Sign(media.Capability{Action: action, WorkspaceID: h.id, AssetID: h.assets[0].ID, Platform: "instagram", Expires: time.Now().Add(time.Hour)})
	}
	file := "/feeds/f0/media/" + h.target + "-" + h.assets[0].ID + ".png"
	list := []hostileRequest{
		{pattern: "GET /feeds/", path: "/feeds/f0.atom"}, {pattern: "GET /feeds/", path: "/feeds/f0.json"},
		{pattern: "GET /feeds/", path: "/feeds/f0.atom?after=" + h.target}, {pattern: "GET /feeds/", path: "/feeds/f0/" + h.target},
		{pattern: "GET /feeds/", path: "/feeds/f1.atom", method: http.MethodHead},
		{pattern: "GET /feeds/", path: file}, {pattern: "GET /feeds/", path: file, header: []string{"Range", "bytes=0-0"}},
		{pattern: "GET /feeds/", path: "/feeds/none.atom"},
		{pattern: "GET /calendar/{file}", path: "/calendar/" + h.calendar + ".ics"},
		{pattern: "GET /s/style.css", path: "/s/style.css"}, {pattern: "GET /s/{token}", path: "/s/" + h.share}, {pattern: "GET /s/{token}", path: "/s/" + h.share + "?view=agenda"},
		{pattern: "GET /s/{token}", path: "/s/x"}, {pattern: "GET /s/{token}/{post}", path: "/s/" + h.share + "/" + h.post},
		{pattern: "POST /s/{token}/{post}", method: http.MethodPost, path: "/s/" + h.share + "/" + h.post, body: 1 << 20},
		{pattern: "GET /u/{token}", path: "/u/x"}, {pattern: "GET /u/{token}", path: "/u/" + token(media.ActionLink)},
		{pattern: "POST /u/{token}", method: http.MethodPost, path: "/u/" + token(media.ActionLink), body: 1 << 20},
		{pattern: "GET /media/", path: mediaLinkPath + token(media.ActionDownload)}, {pattern: "GET /media/", path: mediaLinkPath + token(media.ActionVariant)},
		{pattern: "GET /media/", path: mediaLinkPath + token(media.ActionVariant), method: http.MethodHead}, {pattern: "GET /media/", path: "/media/x"},
		{pattern: "GET /healthz", path: "/healthz"}, {pattern: "GET /readyz", path: "/readyz"}, {pattern: "GET /metrics", path: "/metrics"},
		{pattern: "GET /openapi.json", path: "/openapi.json", static: true}, {pattern: "GET /api/docs/openapi", path: "/api/docs/openapi", static: true}, {pattern: "GET /openapi.yaml", path: "/openapi.yaml", static: true},
		{pattern: "GET /{$}", path: "/"}, {pattern: "GET /docs", path: "/docs"}, {pattern: "GET /docs/start.js", path: "/docs/start.js"},
		{pattern: "POST /mcp", method: http.MethodPost, path: "/mcp", body: 1 << 20},
		{pattern: "/", path: "/nothing/" + strings.Repeat("x", 4000)},
		{pattern: "/", method: http.MethodPost, path: "/api/v1/posts", body: 1 << 20}, {pattern: "/", path: "/api/v1/posts"},
		{pattern: "/", method: http.MethodPut, path: "/api/v1/media/uploads/x", body: 1 << 20},
	}
	for _, name := range []string{"swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"} {
		list = append(list, hostileRequest{pattern: "GET /docs/", path: "/docs/" + name}, hostileRequest{pattern: "GET /docs/", path: "/docs/" + name, method: http.MethodHead})
	}
	return list
}

// keylessDaemon returns the handler of a daemon whose parts do not run, and its signer.
func keylessDaemon(t *testing.T, store storage.Store, blobs blob.Store) (http.Handler, *media.Signer) {
	t.Helper()
	sealer, err := seal.New(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	log := slog.New(slog.DiscardHandler)
	d := assemble(Config{Store: store, DataDir: t.TempDir(), Sealer: sealer, Blobs: blobs, PublicURL: "https://daemon.example", Logger: log, Version: "test"},
		listener, apiv1.Announced{}, nil, clock.New(time.Now(), log))
	return d.api, media.NewSigner(sealer.DeriveKey(media.SigningPurpose))
}

// TestKeylessRequestsHaveABound guards how much memory a request without a key allocates for
// each byte that it returns, whatever the workspaces contain, and that a client
// which has the current document or file costs next to nothing.
func TestKeylessRequestsHaveABound(t *testing.T) { // not parallel: it measures memory
	store, err := bolt.Open(filepath.Join(t.TempDir(), "schedctl.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	blobs, err := dir.Open(filepath.Join(t.TempDir(), "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	defer blobs.Close()
	h := fillHostile(t, store, blobs)
	handler, signer := keylessDaemon(t, store, blobs)
	send := func(q hostileRequest, header ...string) (w *countingWriter, allocated uint64) {
		r := httptest.NewRequest(cmp.Or(q.method, http.MethodGet), q.path, bytes.NewReader(make([]byte, q.body)))
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		r.Host = "127.0.0.1"
		w = &countingWriter{header: http.Header{}}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		handler.ServeHTTP(w, r)
		runtime.ReadMemStats(&after)
		return w, after.TotalAlloc - before.TotalAlloc
	}
	const most, mostUnchanged = 64 << 20, 1 << 20 // with all garbage; a post is read to see whether it is still published
	const perByte = 16
	seen := map[string]bool{}
	for _, q := range hostileRequests(h, signer) {
		seen[q.pattern] = true
		if q.static {
			send(q) // built once for the life of the daemon
		}
		w, allocated := send(q, q.header...)
		size, _ := strconv.ParseUint(w.header.Get("Content-Length"), 10, 64) // of HEAD, whose document the next GET gets
		if size = max(size, uint64(w.bytes)); allocated > most+perByte*size {
			t.Errorf("%s %s: %d, %d bytes, allocated %d", q.method, q.path, w.status, size, allocated)
		}
		etag := w.header.Get("ETag")
		if etag == "" {
			continue
		}
		w, allocated = send(q, "If-None-Match", etag)
		if w.status != http.StatusNotModified || w.bytes != 0 || allocated > mostUnchanged {
			t.Errorf("%s %s, unchanged: %d, %d bytes, allocated %d", q.method, q.path, w.status, w.bytes, allocated)
		}
	}
	for _, pattern := range keylessPatterns(t) {
		if !seen[pattern] {
			t.Errorf("the route %q is not tried", pattern)
		}
	}
}

// keylessPatterns returns the patterns of all routes outside of the API, from the source.
func keylessPatterns(t *testing.T) (patterns []string) {
	t.Helper()
	files, err := filepath.Glob("api/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	route := regexp.MustCompile(`mux\.Handle(?:Func)?\("([A-Z]* ?/[^"]*|[A-Z]+ )"(?:\+(\w+))?(?:\+"([^"]*)")?`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range route.FindAllStringSubmatch(string(text), -1) {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			patterns = append(patterns, m[1]+map[string]string{"calendarPath": "/calendar/", "sharePath": "/s/", "uploadPagePath": "/u/"}[m[2]]+m[3])
		}
	}
	if len(patterns) < 10 {
		t.Errorf("only these routes were found: %q", patterns)
	}
	return patterns
}
