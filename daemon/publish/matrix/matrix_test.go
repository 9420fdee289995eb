package matrix_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/matrix"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/recorded"
)

var (
	_ publish.Publisher    = (*matrix.Publisher)(nil)
	_ publish.PromptFinder = (*matrix.Publisher)(nil)
	_ publish.Uploader     = (*matrix.Publisher)(nil)
	_ publish.Threader     = (*matrix.Publisher)(nil)
	_ publish.Poller       = (*matrix.Publisher)(nil)
)

const (
	server  = "https://matrix.example.org"
	token   = "syt_YWxpY2U_0123456789abcdef_2T3u4v"
	room    = "!636q39766251:example.org"
	content = "Version 2 <is> out, @room 🙂"
)

var receipt = schedctl.Receipt{
	ID:  "$YUwRidLecu7Yiu6FYfRcZGbdvCRGPmVhQzWtVoL9tXk",
	URL: "https://matrix.to/#/%21636q39766251%3Aexample.org/%24YUwRidLecu7Yiu6FYfRcZGbdvCRGPmVhQzWtVoL9tXk?via=example.org",
}

func credentials(server, room string) publish.Credentials {
	return publish.Credentials{"homeserver_url": server, "access_token": token, "room_id": room}
}

// request returns a request for the room of the recorded exchanges.
func request() publish.Request {
	return publish.Request{
		TargetID: publishtest.TargetID, Key: publishtest.TargetID, Content: content, Credentials: credentials(server, room),
		Account: schedctl.Account{Username: "@alice:example.org"},
	}
}

func asksWhetherEncrypted(r *http.Request) bool { return path.Base(r.URL.Path) == "m.room.encryption" }

// preflight recognizes the requests before a message is sent.
func preflight(r *http.Request) bool { return asksWhetherEncrypted(r) || readsEvent(r) }

func TestConformance(t *testing.T) {
	t.Parallel()
	publishtest.Run(t, publishtest.Suite{
		New: func(c *http.Client) publish.Publisher { return matrix.New(c, outbound.AllowPrivate, "test") },
		Connection: func(url string) publish.Connection {
			return publish.Connection{Credentials: credentials(url, room)}
		},
		Network:   recorded.Handler(t, "testdata/connect.json", "testdata/publish.json"),
		Receipt:   receipt,
		Lasting:   true,
		Key:       func(r *http.Request, _ []byte) string { return path.Base(r.URL.Path) },
		Preflight: preflight,
		Media: &publishtest.MediaSuite{
			Network:  acceptFiles(newRoomServer(t)),
			Upload:   isUpload,
			Receipt:  schedctl.Receipt{ID: "$1", URL: eventURL("1")},
			Requests: eventsOf,
		},
		Threads: &publishtest.ThreadSuite{
			Network: func() http.Handler { return newRoomServer(t) },
			Missing: newRoomServer(t),
			Finds:   true,
		},
	})
}

func TestConformanceThroughAnAlias(t *testing.T) {
	t.Parallel()
	publishtest.Run(t, publishtest.Suite{
		New: func(c *http.Client) publish.Publisher { return matrix.New(c, outbound.AllowPrivate, "test") },
		Connection: func(url string) publish.Connection {
			return publish.Connection{Credentials: credentials(url, "#news:example.org")}
		},
		Network:   recorded.Handler(t, "testdata/connect.json", "testdata/publish.json"),
		Receipt:   receipt,
		Lasting:   true,
		Key:       func(r *http.Request, _ []byte) string { return path.Base(r.URL.Path) },
		Preflight: preflight,
		Media: &publishtest.MediaSuite{
			Network:  acceptFiles(newRoomServer(t)),
			Upload:   isUpload,
			Receipt:  schedctl.Receipt{ID: "$1", URL: eventURL("1")},
			Requests: eventsOf,
		},
		Threads: &publishtest.ThreadSuite{
			Network: func() http.Handler { return newRoomServer(t) },
			Missing: newRoomServer(t),
			Finds:   true,
		},
	})
}

// TestConformanceOfASession runs the suite with the session of a login.
func TestConformanceOfASession(t *testing.T) {
	t.Parallel()
	publishtest.Run(t, publishtest.Suite{
		New: func(c *http.Client) publish.Publisher { return matrix.New(c, outbound.AllowPrivate, "test") },
		Connection: func(url string) publish.Connection {
			c := credentials(url, room)
			maps.Copy(c, map[string]string{"refresh_token": "a-refresh-token", "device_id": "ABCDEFGHIJ"})
			return publish.Connection{Credentials: c}
		},
		Network: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if path.Base(r.URL.Path) == "refresh" {
				fmt.Fprint(w, `{"access_token":"another-token","refresh_token":"another-refresh-token","expires_in_ms":60000}`)
				return
			}
			recorded.Handler(t, "testdata/connect.json", "testdata/publish.json").ServeHTTP(w, r)
		}),
		Receipt: receipt,
		Renewed: []string{"access_token", "refresh_token"},

		ConnectCalls: []string{"POST /_matrix/client/v3/refresh"},
		Key:          func(r *http.Request, _ []byte) string { return path.Base(r.URL.Path) },
		Preflight:    preflight,
		Media: &publishtest.MediaSuite{
			Network:  acceptFiles(newRoomServer(t)),
			Upload:   isUpload,
			Receipt:  schedctl.Receipt{ID: "$1", URL: eventURL("1")},
			Requests: eventsOf,
		},
		Threads: &publishtest.ThreadSuite{
			Network: func() http.Handler { return newRoomServer(t) },
			Missing: newRoomServer(t),
			Finds:   true,
		},
	})
}

