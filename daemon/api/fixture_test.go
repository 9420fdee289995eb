package api_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/connect"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/blob/dir"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// fixture is an API over a store in memory with two workspaces. Every exchange
// that goes through it is compared with the API's own OpenAPI document.
type fixture struct {
	t       *testing.T
	handler http.Handler
	server  *api.Server // the handler, when no test puts something before it
	store   *storagetest.Faulty
	network *network
	logs    *syncBuffer
	blobs   blob.Store
	files   deliver.MediaSource // of the deliverer; nil if no test publishes files

	publishers publish.Registry
	sealer     *seal.Sealer
	connector  *connect.Connector
	notifier   *fakeNotifier

	mine, other tenant
}

// tenant is a workspace with a key for all accounts and one connected account.
type tenant struct {
	workspace string
	key       string
	account   string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	return newFixtureOn(t, storagetest.NewMemory())
}

// engines open the store in memory and the one on disk.
var engines = map[string]func(*testing.T) storage.Store{
	"memory": func(*testing.T) storage.Store { return storagetest.NewMemory() },
	"bolt": func(t *testing.T) storage.Store {
		store, err := bolt.Open(filepath.Join(t.TempDir(), "schedctl.db"), bolt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return store
	},
}

// onEveryEngine runs a test on the store in memory and on the one on disk.
func onEveryEngine(t *testing.T, test func(*testing.T, *fixture)) {
	t.Helper()
	for name, open := range engines {
		if name == "memory" && testing.Short() {
			continue // the race detector sees more in the store on disk
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newFixtureOn(t, open(t)))
		})
	}
}

// onEveryEngineInBubble is onEveryEngine in bubbles of synctest, for tests in which time
// passes: a stall of the machine takes no time there.
func onEveryEngineInBubble(t *testing.T, test func(*testing.T, *fixture)) {
	t.Helper()
	if _, err := document(); err != nil { // read outside of the bubble: it is shared
		t.Fatal(err)
	}
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { test(t, newFixtureOn(t, open(t))) })
		})
	}
}

func newFixtureOn(t *testing.T, store storage.Store, configure ...func(*api.Config)) *fixture {
	t.Helper()
	f := &fixture{
		t: t, notifier: &fakeNotifier{}, store: storagetest.NewFaulty(store), logs: &syncBuffer{},
		network: &network{Fake: publishtest.NewFake("fake")},
	}
	t.Cleanup(func() { store.Close() })
	sealer, err := seal.New(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	publishers := publish.NewRegistry(f.network, nameless{publishtest.NewFake("page")}, measured{&network{Fake: publishtest.NewFake("http")}})
	logger := slog.New(slog.NewTextHandler(f.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	f.publishers, f.sealer = publishers, sealer
	f.connector = connect.New(connect.Config{Store: f.store, Publishers: publishers, Sealer: sealer, Logger: logger})
	blobs, err := dir.Open(filepath.Join(t.TempDir(), "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { blobs.Close() })
	f.blobs = blobs
	config := api.Config{
		Media: media.New(media.Config{Blobs: blobs, Outbound: outbound.AllowPrivate}), Signer: media.NewSigner(sealer.DeriveKey(media.SigningPurpose)),
		Store: f.store, Version: "test", Publishers: publishers, Logger: logger,
		Sources:   newRunner(f.store, publishers, sealer, logger),
		Connector: f.connector, Sealer: sealer, Nodes: nodes, Notifier: f.notifier,
		Feeds: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "feed "+r.URL.Path) }),
	}
	for _, c := range configure {
		c(&config)
	}
	f.server = api.New(config)
	f.handler = f.server
	f.listen(func(storage.Commit) {})
	f.mine, f.other = f.newTenant("mine"), f.newTenant("other")
	return f
}

// nodes are two daemons. One of them has stopped.
func nodes() []apiv1.Node {
	now := time.Now()
	return []apiv1.Node{
		apiv1.NewNode(apiv1.NodeFacts{
			ID: schedctl.NewULID(now).String(), Name: "posts-1", Version: "1.4.0", Self: true, Alive: true,
			StartedAt: now, HeardAt: now, HeardAgo: 730 * time.Millisecond,
		}),
		apiv1.NewNode(apiv1.NodeFacts{
			ID: schedctl.NewULID(now).String(), Name: "posts-2", Version: "1.4.0",
			StartedAt: now, HeardAt: now, HeardAgo: 95 * time.Second, Lag: 1200 * time.Millisecond,
		}),
	}
}

// listen calls a function after every commit, after the server was notified.
func (f *fixture) listen(hear func(storage.Commit)) {
	f.store.Notify(func(c storage.Commit) {
		f.server.Committed(c)
		hear(c)
	})
}

func (f *fixture) newTenant(name string) tenant {
	f.t.Helper()
	now := time.Now()
	ws := schedctl.NewID(schedctl.WorkspacePrefix, now)
	f.update(func(tx storage.Tx) error {
		return tx.PutWorkspace(schedctl.Workspace{ID: ws, Name: name, Timezone: "Europe/Rome", Plan: "self-hosted", CreatedAt: schedctl.Millis(now)})
	})
	t := tenant{workspace: ws, key: f.newKey(ws, func(*schedctl.APIKey) {})}
	t.account = f.newAccount(t, "account of "+name)
	return t
}

// newKey creates a key with all scopes, modified by change.
func (f *fixture) newKey(workspace string, change func(*schedctl.APIKey)) (secret string) {
	f.t.Helper()
	secret, hash := schedctl.NewKeySecret()
	k := schedctl.APIKey{
		ID: schedctl.NewID(schedctl.KeyPrefix, time.Now()), WorkspaceID: workspace, Name: "test", Hash: hash,
		Scopes: schedctl.Scopes(), CreatedAt: schedctl.Millis(time.Now()),
	}
	change(&k)
	f.update(func(tx storage.Tx) error { return tx.PutKey(k) })
	return secret
}

// scoped creates a key of my workspace with these scopes.
func (f *fixture) scoped(scopes ...schedctl.Scope) string {
	f.t.Helper()
	return f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.Scopes = scopes })
}

