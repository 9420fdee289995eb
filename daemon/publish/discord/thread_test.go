package discord_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/discord"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/recorded"
)

func readsMessage(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/messages/")
}

// server is a channel with a webhook: it posts messages, and returns those of the
// webhook, as Discord documents it.
type server struct {
	connect http.Handler

	mu       sync.Mutex // mu guards the fields below
	messages []map[string]any
	deleted  map[string]bool
	dropPoll bool // publish messages without their poll
	forum    bool // a message without a thread starts one
}

func newServer(t *testing.T) *server {
	return &server{connect: recorded.Handler(t, "testdata/connect.json"), deleted: map[string]bool{}}
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.Method == http.MethodPost:
		s.post(w, r)
	case readsMessage(r):
		s.read(w, path.Base(r.URL.Path), r.URL.Query().Get("thread_id"))
	default:
		s.connect.ServeHTTP(w, r)
	}
}

func (s *server) post(w http.ResponseWriter, r *http.Request) {
	var m map[string]any
	if body, _ := io.ReadAll(r.Body); json.Unmarshal(body, &m) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if s.dropPoll {
		delete(m, "poll")
	}
	m["id"], m["channel_id"] = fmt.Sprint(1180000000000000042+len(s.messages)), "199737254929760257"
	if s.forum {
		if m["channel_id"] = r.URL.Query().Get("thread_id"); m["channel_id"] == "" {
			m["channel_id"] = m["id"]
		}
	}
	s.messages = append(s.messages, m)
	_ = json.NewEncoder(w).Encode(m)
}

func (s *server) read(w http.ResponseWriter, id, thread string) {
	for _, m := range s.messages {
		if m["id"] == id && !s.deleted[id] && (!s.forum || m["channel_id"] == thread) {
			_ = json.NewEncoder(w).Encode(m)
			return
		}
	}
	w.WriteHeader(http.StatusNotFound)
	fmt.Fprint(w, `{"message": "Unknown Message", "code": 10008}`)
}

// start starts the server and returns a publisher and a request for it.
func (s *server) start(t *testing.T) (*discord.Publisher, publish.Request) {
	t.Helper()
	return serve(t, s)
}

func serve(t *testing.T, h http.Handler) (*discord.Publisher, publish.Request) {
	t.Helper()
	web := httptest.NewServer(h)
	client := outbound.Client(outbound.AllowPrivate)
	t.Cleanup(func() {
		client.CloseIdleConnections()
		web.Close()
	})
	return discord.New(client, outbound.AllowPrivate, "test"), request(web.URL)
}

// replyTo returns the request of the part after its parent.
func replyTo(r publish.Request, parent schedctl.Receipt) publish.Request {
	r.Part, r.Kind, r.Root, r.Parent = r.Part+1, schedctl.PartReply, &parent, &parent
	return r
}

func TestADeletedPartStopsTheThread(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p, r := s.start(t)
	first, err := p.Publish(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	second, err := p.Publish(t.Context(), replyTo(r, first))
	if err != nil || second.ID == first.ID || second.Degraded != (schedctl.Degradation{}) {
		t.Fatalf("got %+v, %v", second, err)
	}
	s.mu.Lock()
	s.deleted[second.ID] = true
	s.mu.Unlock()
	_, err = p.Publish(t.Context(), replyTo(r, second))
	if e := publish.AsError(err); e.Code != publish.CodeParentMissing || e.Outcome != schedctl.OutcomeNotPublished || len(s.messages) != 2 {
		t.Errorf("got %+v and %d messages", e, len(s.messages))
	}
}

// A webhook can only read its own messages.
func TestThreadsContinueWithAnotherWebhook(t *testing.T) {
	t.Parallel()
	p, r := newServer(t).start(t)
	if _, err := p.Publish(t.Context(), replyTo(r, schedctl.Receipt{ID: "1", Ref: "223704706495545343"})); err != nil {
		t.Error(err)
	}
}

func TestCheckParentErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		status int
		body   string
		kind   schedctl.ErrorKind // empty if the part is published
		code   string
	}{
		{"no such method", 404, "<h1>404</h1>", "", ""},
		{"another method", 405, "", "", ""},
		{"may not read", 403, `{"message": "You lack permissions to perform that action", "code": 50013}`, "", ""},
		{"a firewall", 403, `{"message": "internal network error", "code": 40333}`, schedctl.KindPlatform, "40333"},
		{"no webhook", 404, `{"code": 10015}`, schedctl.KindAuth, "10015"},
		{"busy", 429, `{"retry_after": 1.5}`, schedctl.KindRateLimited, ""},
		{"broken", 502, "", schedctl.KindPlatform, ""},
		{"redirected", 303, "", schedctl.KindContent, "redirected"},
	} {
		s := newServer(t)
		p, r := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if readsMessage(r) {
				w.WriteHeader(tt.status)
				fmt.Fprint(w, tt.body)
				return
			}
			s.ServeHTTP(w, r)
		}))
		_, err := p.Publish(t.Context(), replyTo(r, schedctl.Receipt{ID: "1", Ref: webhookID}))
		if tt.kind == "" {
			if err != nil || len(s.messages) != 1 {
				t.Errorf("%s: got %v", tt.name, err)
			}
			continue
		}
		if e := publish.AsError(err); e.Kind != tt.kind || e.Code != tt.code || e.Outcome != schedctl.OutcomeNotPublished || len(s.messages) > 0 {
			t.Errorf("%s: got %+v and %d messages", tt.name, e, len(s.messages))
		}
	}
}

func TestAPartWithoutAKnownParent(t *testing.T) {
	t.Parallel()
	p := discord.New(nil, outbound.PublicOnly, "test")
	_, err := p.Publish(t.Context(), replyTo(request("https://discord.com"), schedctl.Receipt{}))
	if e := publish.AsError(err); e.Code != publish.CodeParentMissing {
		t.Errorf("got %+v", e)
	}
}

