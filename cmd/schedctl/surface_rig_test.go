package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/apiv1/apiv1test"
	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob/dir"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// surfaceRig is a whole daemon in a bubble of synctest, so that its times are always the
// same: the first day of the year 2000. It has the accounts, the queue and the files of
// package apiv1test. Programs reach it through pipes in memory. What it sends to others
// goes to a receiver outside of the bubble.
type surfaceRig struct {
	*machine
	t    *testing.T
	api  *client.Client
	http *http.Client
	refs apiv1test.References
	dir  string // has the files of apiv1test

	agentKey string // of MCP
	received *inbox
	names    *stableNames
}

// onSurfaces runs a test with a rig.
func onSurfaces(t *testing.T, test func(*surfaceRig)) {
	t.Helper()
	received := &inbox{}
	outside := httptest.NewServer(received)
	defer outside.Close()
	dir := t.TempDir()
	writeFiles(t, dir)
	synctest.Test(t, func(t *testing.T) {
		r := &surfaceRig{t: t, received: received, dir: dir, names: newStableNames()}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		config, listener := r.config()
		go func() { ended <- daemon.Run(ctx, config) }()
		defer func() {
			r.api.Close()
			stop()
			if err := <-ended; err != nil {
				t.Errorf("the daemon: %v", err)
			}
		}()
		synctest.Wait() // until the daemon serves
		r.connect(listener, config.DataDir)
		r.prepare(config.Store, config.Sealer, outside.URL)
		test(r)
	})
}

func (r *surfaceRig) config() (daemon.Config, *pipeListener) {
	sealer, err := seal.New(make([]byte, 32))
	r.ok(err)
	data := r.t.TempDir()
	blobs, err := dir.Open(filepath.Join(data, "blobs"))
	r.ok(err)
	r.t.Cleanup(func() { blobs.Close() })
	listener := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	return daemon.Config{
		Store: storagetest.NewMemory(), DataDir: data, Sealer: sealer, Listener: listener, Outbound: outbound.AllowPrivate, Blobs: blobs,
		PublicURL: "https://posts.example.org", Logger: slog.New(slog.DiscardHandler), Version: "test",
	}, listener
}

// connect makes the clients of the daemon.
func (r *surfaceRig) connect(listener *pipeListener, data string) {
	key, err := os.ReadFile(filepath.Join(data, daemon.AdminKeyFile))
	r.ok(err)
	transport := &http.Transport{DisableKeepAlives: true, DialContext: listener.dial}
	secret := strings.TrimSpace(string(key))
	r.api, err = client.New(client.Config{URL: "http://localhost", Key: secret, Transport: transport})
	r.ok(err)
	r.http = &http.Client{Transport: transport}
	r.machine = newMachine(r.t, nil)
	r.machine.env["SCHEDCTL_API_KEY"], r.machine.env["SCHEDCTL_URL"] = secret, "http://localhost"
	r.machine.Transport, r.machine.Now = transport, time.Now
}

// prepare makes what the posts refer to.
func (r *surfaceRig) prepare(store storage.Store, sealer *seal.Sealer, outside string) {
	ctx := r.t.Context()
	me, err := r.api.Me(ctx)
	r.ok(err)
	r.names.add(me.Workspace.ID, "ws_main")
	r.refs.Blog, r.refs.Hook, r.refs.Own, r.refs.Social = "acct_00000000000000000000000B0G", "acct_0000000000000000000000H00K", "acct_000000000000000000000000WN", "acct_0000000000000000000000S0C0"
	r.refs.Queue = "que_0000000000000000000000MA0N"
	r.ok(store.Update(ctx, func(tx storage.Tx) error {
		for name, a := range map[string]schedctl.Account{
			"blog": {ID: r.refs.Blog, Platform: "feed"}, "hook": {ID: r.refs.Hook, Platform: "http"}, "own": {ID: r.refs.Own, Platform: "http"},
			"social": {ID: r.refs.Social, Platform: "mastodon", Username: "@me@social.test"},
		} {
			a.WorkspaceID, a.Name, a.Status, a.Limits.Unit = me.Workspace.ID, name, schedctl.AccountConnected, "characters"
			a.Credentials = sealer.Seal(fmt.Appendf(nil, `{"url":"%s/%s"}`, outside, name), a.ID)
			a.CreatedAt, a.UpdatedAt = time.Now().UTC(), time.Now().UTC()
			if err := tx.PutAccount(a); err != nil {
				return err
			}
		}
		return tx.PutQueue(schedctl.Queue{
			ID: r.refs.Queue, WorkspaceID: me.Workspace.ID, Name: "main-q", Timezone: "Europe/Berlin", Times: []schedctl.QueueTime{{Days: schedctl.EveryDay, Minute: 9*60 + 30}},
			Default: true, CreatedAt: time.Now().UTC(), UpdatedAt: time.Now().UTC(), Version: 1,
		})
	}))
	for id, name := range map[string]string{r.refs.Blog: "acct_blog", r.refs.Hook: "acct_hook", r.refs.Own: "acct_own", r.refs.Social: "acct_social", r.refs.Queue: "que_main"} {
		r.names.add(id, name)
	}
	for i, name := range apiv1test.FileNames {
		data, err := os.ReadFile(filepath.Join(r.dir, name))
		r.ok(err)
		uploaded, err := r.api.UploadMedia(ctx, client.UploadFile{
			Name: name, Size: int64(len(data)), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
		})
		r.ok(err)
		// Digests of approvals cover the ids of files, so the files get the same ids in each run.
		r.refs.Files[i] = fmt.Sprintf("med_0000000000000000000000000%d", i)
		r.ok(store.Update(ctx, func(tx storage.Tx) error {
			a, err := tx.MediaAsset(me.Workspace.ID, uploaded.MediaAsset.ID)
			if err == nil {
				err = tx.DeleteMediaAsset(a.WorkspaceID, a.ID)
			}
			a.ID = r.refs.Files[i]
			return errors.Join(err, tx.PutMediaAsset(a))
		}))
		r.names.add(r.refs.Files[i], "med_"+strings.TrimSuffix(name, ".png"))
	}
	key, err := r.api.CreateAPIKey(ctx, apiv1.CreateAPIKey{Name: "agent", Scopes: []schedctl.Scope{schedctl.ScopePostsRead, schedctl.ScopePostsWrite, schedctl.ScopeAccountsRead}})
	r.ok(err)
	r.agentKey = key.Secret
	_, err = r.api.CreateWebhook(ctx, apiv1.CreateWebhook{URL: outside + "/webhook", EventTypes: schedctl.EventTypes()})
	r.ok(err)
}