func (f *fixture) newAccount(t tenant, name string) string {
	f.t.Helper()
	r := f.do(as(t.key), "POST", "/social-accounts", map[string]any{
		"platform": "fake", "name": name, "credentials": map[string]string{"token": accountToken},
	})
	return decodeAs[apiv1.AccountEnvelope](f.t, r.want(http.StatusCreated)).SocialAccount.ID
}

// accountToken is the credential of every account that a fixture connects.
const accountToken = "token-that-nobody-may-see"

func (f *fixture) update(fn func(storage.Tx) error) {
	f.t.Helper()
	if err := f.store.Update(f.t.Context(), fn); err != nil {
		f.t.Fatal(err)
	}
}

// changeStored changes a stored post behind the API's back.
func (f *fixture) changeStored(id string, change func(*schedctl.Post)) {
	f.t.Helper()
	f.update(func(tx storage.Tx) error {
		p, err := tx.Post(f.mine.workspace, id)
		if err != nil {
			return err
		}
		change(&p)
		p.Version++
		return tx.PutPost(p)
	})
}

// changeAccount changes a stored account behind the API's back.
func (f *fixture) changeAccount(id string, change func(*schedctl.Account)) {
	f.t.Helper()
	f.update(func(tx storage.Tx) error {
		a, err := tx.Account(f.mine.workspace, id)
		if err != nil {
			return err
		}
		change(&a)
		return tx.PutAccount(a)
	})
}

// limit sets the character limit of an account's network.
func (f *fixture) limit(id string, characters int) {
	f.t.Helper()
	f.changeAccount(id, func(a *schedctl.Account) { a.Limits = schedctl.Limits{MaxCharacters: characters, Unit: "characters"} })
}

// option changes a request of a test.
type option func(*http.Request)

func as(key string) option { return header("Authorization", "Bearer "+key) }