func TestPublishPoll(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p, r := s.start(t)
	r.Poll = &schedctl.Poll{Options: []string{"yes", "no"}, ExpiresIn: 48 * time.Hour, Multiple: true}
	got, err := p.Publish(t.Context(), r)
	if err != nil || got.Degraded != (schedctl.Degradation{}) {
		t.Errorf("got %+v, %v", got, err)
	}
	want := map[string]any{
		"id": got.ID, "channel_id": "199737254929760257",
		"poll": map[string]any{
			"question": map[string]any{"text": content},
			"answers": []any{
				map[string]any{"poll_media": map[string]any{"text": "yes"}},
				map[string]any{"poll_media": map[string]any{"text": "no"}},
			},
			"duration": 48.0, "allow_multiselect": true,
		},
	}
	if diff := cmp.Diff(want, s.messages[0]); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
	s.dropPoll = true
	if got, err := p.Publish(t.Context(), r); err != nil || got.Degraded.Code != "poll" {
		t.Errorf("without the poll: got %+v, %v", got, err)
	}
}

func TestSuppressPreviews(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p, r := s.start(t)
	r.Preview.Mode = schedctl.PreviewNone
	if _, err := p.Publish(t.Context(), r); err != nil || s.messages[0]["flags"] != 4.0 {
		t.Errorf("got %v, %v", s.messages, err)
	}
}

func TestForum(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.forum = true
	p, r := s.start(t)
	r.Account.Options = schedctl.Options{"forum": true}
	r.Content = " " + strings.Repeat("🙂", 101) + "\nmore"
	first, err := p.Publish(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if want := webhookID + " " + first.ID; first.Ref != want || first.URL != "https://discord.com/channels/199737254929760256/"+first.ID+"/"+first.ID {
		t.Errorf("got %+v, want the reference %q", first, want)
	}
	second, err := p.Publish(t.Context(), replyTo(r, first))
	if err != nil {
		t.Fatal(err)
	}
	third := replyTo(r, second)
	third.Part, third.Root = 2, &first
	if _, err := p.Publish(t.Context(), third); err != nil {
		t.Fatal(err)
	}
	names := []any{strings.Repeat("🙂", 99) + "…", nil, nil}
	for i, m := range s.messages {
		if m["channel_id"] != first.ID || m["thread_name"] != names[i] {
			t.Errorf("message %d is in the thread %v named %v", i, m["channel_id"], m["thread_name"])
		}
	}
}

func TestForumThreadNames(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.forum = true
	p, r := s.start(t)
	r.Account.Options = schedctl.Options{"forum": true}
	r.Poll = &schedctl.Poll{Options: []string{"yes", "no"}, ExpiresIn: time.Hour}
	if _, err := p.Publish(t.Context(), r); err != nil || s.messages[0]["thread_name"] != content {
		t.Errorf("a poll: got %v, %v", s.messages, err)
	}
	var form []part
	p, r = serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		form = formOf(r)
		fmt.Fprint(w, reply(r, 1))
	}))
	r.Account.Options = schedctl.Options{"forum": true}
	r.Content, r.Files = "", []publish.File{publishtest.TestFile("image/png", 1)}
	if _, err := p.Publish(t.Context(), r); err != nil || !strings.Contains(form[0].body, `"thread_name":"holiday 1.png"`) {
		t.Errorf("a file: got %v, %v", form, err)
	}
}

func TestCheckExtras(t *testing.T) {
	t.Parallel()
	p := discord.New(nil, outbound.PublicOnly, "test")
	poll := schedctl.Poll{Options: []string{"yes", "no"}, ExpiresIn: time.Hour}
	for _, tt := range []struct {
		name     string
		change   func(*publish.Content)
		code     string // of the only problem, or empty
		warnings int
	}{
		{"public", func(c *publish.Content) { c.Visibility = "public" }, "", 0},
		{"followers", func(c *publish.Content) { c.Visibility = "followers" }, "visibility", 0},
		{"a content warning", func(c *publish.Content) { c.ContentWarning = "food" }, "content_warning", 0},
		{"a language", func(c *publish.Content) { c.Language = "en" }, "", 1},
		{"a card", func(c *publish.Content) { c.Preview.Mode = schedctl.PreviewCard }, "", 1},
		{"no card", func(c *publish.Content) { c.Preview.Mode = schedctl.PreviewNone }, "", 0},
		{"a long question", func(c *publish.Content) { c.Poll, c.Text = &poll, strings.Repeat("🙂", 300) }, "", 0},
		{"too long a question", func(c *publish.Content) { c.Poll, c.Text = &poll, strings.Repeat("🙂", 301) }, "too_long", 0},
		{"no question", func(c *publish.Content) { c.Poll, c.Text = &poll, "" }, "empty", 0},
		{"a poll with media", func(c *publish.Content) { c.Poll, c.Media = &poll, []publish.Media{{}} }, "poll", 0},
		{"hidden votes", func(c *publish.Content) {
			hidden := poll
			hidden.HideTotals, c.Poll = true, &hidden
		}, "poll", 0},
	} {
		content := publish.Text("hello")
		tt.change(&content)
		c := p.Check(schedctl.Account{}, content)
		publish.CheckExtras(&c, p, schedctl.Account{}, content)
		var codes []string
		for _, e := range c.Problems {
			codes = append(codes, e.Code)
		}
		if got := strings.Join(codes, " "); got != tt.code || len(c.Warnings) != tt.warnings {
			t.Errorf("%s: problems %q, warnings %q", tt.name, got, c.Warnings)
		}
	}
}