// writeFiles writes the pictures that the posts show.
func writeFiles(t *testing.T, dir string) {
	t.Helper()
	for i, name := range apiv1test.FileNames {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 8+i, 8))); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func (r *surfaceRig) ok(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// do runs a command that has to succeed, and returns its standard output and its
// standard error.
func (r *surfaceRig) do(args ...string) (out, err string) {
	r.t.Helper()
	if status := r.run(r.t, args...); status != 0 {
		r.t.Errorf("%q: exit status %d\n%s%s", args, status, &r.machine.out, &r.machine.err)
	}
	return r.machine.out.String(), r.machine.err.String()
}

// request sends a request to the daemon and returns the body of the response.
func (r *surfaceRig) request(method, path string, body any) string {
	r.t.Helper()
	var in bytes.Buffer
	if body != nil {
		r.ok(json.NewEncoder(&in).Encode(body))
	}
	req, err := http.NewRequestWithContext(r.t.Context(), method, "http://localhost"+path, &in)
	r.ok(err)
	key := r.env["SCHEDCTL_API_KEY"]
	if path == "/mcp" {
		key = r.agentKey
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := r.http.Do(req)
	r.ok(err)
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	r.ok(err)
	if resp.StatusCode > 299 {
		r.t.Errorf("%s %s: status %d: %s", method, path, resp.StatusCode, out)
	}
	return string(out)
}

// pipeListener accepts connections in memory.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case l.conns <- far:
		return near, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error { l.once.Do(func() { close(l.closed) }); return nil }
func (l *pipeListener) Addr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 24700}
}

// inbox keeps what the daemon sends, by path. It closes each connection, because an open
// one would keep time from passing in the bubble.
type inbox struct {
	mu     sync.Mutex // mu guards bodies
	bodies map[string][]string
}

// ServeHTTP implements [http.Handler].
func (i *inbox) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.bodies == nil {
		i.bodies = map[string][]string{}
	}
	i.bodies[req.URL.Path] = append(i.bodies[req.URL.Path], string(body))
	w.Header().Set("Connection", "close")
	fmt.Fprintf(w, `{"id":"remote-1","url":"https://bot.test/1"}`)
}

// take returns what was sent to a path.
func (i *inbox) take(path string) []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.bodies[path]
}

// stableNames replaces what differs from run to run: ids by names in the order in which
// they appear, and signatures.
type stableNames struct {
	names  map[string]string
	counts map[string]int
}

func newStableNames() *stableNames {
	return &stableNames{names: map[string]string{}, counts: map[string]int{}}
}

func (s *stableNames) add(id, name string) { s.names[id] = name }

var (
	randomIDs   = regexp.MustCompile(`\b([a-z]+)_[0-9A-HJKMNP-TV-Z]{26}\b`)
	randomParts = regexp.MustCompile(`(\?|&|\\u0026)?(token|expires|signature)=[A-Za-z0-9_.%-]+|sctl[a-z]*_[A-Za-z0-9_-]{20,}|/media/[A-Za-z0-9_-]{60,}|urn:uuid:0(?:0d|1)[0-9a-f-]{33,}|http://127\.0\.0\.1:\d+|/tmp/[A-Za-z0-9_./-]*/\d{3}`)
)

func (s *stableNames) replace(text string) string {
	text = randomIDs.ReplaceAllStringFunc(text, func(id string) string {
		if s.names[id] == "" {
			prefix, _, _ := strings.Cut(id, "_")
			s.counts[prefix]++
			s.names[id] = fmt.Sprintf("%s_%d", prefix, s.counts[prefix])
		}
		return s.names[id]
	})
	return randomParts.ReplaceAllString(text, "RANDOM")
}
