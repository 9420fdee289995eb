package daemon_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// running is a daemon in this process.
type running struct {
	t      *testing.T
	cfg    daemon.Config
	client *http.Client
	url    string
	stop   context.CancelFunc
	ended  chan error
	log    *safeBuffer

	adminKey string // in place of that in the data directory
}

func config(t *testing.T) (daemon.Config, *safeBuffer) {
	t.Helper()
	sealer, err := seal.New(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	log := new(safeBuffer)
	return daemon.Config{
		Store: storagetest.NewMemory(), DataDir: t.TempDir(), Sealer: sealer, Listen: "127.0.0.1:0",
		Outbound: outbound.AllowPrivate, MaxLateness: daemon.DefaultMaxLateness,
		Logger: slog.New(slog.NewTextHandler(log, nil)), Version: "test",
	}, log
}

// start starts a daemon and waits until it is ready.
func start(t *testing.T, change func(*daemon.Config)) *running {
	t.Helper()
	r := launch(t, change)
	r.await("it to be ready", func() bool {
		status, _ := r.do("GET", "/readyz", "", nil)
		return status == http.StatusOK
	})
	return r
}

// launch starts a daemon and waits for its announcement.
func launch(t *testing.T, change func(*daemon.Config)) *running {
	t.Helper()
	cfg, log := config(t)
	if change != nil {
		change(&cfg)
	}
	ctx, stop := context.WithCancel(t.Context())
	r := &running{t: t, cfg: cfg, client: http.DefaultClient, stop: stop, ended: make(chan error, 1), log: log}
	go func() { r.ended <- daemon.Run(ctx, cfg) }()
	r.await("its announcement", func() bool {
		a, err := r.announcement()
		r.url = a.URL
		return err == nil
	})
	if path, unix := strings.CutPrefix(r.url, "unix://"); unix {
		r.url = "http://daemon"
		r.client = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}}}
	}
	return r
}

// await waits until done reports true, while the daemon runs.
func (r *running) await(what string, done func() bool) {
	r.t.Helper()
	deadline := time.After(testsize.Patience)
	for tick := time.NewTicker(5 * time.Millisecond); !done(); {
		select {
		case err := <-r.ended:
			r.t.Fatalf("the daemon ended: %v\n%s", err, r.log)
		case <-deadline:
			r.t.Fatalf("waited in vain for %s\n%s", what, r.log)
		case <-tick.C:
		}
	}
}

func (r *running) announcement() (a daemon.Announcement, err error) {
	data, err := os.ReadFile(filepath.Join(r.cfg.DataDir, daemon.AnnouncementFile))
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(data, &a)
}

func (r *running) key() string {
	r.t.Helper()
	if r.adminKey != "" {
		return r.adminKey
	}
	key, err := os.ReadFile(filepath.Join(r.cfg.DataDir, daemon.AdminKeyFile))
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.TrimSpace(string(key))
}

