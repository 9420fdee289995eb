package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/connect"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/mcp"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob/dir"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// fixture is an API with /mcp, over a store in memory.
type fixture struct {
	t       *testing.T
	store   storage.Store
	daemon  http.Handler
	url     string
	account string

	workspace string

	ahead atomic.Int64 // how far the clock of the tools is ahead, a duration
}

// clock returns the time of the tools.
func (f *fixture) clock() time.Time { return time.Now().Add(time.Duration(f.ahead.Load())) }

func newFixture(t *testing.T, configure ...func(*api.Config)) *fixture {
	t.Helper()
	f := newQuietFixture(t, configure...)
	listening := httptest.NewServer(f.daemon)
	t.Cleanup(listening.Close)
	f.url = listening.URL
	return f
}

// newQuietFixture returns a fixture that listens nowhere: it is called in the process.
func newQuietFixture(t *testing.T, configure ...func(*api.Config)) *fixture {
	t.Helper()
	f := &fixture{t: t, store: storagetest.NewMemory()}
	t.Cleanup(func() { f.store.Close() })
	sealer, err := seal.New(make([]byte, 32))
	f.ok(err)
	blobs, err := dir.Open(filepath.Join(t.TempDir(), "blobs"))
	f.ok(err)
	t.Cleanup(func() { blobs.Close() })
	publishers := publish.NewRegistry(publishtest.NewFake("fake"))
	server := &mcp.Server{Version: "test"}
	config := api.Config{
		Store: f.store, Sealer: sealer, Publishers: publishers, Version: "test",
		Connector: connect.New(connect.Config{Store: f.store, Publishers: publishers, Sealer: sealer}),
		Media:     media.New(media.Config{Blobs: blobs, Outbound: outbound.AllowPrivate}), Signer: media.NewSigner(sealer.DeriveKey(media.SigningPurpose)),
		Agents: func(w http.ResponseWriter, r *http.Request, call api.AgentCall) {
			c, err := client.New(client.Config{URL: "http://localhost", Key: call.Secret, Transport: call.Transport, Timeout: mcp.CallTimeout})
			if err != nil {
				t.Error(err)
			}
			server.ServeHTTP(w, r, mcp.Caller{Client: c, KeyID: call.Key.ID, Scopes: call.Key.Scopes, Clock: f.clock})
		},
	}
	for _, c := range configure {
		c(&config)
	}
	daemon := api.New(config)
	f.store.Notify(daemon.Committed)
	f.daemon = daemon
	now := schedctl.Millis(time.Now())
	f.workspace = schedctl.NewID(schedctl.WorkspacePrefix, now)
	f.update(func(tx storage.Tx) error {
		return tx.PutWorkspace(schedctl.Workspace{ID: f.workspace, Name: "test", Timezone: "UTC", CreatedAt: now})
	})
	f.account = schedctl.NewID(schedctl.AccountPrefix, now)
	f.connect("blog", schedctl.AccountConnected)
	return f
}

// connect stores an account. That with the name blog has the id account.
func (f *fixture) connect(name string, status schedctl.AccountStatus) (id string) {
	f.t.Helper()
	now := schedctl.Millis(time.Now())
	if id = f.account; name != "blog" {
		id = schedctl.NewID(schedctl.AccountPrefix, now)
	}
	f.update(func(tx storage.Tx) error {
		return tx.PutAccount(schedctl.Account{ID: id, WorkspaceID: f.workspace, Platform: "fake", Name: name, Status: status, CreatedAt: now, UpdatedAt: now})
	})
	return id
}

// queue stores a queue with a slot on each day at 9:00 UTC, and returns its id.
func (f *fixture) queue(name string) (id string) {
	f.t.Helper()
	now := schedctl.Millis(time.Now())
	id = schedctl.NewID(schedctl.QueuePrefix, now)
	f.update(func(tx storage.Tx) error {
		return tx.PutQueue(schedctl.Queue{
			ID: id, WorkspaceID: f.workspace, Name: name, Timezone: "UTC", Default: true, Times: []schedctl.QueueTime{{Days: schedctl.EveryDay, Minute: 9 * 60}},
			CreatedAt: now, UpdatedAt: now, Version: 1,
		})
	})
	return id
}

