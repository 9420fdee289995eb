package mastodon_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/mastodon"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

var _ publish.Publisher = (*mastodon.Publisher)(nil)

const token = "t0ken-0123456789abcdef"

const (
	account    = `{"id":"1","username":"alice","acct":"alice","display_name":"Alice 🙂","url":"https://social.example/@alice"}`
	instanceV2 = `{"configuration":{"statuses":{"max_characters":1000,"characters_reserved_per_url":25}}}`
	newStatus  = `{"id":"109","url":"https://social.example/@alice/109","visibility":"unlisted"}`
)

// routes is a server with a status and a body for each path.
type routes map[string]struct {
	status int
	body   string
}

func (s routes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body) // or the connection may be closed while the client still writes
	answer, ok := s[r.Method+" "+r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.WriteHeader(answer.status)
	io.WriteString(w, answer.body)
}

func working() routes {
	return routes{
		"GET /api/v1/accounts/verify_credentials": {200, account},
		"GET /api/v2/instance":                    {200, instanceV2},
		"POST /api/v1/statuses":                   {200, newStatus},
	}
}

func connection(url string) publish.Connection {
	return publish.Connection{Credentials: publish.Credentials{"instance_url": url, "access_token": token}}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	publishtest.Run(t, publishtest.Suite{
		New:          func(c *http.Client) publish.Publisher { return mastodon.New(c, "test") },
		Connection:   connection,
		Network:      working(),
		Receipt:      schedctl.Receipt{ID: "109", URL: "https://social.example/@alice/109"},
		Key:          func(r *http.Request, _ []byte) string { return r.Header.Get("Idempotency-Key") },
		ConnectCalls: []string{"POST /api/v1/statuses/0/unreblog"},
		Preflight:    isPreflight,
		Media:        &publishtest.MediaSuite{Upload: isUpload, Network: newUploads()},
		Threads: &publishtest.ThreadSuite{
			Network: func() http.Handler { return &thread{} },
			Missing: &thread{gone: true}, Lost: &thread{drops: true}, Finds: true,
		},
	})
}

func TestRequest(t *testing.T) {
	t.Parallel()
	var header http.Header
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		body, _ = io.ReadAll(r.Body)
		io.WriteString(w, newStatus)
	}))
	defer server.Close()
	p := mastodon.New(outbound.Client(outbound.AllowPrivate), "1.2.3")
	for want, options := range map[string]schedctl.Options{
		`{"status":"hello"}`: nil,
		`{"status":"hello","visibility":"unlisted","language":"de","sensitive":false,"spoiler_text":"careful"}`: {
			"visibility": "unlisted", "language": "de", "sensitive": false, "spoiler_text": "careful", "pacing": "1s",
		},
	} {
		_, err := p.Publish(t.Context(), publish.Request{
			Content: "hello", Key: "pt_1", Credentials: connection(server.URL).Credentials, Account: schedctl.Account{Options: options},
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(body)); diff != "" {
			t.Errorf("body (-want +got):\n%s", diff)
		}
	}
	for name, want := range map[string]string{
		"Authorization": "Bearer " + token, "Content-Type": "application/json", "User-Agent": "schedctl/1.2.3", "Idempotency-Key": "pt_1",
	} {
		if got := header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestContentIsCheckedBeforeTheRequest(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		io.WriteString(w, newStatus)
	}))
	defer server.Close()
	p := mastodon.New(outbound.Client(outbound.AllowPrivate), "test")
	limits := schedctl.Limits{MaxCharacters: 50, URLCharacters: 23}
	for _, tt := range []struct {
		name, content, spoiler string
		limits                 schedctl.Limits
		code                   string // empty if it is sent
	}{
		{"at the limit", strings.Repeat("é", 50), "", limits, ""},
		{"over the limit", strings.Repeat("é", 51), "", limits, "too_long"},
		{"over with the warning", strings.Repeat("é", 45), "careful", limits, "too_long"},
		{"a long link", "see https://example.com/" + strings.Repeat("x", 200), "", limits, ""},
		{"two short links", "https://a.com https://b.com and words", "", limits, "too_long"},
		{"no limit known", strings.Repeat("é", 5000), "", schedctl.Limits{}, ""},
		{"white space", " \n\t", "", limits, "empty"},
		{"nothing", "", "", schedctl.Limits{}, "empty"},
	} {
		calls.Store(0)
		_, err := p.Publish(t.Context(), publish.Request{
			Content: tt.content, Credentials: connection(server.URL).Credentials,
			Account: schedctl.Account{Limits: tt.limits, Options: schedctl.Options{"spoiler_text": tt.spoiler}},
		})
		if tt.code == "" {
			if err != nil || calls.Load() != 1 {
				t.Errorf("%s: got %v after %d calls, want it sent once", tt.name, err, calls.Load())
			}
			continue
		}
		if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Outcome != schedctl.OutcomeNotPublished || e.Code != tt.code || calls.Load() != 0 {
			t.Errorf("%s: got %+v after %d calls, want content %s after none", tt.name, e, calls.Load(), tt.code)
		}
	}
}

func TestAStatusNeedsAnIDButNoURL(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(routes{"POST /api/v1/statuses": {200, `{"id":"109","url":null,"visibility":"private"}`}})
	defer server.Close()
	p := mastodon.New(outbound.Client(outbound.AllowPrivate), "test")
	receipt, err := p.Publish(t.Context(), publish.Request{Content: "hello", Credentials: connection(server.URL).Credentials})
	if err != nil || !receipt.Equal((schedctl.Receipt{ID: "109"})) {
		t.Errorf("got %+v, %v", receipt, err)
	}
}

func TestTheServersErrorTextIsShown(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(routes{"POST /api/v1/statuses": {403, `{"error":"This action is outside the authorized scopes"}`}})
	defer server.Close()
	p := mastodon.New(outbound.Client(outbound.AllowPrivate), "test")
	_, err := p.Publish(t.Context(), publish.Request{Content: "hello", Credentials: connection(server.URL).Credentials})
	want := "the access token may not publish; create one with the scope write:statuses, or log in with schedctl account add mastodon --login, and reconnect the account: This action is outside the authorized scopes"
	if e := publish.AsError(err); e.Message != want {
		t.Errorf("got %q, want %q", e.Message, want)
	}
}

// Some servers close a connection after a response without announcing it. A request
// on such a connection may be lost with an unknown outcome.
func TestConnectionsAreNotReused(t *testing.T) {
	t.Parallel()
	var opened atomic.Int64
	server := httptest.NewUnstartedServer(working())
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	p := mastodon.New(outbound.Client(outbound.AllowPrivate), "test")
	if _, err := p.Connect(t.Context(), connection(server.URL)); err != nil {
		t.Fatal(err)
	}
	before := opened.Load()
	for range 3 {
		if _, err := p.Publish(t.Context(), publish.Request{Content: "hello", Credentials: connection(server.URL).Credentials}); err != nil {
			t.Fatal(err)
		}
	}
	if n := opened.Load() - before; n != 3 {
		t.Errorf("%d connections for 3 statuses", n)
	}
}

func ExamplePublisher_Fields() {
	for _, f := range mastodon.New(nil, "").Fields() {
		fmt.Printf("%s: %s\n", f.Name, f.Help)
	}
	// Output:
	// instance_url: the server, such as mastodon.social
	// access_token: from Preferences, Development, with the scopes read:accounts, read:statuses, write:statuses and write:media
	// visibility: public, unlisted, private or direct
	// language: language code of the posts, such as en
	// sensitive: true to mark posts as sensitive
	// spoiler_text: content warning shown instead of the text
}