func (r *running) do(method, path, body string, into any) (int, string) {
	r.t.Helper()
	req, err := http.NewRequest(method, r.url+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if strings.HasPrefix(path, "/api/") {
		req.Header.Set("Authorization", "Bearer "+r.key())
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	if into != nil {
		if err := json.Unmarshal(data, into); err != nil {
			r.t.Fatalf("%s %s: %s: %v", method, path, data, err)
		}
	}
	return resp.StatusCode, string(data)
}

// end stops the daemon and fails the test on an error.
func (r *running) end() {
	r.t.Helper()
	r.stop()
	select {
	case err := <-r.ended:
		if err != nil {
			r.t.Errorf("Run = %v", err)
		}
	case <-time.After(testsize.Patience):
		r.t.Fatal("the daemon does not stop")
	}
}

func TestPublishesToAFeedFromEndToEnd(t *testing.T) {
	t.Parallel()
	for _, listen := range []string{"127.0.0.1:0", "unix://" + filepath.Join(shortDir(t), "s")} {
		t.Run(listen[:4], func(t *testing.T) {
			t.Parallel()
			r := start(t, func(c *daemon.Config) { c.Listen = listen })
			var account apiv1.AccountEnvelope
			if status, body := r.do("POST", "/api/v1/social-accounts", `{"platform":"feed","name":"blog"}`, &account); status != http.StatusCreated {
				t.Fatalf("%d %s", status, body)
			}
			var post apiv1.PostEnvelope
			at := time.Now().Add(300 * time.Millisecond)
			r.do("POST", "/api/v1/posts", `{"content":"hello <world>","social_account_ids":["`+account.SocialAccount.ID+`"],"publish_at":"`+
				at.UTC().Format(time.RFC3339Nano)+`"}`, &post)
			for post.Post.Status != schedctl.Published {
				if time.Since(at) > testsize.Patience || post.Post.Status == schedctl.Failed {
					t.Fatalf("not published: %+v\n%s", post, r.log)
				}
				r.do("GET", "/api/v1/posts/"+post.Post.ID, "", &post)
			}
			if published := post.Post.Targets[0].PublishedAt; published.Before(at.Truncate(time.Millisecond)) {
				t.Errorf("published at %s, before its time %s", published, at)
			}
			for _, path := range []string{"/feeds/blog.atom", "/feeds/blog.json"} {
				if status, body := r.do("GET", path, "", nil); status != http.StatusOK || !strings.Contains(body, post.Post.Targets[0].ID) {
					t.Errorf("%s: %d %s", path, status, body)
				}
			}
			r.end()
			if _, err := r.announcement(); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the announcement is still there after the stop: %v", err)
			}
			if strings.Contains(r.log.String(), "hello") || strings.Contains(r.log.String(), r.key()) {
				t.Errorf("content or key in the log:\n%s", r.log)
			}
		})
	}
}

// shortDir returns a directory whose path fits in a socket address.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sctl")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func TestFirstStartMakesOneWorkspaceAndKey(t *testing.T) {
	t.Parallel()
	store := storagetest.NewMemory()
	first := start(t, func(c *daemon.Config) { c.Store = store })
	key, dir := first.key(), first.cfg.DataDir
	if info, err := os.Stat(filepath.Join(dir, daemon.AdminKeyFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key file: %v, %v", info.Mode(), err)
	}
	first.end()
	second := start(t, func(c *daemon.Config) { c.Store, c.DataDir = notified{store}, dir })
	if second.key() != key {
		t.Error("the second start wrote another key")
	}
	if status, body := second.do("GET", "/api/v1/me", "", nil); status != http.StatusOK {
		t.Errorf("the first key on the second start: %d %s", status, body)
	}
	second.end()
	err := store.View(t.Context(), func(r storage.Reader) error {
		w, err := r.Workspaces()
		if len(w) != 1 {
			t.Errorf("%d workspaces", len(w))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// notified is a store whose Notify was already called.
type notified struct{ storage.Store }

func (notified) Notify(func(storage.Commit)) {}

func TestStartUsesAKeyThatACrashLeftBehind(t *testing.T) {
	t.Parallel()
	secret, _ := schedctl.NewKeySecret()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, daemon.AdminKeyFile), []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := start(t, func(c *daemon.Config) { c.DataDir = dir })
	if status, body := r.do("GET", "/api/v1/me", "", nil); status != http.StatusOK || r.key() != secret {
		t.Errorf("%d %s", status, body)
	}
	r.end()
}

func TestStartFails(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() }) // after the parallel subtests
	sockets := shortDir(t)
	answering, err := net.Listen("unix", filepath.Join(sockets, "taken"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answering.Close() })
	file := filepath.Join(sockets, "file")
	if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		change func(*daemon.Config)
		want   string
	}{
		{"taken port", func(c *daemon.Config) { c.Listen = taken.Addr().String() }, "another program uses the port"},
		{"not an address", func(c *daemon.Config) { c.Listen = "nonsense" }, "host:port"},
		{"relative socket", func(c *daemon.Config) { c.Listen = "unix://here" }, "absolute"},
		{"taken socket", func(c *daemon.Config) { c.Listen = "unix://" + answering.Addr().String() }, "serves this socket"},
		{"a file in the socket's place", func(c *daemon.Config) { c.Listen = "unix://" + file }, "not a socket"},
		{"broken key file", func(c *daemon.Config) {
			os.WriteFile(filepath.Join(c.DataDir, daemon.AdminKeyFile), []byte("x"), 0o600)
		}, "does not contain an API key"},
		{"no data directory", func(c *daemon.Config) { c.DataDir = filepath.Join(c.DataDir, "none") }, "admin key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg, _ := config(t)
			tt.change(&cfg)
			ctx, cancel := context.WithTimeout(t.Context(), testsize.Patience)
			defer cancel()
			if err := daemon.Run(ctx, cfg); err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("Run = %v, want one line with %q", err, tt.want)
			}
		})
	}
	t.Cleanup(func() {
		if data, err := os.ReadFile(file); err != nil || string(data) != "precious" {
			t.Errorf("the file in the socket's place: %q, %v", data, err)
		}
	})
}

func TestALeftoverSocketIsReplaced(t *testing.T) {
	t.Parallel()
	path := filepath.Join(shortDir(t), "s")
	old, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	old.SetUnlinkOnClose(false)
	old.Close()
	r := start(t, func(c *daemon.Config) { c.Listen = "unix://" + path })
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("socket: %v, %v", info.Mode(), err)
	}
	r.end()
}