func header(name, value string) option {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func key(idempotencyKey string) option { return header("Idempotency-Key", idempotencyKey) }

// all combines options.
func all(options ...option) option {
	return func(r *http.Request) {
		for _, o := range options {
			o(r)
		}
	}
}

// do sends a request below /api/v1, by default with my key. A string or bytes are
// sent unchanged as the body, anything else but nil as JSON.
func (f *fixture) do(o option, method, path string, body any) *response {
	f.t.Helper()
	return f.exchange(o, method, "/api/v1"+path, body)
}

// decidedObject returns the path of the object that a request with this path decides about.
func decidedObject(path string) (object string, decides bool) {
	for _, verb := range []string{"/approve", "/request-changes"} {
		if object, decides = strings.CutSuffix(path, verb); decides {
			return object, true
		}
	}
	return "", false
}

// exchange sends a request to any path. A decision about a post or a series names the
// version that it has now, unless o changes If-Match.
func (f *fixture) exchange(o option, method, path string, body any) *response {
	f.t.Helper()
	var raw []byte
	switch b := body.(type) {
	case nil:
	case string:
		raw = []byte(b)
	case []byte:
		raw = b
	default:
		var err error
		if raw, err = json.Marshal(b); err != nil {
			f.t.Fatal(err)
		}
	}
	r := httptest.NewRequest(method, path, bytes.NewReader(raw))
	r.Header.Set("Authorization", "Bearer "+f.mine.key)
	if object, decides := decidedObject(path); decides && method == http.MethodPost {
		r.Header.Set("If-Match", cmp.Or(f.exchange(nil, http.MethodGet, object, nil).header.Get("ETag"), `"1"`))
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if o != nil {
		o(r)
	}
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	res := &response{t: f.t, method: method, path: path, status: w.Code, header: w.Header(), body: w.Body.Bytes()}
	checkDocumented(f.t, r, raw, res)
	return res
}

// response is a response in a test.
type response struct {
	t            *testing.T
	method, path string
	status       int
	header       http.Header
	body         []byte
}

// want fails the test unless the response has this status.
func (r *response) want(status int) *response {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("%s %s has the status %d, want %d: %s", r.method, r.path, r.status, status, r.body)
	}
	return r
}

// refused fails the test unless the response is the error envelope of this code.
func (r *response) refused(code schedctl.Code) apiv1.Error {
	r.t.Helper()
	e := decodeAs[apiv1.ErrorEnvelope](r.t, r.want(api.Status(code))).Error
	if e.Code != code {
		r.t.Fatalf("%s %s is refused with %s and not %s: %s", r.method, r.path, e.Code, code, e.Message)
	}
	if e.Message == "" || e.RequestID == "" || e.RequestID != r.header.Get("X-Request-Id") {
		r.t.Fatalf("%s %s: message %q, request_id %q, X-Request-Id %q", r.method, r.path, e.Message, e.RequestID, r.header.Get("X-Request-Id"))
	}
	return e
}

// post returns the post of the response.
func (r *response) post() apiv1.Post {
	r.t.Helper()
	return decodeAs[apiv1.PostEnvelope](r.t, r).Post
}

// account returns the account of the response.
func (r *response) account() apiv1.Account {
	r.t.Helper()
	return decodeAs[apiv1.AccountEnvelope](r.t, r).SocialAccount
}

func decodeAs[T any](t *testing.T, r *response) (v T) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(r.body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s %s: %v in %q", r.method, r.path, err, r.body)
	}
	return v
}

// body is a JSON object.
type body = map[string]any

// in returns a time relative to now, in the format of requests.
func in(d time.Duration) string {
	return apiv1.NewTime(time.Now().Add(d).UTC().Truncate(time.Millisecond)).String()
}

// create creates a post with my key.
func (f *fixture) create(b body) apiv1.Post {
	f.t.Helper()
	return f.do(nil, "POST", "/posts", b).want(http.StatusCreated).post()
}

func (f *fixture) draft() apiv1.Post {
	f.t.Helper()
	return f.create(body{"content": "a draft", "social_account_ids": []string{f.mine.account}})
}

func (f *fixture) scheduled() apiv1.Post {
	f.t.Helper()
	return f.create(body{"content": "a plan", "social_account_ids": []string{f.mine.account}, "publish_at": in(time.Hour)})
}

// inStatus creates a post with one target and brings it to a status.
func (f *fixture) inStatus(status schedctl.Status) apiv1.Post {
	f.t.Helper()
	switch status {
	case schedctl.Draft:
		return f.draft()
	case schedctl.Scheduled:
		return f.scheduled()
	}
	p := f.create(body{"content": "now", "social_account_ids": []string{f.mine.account}, "publish_at": "now"})
	switch status {
	case schedctl.Published:
		f.finish(p.ID, schedctl.Result{Receipt: &schedctl.Receipt{ID: "n1", URL: "https://fake.example/n1"}})
	case schedctl.Failed:
		f.finish(p.ID, schedctl.Result{Error: &schedctl.TargetError{Kind: schedctl.KindContent, Message: "no", Outcome: schedctl.OutcomeNotPublished}})
	case schedctl.Canceled:
		f.do(nil, "POST", "/posts/"+p.ID+"/cancel", nil).want(http.StatusOK)
	}
	return f.do(nil, "GET", "/posts/"+p.ID, nil).want(http.StatusOK).post()
}

// finish ends the first target of a post as the deliverer would.
func (f *fixture) finish(id string, result schedctl.Result) {
	f.t.Helper()
	f.changeStored(id, func(p *schedctl.Post) {
		target := p.Targets[0].ID
		_, err := p.Begin(schedctl.Claim{TargetID: target, Owner: "test", Lease: time.Minute, Key: target}, time.Now())
		_, err2 := p.Finish(target, result, time.Now())
		if err := errors.Join(err, err2); err != nil {
			f.t.Fatal(err)
		}
	})
}

// events returns the types of all stored events of a post.
func (f *fixture) events(postID string) string {
	f.t.Helper()
	var types []string
	err := f.store.View(f.t.Context(), func(r storage.Reader) error {
		events, err := r.Events("", 10_000)
		types = nil
		for _, e := range events {
			if e.PostID == postID {
				types = append(types, string(e.Type))
			}
		}
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return strings.Join(types, " ")
}

// syncBuffer is a buffer for logs.
type syncBuffer struct {
	mu  sync.Mutex // mu guards buf
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