func (f *fixture) ok(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) update(fn func(storage.Tx) error) {
	f.t.Helper()
	f.ok(f.store.Update(f.t.Context(), fn))
}

// key returns the secret of a new key.
func (f *fixture) key(scopes ...schedctl.Scope) string {
	f.t.Helper()
	secret, hash := schedctl.NewKeySecret()
	now := schedctl.Millis(time.Now())
	f.update(func(tx storage.Tx) error {
		return tx.PutKey(schedctl.APIKey{
			ID: schedctl.NewID(schedctl.KeyPrefix, now), WorkspaceID: f.workspace, Name: "agent", Hash: hash, Scopes: scopes,
			Agent: true, CreatedAt: now, ExpiresAt: now.Add(time.Hour),
		})
	})
	return secret
}

// agent returns the secret of a key with the default scopes of agents.
func (f *fixture) agent() string {
	return f.key(schedctl.ScopePostsRead, schedctl.ScopePostsDraft, schedctl.ScopeAccountsRead)
}

// publisher returns the secret of a key that can use every tool.
func (f *fixture) publisher() string {
	return f.key(schedctl.ScopePostsRead, schedctl.ScopePostsWrite, schedctl.ScopeAccountsRead)
}

func (f *fixture) client(secret string) *client.Client {
	f.t.Helper()
	c, err := client.New(client.Config{URL: f.url, Key: secret})
	f.ok(err)
	f.t.Cleanup(c.Close)
	return c
}

// send posts a body to /mcp.
func (f *fixture) send(secret, body string, change ...func(*http.Request)) (status int, text string, h http.Header) {
	f.t.Helper()
	r, err := http.NewRequestWithContext(f.t.Context(), "POST", f.url+"/mcp", strings.NewReader(body))
	f.ok(err)
	r.Header.Set("Authorization", "Bearer "+secret)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for _, c := range change {
		c(r)
	}
	resp, err := http.DefaultClient.Do(r)
	f.ok(err)
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	f.ok(err)
	return resp.StatusCode, string(out), resp.Header
}

// answer is a JSON-RPC response to a call of a tool.
type answer struct {
	ID     any
	Error  *struct{ Code int }
	Result struct {
		IsError           bool
		StructuredContent json.RawMessage
		Content           []struct{ Text string }
		Tools             []toolSeen
	}
}

type toolSeen struct {
	Name                      string
	InputSchema, OutputSchema json.RawMessage
	Annotations               struct {
		ReadOnlyHint, IdempotentHint   bool
		DestructiveHint, OpenWorldHint *bool
	}
}

// call calls a tool over HTTP.
func (f *fixture) call(secret, name string, arguments any) answer {
	f.t.Helper()
	return f.request(secret, "tools/call", map[string]any{"name": name, "arguments": arguments})
}

func (f *fixture) request(secret, method string, params any) (a answer) {
	f.t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	f.ok(err)
	status, text, _ := f.send(secret, string(body))
	if err := json.Unmarshal([]byte(text), &a); err != nil || status != 200 {
		f.t.Fatalf("%s: status %d: %s", body, status, text)
	}
	return a
}

// code returns the error code of a result, empty for none.
func (a answer) code(t *testing.T) string {
	t.Helper()
	var out struct{ Error struct{ Code string } }
	if !a.Result.IsError {
		return ""
	}
	if err := json.Unmarshal([]byte(a.Result.Content[0].Text), &out); err != nil {
		t.Errorf("an error that is not JSON: %q", a.Result.Content[0].Text)
	}
	return out.Error.Code
}

// post is what tests need of a post.
type post struct {
	Post struct {
		ID, Content, Status string
		Version             int64
	}
	Replayed bool
}

func (a answer) post(t *testing.T) (p post) {
	t.Helper()
	if a.Result.IsError || a.Error != nil {
		t.Fatalf("%+v", a)
	}
	if err := json.Unmarshal(a.Result.StructuredContent, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// count returns the number of posts.
func (f *fixture) count() (n int) {
	f.t.Helper()
	for _, err := range f.client(f.publisher()).EachPost(context.Background(), client.PostQuery{}) {
		f.ok(err)
		n++
	}
	return n
}