// safeBuffer is a buffer for several goroutines.
type safeBuffer struct {
	mu  sync.Mutex // mu guards buf
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func TestAFeedHasPagesAndOnlyWhatIsPublishedToIt(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	accounts := map[string]string{}
	for _, name := range []string{"blog", "other"} {
		var a apiv1.AccountEnvelope
		r.do("POST", "/api/v1/social-accounts", `{"platform":"feed","name":"`+name+`"}`, &a)
		accounts[name] = a.SocialAccount.ID
	}
	var ids []string
	publish := func(name string) {
		var p apiv1.PostEnvelope
		r.do("POST", "/api/v1/posts", `{"content":"for `+name+`","social_account_ids":["`+accounts[name]+`"],"publish_at":"now"}`, &p)
		for start := time.Now(); p.Post.Status != schedctl.Published; {
			if time.Since(start) > testsize.Patience {
				t.Fatalf("not published: %+v", p)
			}
			r.do("GET", "/api/v1/posts/"+p.Post.ID, "", &p)
		}
		ids = append(ids, p.Post.Targets[0].ID)
	}
	publish("other")
	for range 52 {
		publish("blog")
	}
	r.do("POST", "/api/v1/posts", `{"content":"still waiting","social_account_ids":["`+accounts["blog"]+`"],"publish_at":"2099-01-01T00:00:00Z"}`, nil)
	var seen []string
	for url := "/feeds/blog.json"; url != ""; {
		var page struct {
			NextURL string `json:"next_url"`
			Items   []struct{ URL string }
		}
		if status, body := r.do("GET", url, "", &page); status != http.StatusOK {
			t.Fatalf("%s: %d %s", url, status, body)
		}
		for _, item := range page.Items {
			seen = append(seen, filepath.Base(item.URL))
		}
		url = strings.TrimPrefix(page.NextURL, r.url)
	}
	slices.Reverse(seen)
	if !slices.Equal(seen, ids[1:]) {
		t.Errorf("the feed has %d entries, %d were published", len(seen), len(ids)-1)
	}
	for path, want := range map[string]int{
		"/feeds/blog/" + ids[1]:            http.StatusOK,
		"/feeds/blog/" + ids[0]:            http.StatusNotFound, // another feed's
		"/feeds/blog.json?after=" + ids[0]: http.StatusNotFound,
		"/feeds/none.atom":                 http.StatusNotFound,
	} {
		if status, body := r.do("GET", path, "", nil); status != want {
			t.Errorf("%s: %d %s, want %d", path, status, body, want)
		}
	}
	r.end()
}

// A feed shows the content of the post for it.
func TestAFeedShowsItsOwnContent(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	var a apiv1.AccountEnvelope
	r.do("POST", "/api/v1/social-accounts", `{"platform":"feed","name":"blog"}`, &a)
	id := a.SocialAccount.ID
	var p apiv1.PostEnvelope
	status, body := r.do("POST", "/api/v1/posts", `{"content":"for all","social_account_ids":["`+id+`"],"publish_at":"now",
		"target_overrides":[{"social_account_id":"`+id+`","content":"for the blog"}]}`, &p)
	for began := time.Now(); p.Post.Status != schedctl.Published; {
		if time.Since(began) > testsize.Patience || status != http.StatusCreated {
			t.Fatalf("not published: %d %s", status, body)
		}
		r.do("GET", "/api/v1/posts/"+p.Post.ID, "", &p)
	}
	for _, path := range []string{"/feeds/blog.json", "/feeds/blog/" + p.Post.Targets[0].ID} {
		if _, body := r.do("GET", path, "", nil); !strings.Contains(body, "for the blog") || strings.Contains(body, "for all") {
			t.Errorf("%s shows %s", path, body)
		}
	}
	r.end()
}

func TestAPrivateAddressIsRefusedByName(t *testing.T) {
	t.Parallel()
	r := start(t, func(c *daemon.Config) { c.Outbound = outbound.PublicOnly })
	status, body := r.do("POST", "/api/v1/social-accounts",
		`{"platform":"mastodon","credentials":{"instance_url":"http://localhost:3000","access_token":"secret-token-0123"}}`, nil)
	if status != http.StatusBadRequest || !strings.Contains(body, "localhost") || !strings.Contains(body, "--allow-private-networks") || strings.Contains(body, "secret-token") {
		t.Errorf("%d %s", status, body)
	}
	r.end()
}

func TestOptionsOfTheServerAreNotAnswered(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "OPTIONS * HTTP/1.1\r\nHost: daemon\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 404 ") || !strings.Contains(string(answer), `"NOT_FOUND"`) {
		t.Errorf("%s, %v", answer, err)
	}
	conn.Close()
	r.end()
}