// rooms is a homeserver that creates one event per transaction id and drops the
// first response.
type rooms struct {
	mu     sync.Mutex // mu guards events
	events map[string]string
}

func (s *rooms) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if asksWhetherEncrypted(r) {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"errcode":"M_NOT_FOUND"}`)
		return
	}
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.events[r.URL.Path]; !known {
		s.events[r.URL.Path] = string(body)
		panic(http.ErrAbortHandler)
	}
	fmt.Fprintf(w, `{"event_id":"$%d"}`, len(s.events))
}

func TestARepeatedRequestIsOneEvent(t *testing.T) {
	t.Parallel()
	homeserver := &rooms{events: map[string]string{}}
	web := httptest.NewServer(homeserver)
	defer web.Close()
	p := matrix.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "test")
	r := request()
	r.Credentials["homeserver_url"] = web.URL
	r.Attempt = 1
	_, err := p.Publish(t.Context(), r)
	if e := publish.AsError(err); e.Outcome != schedctl.OutcomeUnknown {
		t.Fatalf("the lost response: got %+v", e)
	}
	r.Attempt = 2
	got, err := p.Publish(t.Context(), r)
	if err != nil || got.ID != "$1" || len(homeserver.events) != 1 {
		t.Errorf("got %+v, %v and %d events; want one", got, err, len(homeserver.events))
	}
}

func TestPublish(t *testing.T) {
	t.Parallel()
	p := matrix.New(recorded.Client(t, "testdata/publish.json"), outbound.PublicOnly, "1.2.3")
	got, err := p.Publish(t.Context(), request())
	if err != nil || !got.Equal(receipt) {
		t.Errorf("got %+v, %v; want %+v", got, err, receipt)
	}
}

// Only Connect resolves an alias: it may have moved to another room since.
func TestPublishNeedsTheRoomsID(t *testing.T) {
	t.Parallel()
	r := request()
	r.Credentials["room_id"] = "#news:example.org"
	_, err := matrix.New(nil, outbound.PublicOnly, "test").Publish(t.Context(), r)
	if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != "room_id" || e.Outcome != schedctl.OutcomeNotPublished {
		t.Errorf("got %+v", e)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	p := matrix.New(nil, outbound.PublicOnly, "test")
	for _, tt := range []struct {
		name, content string
		length        int
		codes         []string
	}{
		{"at the limit", strings.Repeat("x", 60000), 60000, nil},
		{"over the limit", strings.Repeat("🙂", 15001), 60004, []string{"too_long"}},
		{"escaped", "<b>\n\"é\"", 3 + 2 + 2 + 2 + 2, nil},
		{"white space", " \t", 3, []string{"empty"}},
		{"nothing", "", 0, []string{"empty"}},
	} {
		c := p.Check(schedctl.Account{}, publish.Text(tt.content))
		var codes []string
		for _, problem := range c.Problems {
			codes = append(codes, problem.Code)
		}
		if diff := cmp.Diff(tt.codes, codes); diff != "" || c.Length != tt.length || c.Limit != 60000 || c.Unit != "bytes" {
			t.Errorf("%s: got %+v, codes %v", tt.name, c, codes)
		}
		if tt.codes == nil {
			continue
		}
		r := request()
		r.Content = tt.content
		if _, err := p.Publish(t.Context(), r); publish.AsError(err).Code != tt.codes[0] {
			t.Errorf("%s: publishing returned %v before any request", tt.name, err)
		}
	}
}

func ExamplePublisher_Fields() {
	for _, f := range matrix.New(nil, outbound.PublicOnly, "").Fields() {
		fmt.Printf("%s: %s\n", f.Name, f.Help)
	}
	// Output:
	// homeserver_url: the address of the homeserver, such as https://matrix.example.org
	// room_id: the !id or #alias:example.org of a room that is not encrypted and in which the user may write
	// user: with password: a user who has joined the room, such as news or @news:example.org
	// password: of the user; it is not stored; or give access_token, or use --login
	// access_token: of a user who has joined the room
	// refresh_token: set by --login
	// client_id: set by --login
	// device_id: set by --login
	// ends_at: set by --login
}
