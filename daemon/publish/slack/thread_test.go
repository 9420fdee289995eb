package slack_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/recorded"
	"github.com/schedctl/schedctl/daemon/publish/slack"
)

// readsThread recognizes the questions for the messages to which a reply belongs.
func readsThread(r *http.Request) bool {
	method := path.Base(r.URL.Path)
	return r.Method == http.MethodGet && (method == "conversations.replies" || method == "chat.getPermalink")
}

// slackChannel is a fake of a channel with threads. As Slack does, it posts a reply to a
// missing message as a message of its own, and keeps a deleted message with replies as a
// tombstone.
type slackChannel struct {
	connect http.Handler

	mu       sync.Mutex // mu guards the fields below
	messages []*slackMessage
	flat     bool              // post replies as messages of their own
	refused  map[string]string // the errors of methods
	asked    []string          // the methods of questions
}

type slackMessage struct {
	TS       string          `json:"ts"`
	ThreadTS string          `json:"thread_ts,omitempty"`
	Subtype  string          `json:"subtype,omitempty"`
	Metadata json.RawMessage `json:"metadata,omitempty"`

	Reactions []map[string]any `json:"reactions,omitempty"`
	Replies   int              `json:"reply_count,omitempty"`

	sent map[string]any
}

func newChannel(t *testing.T) *slackChannel {
	return &slackChannel{connect: recorded.Handler(t, "testdata/connect.json"), refused: map[string]string{}}
}

func (s *slackChannel) withoutThreads() *slackChannel {
	s.flat = true
	return s
}

func (s *slackChannel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	method, query := path.Base(r.URL.Path), r.URL.Query()
	if r.Method == http.MethodGet {
		s.asked = append(s.asked, method)
	}
	if name := s.refused[method]; name != "" {
		fmt.Fprintf(w, `{"ok":false,"error":%q}`, name)
		return
	}
	switch method {
	case "chat.postMessage":
		s.post(w, r)
	case "conversations.replies":
		s.list(w, func(m *slackMessage) bool { return m.TS == query.Get("ts") || m.ThreadTS == query.Get("ts") }, "thread_not_found")
	case "conversations.history":
		if query.Get("latest") != "" {
			s.latest(w, query.Get("latest"))
			return
		}
		s.list(w, func(m *slackMessage) bool { return m.ThreadTS == "" }, "")
	case "chat.getPermalink":
		s.list(w, func(m *slackMessage) bool { return m.TS == query.Get("message_ts") }, "message_not_found")
	default:
		s.connect.ServeHTTP(w, r)
	}
}

func (s *slackChannel) post(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m := &slackMessage{TS: fmt.Sprintf("1780412400.%06d", 247+len(s.messages))}
	var sent struct {
		ThreadTS string `json:"thread_ts"`
		Metadata json.RawMessage
	}
	_ = json.Unmarshal(body, &sent)
	_ = json.Unmarshal(body, &m.sent)
	m.Metadata = sent.Metadata
	if !s.flat && s.find(sent.ThreadTS) != nil {
		m.ThreadTS = sent.ThreadTS
	}
	s.messages = append(s.messages, m)
	encoded, _ := json.Marshal(m)
	fmt.Fprintf(w, `{"ok":true,"channel":"C0123456789","ts":%q,"message":%s}`, m.TS, encoded)
}

func (s *slackChannel) list(w http.ResponseWriter, include func(*slackMessage) bool, missing string) {
	list := []*slackMessage{}
	for _, m := range s.messages {
		if include(m) {
			list = append(list, m)
		}
	}
	if len(list) == 0 && missing != "" {
		fmt.Fprintf(w, `{"ok":false,"error":%q}`, missing)
		return
	}
	encoded, _ := json.Marshal(list)
	fmt.Fprintf(w, `{"ok":true,"messages":%s,"response_metadata":{"next_cursor":""}}`, encoded)
}

// latest returns the newest message that is not newer than ts.
func (s *slackChannel) latest(w http.ResponseWriter, ts string) {
	var newest *slackMessage
	for _, m := range s.messages {
		if m.ThreadTS == "" && m.TS <= ts && (newest == nil || m.TS > newest.TS) {
			newest = m
		}
	}
	s.list(w, func(m *slackMessage) bool { return m == newest }, "")
}

func (s *slackChannel) find(ts string) *slackMessage {
	for _, m := range s.messages {
		if m.TS == ts {
			return m
		}
	}
	return nil
}

// remove deletes a message as its author would.
func (s *slackChannel) remove(ts string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rest []*slackMessage
	for _, m := range s.messages {
		if m.TS != ts {
			rest = append(rest, m)
		}
		if m.ThreadTS == ts {
			s.find(ts).Subtype, s.find(ts).Metadata = "tombstone", nil
		}
	}
	if root := s.find(ts); root.Subtype == "" {
		s.messages = rest
	}
}

// replyTo returns the request of the part after a parent.
func replyTo(r publish.Request, root, parent schedctl.Receipt) publish.Request {
	r.Part, r.Kind, r.Root, r.Parent = r.Part+1, schedctl.PartReply, &root, &parent
	r.Key = publish.PartKey(nil, r.TargetID, r.Part)
	return r
}

// thread publishes two parts and returns their receipts.
func thread(t *testing.T, p *slack.Publisher, r publish.Request) (first, second schedctl.Receipt) {
	t.Helper()
	first, err := p.Publish(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	second, err = p.Publish(t.Context(), replyTo(r, first, first))
	if err != nil {
		t.Fatal(err)
	}
	return first, second
}

func TestReply(t *testing.T) {
	t.Parallel()
	s := newChannel(t)
	p, c := serve(t, s)
	r := request(c)
	first, second := thread(t, p, r)
	want := schedctl.Receipt{ID: "1780412400.000248", URL: channel + "/p1780412400000248?cid=C0123456789&thread_ts=" + first.ID}
	if !second.Equal(want) {
		t.Errorf("got %+v, want %+v", second, want)
	}
	third := replyTo(r, first, second)
	third.Part = 2
	if got, err := p.Publish(t.Context(), third); err != nil || got.Degraded != (schedctl.Degradation{}) {
		t.Errorf("got %+v, %v", got, err)
	}
	for i, m := range s.messages[1:] {
		if m.ThreadTS != first.ID {
			t.Errorf("reply %d is in the thread %q, want that of the first part", i+1, m.ThreadTS)
		}
	}
	asked := []string{"conversations.replies", "conversations.replies", "chat.getPermalink"}
	if diff := cmp.Diff(asked, s.asked); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
}

func TestADeletedPartStopsTheThread(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		withoutScope bool
		remove       int // the index of the part to delete
		parts        int // that were published before
		stops        bool
	}{
		"the first part":                                     {remove: 0, parts: 1, stops: true},
		"the first part, without the scope":                  {withoutScope: true, remove: 0, parts: 1, stops: true},
		"the first part, with replies":                       {remove: 0, parts: 2, stops: true},
		"the part before":                                    {remove: 1, parts: 2, stops: true},
		"the part before, without the scope":                 {withoutScope: true, remove: 1, parts: 2, stops: true},
		"the first part, with replies and without the scope": {withoutScope: true, remove: 0, parts: 2}, // Slack does not tell
	} {
		s := newChannel(t)
		p, c := serve(t, s)
		if tt.withoutScope {
			s.refused["conversations.replies"] = "missing_scope"
		}
		r := request(c)
		first, err := p.Publish(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		parts := []schedctl.Receipt{first}
		if tt.parts == 2 {
			second, err := p.Publish(t.Context(), replyTo(r, first, first))
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, second)
		}
		s.remove(parts[tt.remove].ID)
		before := len(s.messages)
		next := replyTo(r, first, parts[len(parts)-1])
		next.Part = tt.parts
		_, err = p.Publish(t.Context(), next)
		if !tt.stops {
			if err != nil {
				t.Errorf("%s: got %v", name, err)
			}
			continue
		}
		e := publish.AsError(err)
		if e.Code != publish.CodeParentMissing || e.Kind != schedctl.KindContent || e.Outcome != schedctl.OutcomeNotPublished || len(s.messages) != before {
			t.Errorf("%s: got %+v and %d new messages", name, e, len(s.messages)-before)
		}
	}
}

func TestCheckParentErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, replies, permalink string // the errors of the two methods
		kind                     schedctl.ErrorKind
		code                     string
	}{
		{"neither", "missing_scope", "channel_not_found", schedctl.KindContent, "channel_not_found"},
		{"a revoked token", "token_revoked", "token_revoked", schedctl.KindAuth, "token_revoked"},
		{"too often", "ratelimited", "ratelimited", schedctl.KindRateLimited, "ratelimited"},
		{"broken", "internal_error", "", schedctl.KindPlatform, "internal_error"},
	} {
		s := newChannel(t)
		p, c := serve(t, s)
		first, err := p.Publish(t.Context(), request(c))
		if err != nil {
			t.Fatal(err)
		}
		s.refused["conversations.replies"], s.refused["chat.getPermalink"] = tt.replies, tt.permalink
		_, err = p.Publish(t.Context(), replyTo(request(c), first, first))
		if e := publish.AsError(err); e.Kind != tt.kind || e.Code != tt.code || e.Outcome != schedctl.OutcomeNotPublished || len(s.messages) != 1 {
			t.Errorf("%s: got %+v", tt.name, e)
		}
	}
}

func TestRefusedReplies(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{
		"thread_not_found":                         publish.CodeParentMissing,
		"message_not_found":                        publish.CodeParentMissing,
		"cannot_reply_to_message":                  "cannot_reply_to_message",
		"restricted_action_non_threadable_channel": "restricted_action_non_threadable_channel",
	} {
		s := newChannel(t)
		p, c := serve(t, s)
		first, err := p.Publish(t.Context(), request(c))
		if err != nil {
			t.Fatal(err)
		}
		s.refused["chat.postMessage"] = name
		_, err = p.Publish(t.Context(), replyTo(request(c), first, first))
		if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != code || e.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%s: got %+v", name, e)
		}
	}
}

// A reply that Slack posted as a message of its own is not in the thread.
func TestFindALostReply(t *testing.T) {
	t.Parallel()
	s := newChannel(t).withoutThreads()
	p, c := serve(t, s)
	r := request(c)
	first, second := thread(t, p, r)
	s.remove(first.ID)
	got, found, err := p.Find(t.Context(), replyTo(r, first, first), time.Time{})
	if err != nil || !found || got.ID != second.ID || got.Degraded.Code != schedctl.DegradedReply {
		t.Errorf("got %+v, %v, %v", got, found, err)
	}
}

func TestWebhooksDoNotReply(t *testing.T) {
	t.Parallel()
	p := slack.New(nil, outbound.PublicOnly, "test")
	r := request(hook("https://hooks.slack.com" + webhook))
	r.Account.ProfileURL = "https://hooks.slack.com"
	if rules := p.ThreadRules(r.Account); !strings.Contains(rules.Refused, "connect a bot") {
		t.Errorf("got %+v", rules)
	}
	for _, profile := range []string{"https://hooks.slack.com", ""} {
		r.Account.ProfileURL = profile
		_, err := p.Publish(t.Context(), replyTo(r, receipt, receipt))
		if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != "thread" {
			t.Errorf("profile %q: got %+v", profile, e)
		}
	}
}

func TestSuppressPreviews(t *testing.T) {
	t.Parallel()
	s := newChannel(t)
	p, c := serve(t, s)
	r := request(c)
	r.Preview.Mode = schedctl.PreviewNone
	if _, err := p.Publish(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if sent := s.messages[0].sent; sent["unfurl_links"] != false || sent["unfurl_media"] != false {
		t.Errorf("got %v", sent)
	}
}

func TestCheckExtras(t *testing.T) {
	t.Parallel()
	p := slack.New(nil, outbound.PublicOnly, "test")
	for _, tt := range []struct {
		name     string
		change   func(*publish.Content)
		code     string // of the only problem, or empty
		warnings int
	}{
		{"public", func(c *publish.Content) { c.Visibility = "public" }, "", 0},
		{"direct", func(c *publish.Content) { c.Visibility = "direct" }, "visibility", 0},
		{"a content warning", func(c *publish.Content) { c.ContentWarning = "food" }, "content_warning", 0},
		{"a language", func(c *publish.Content) { c.Language = "en" }, "", 1},
		{"a card", func(c *publish.Content) { c.Preview.Mode = schedctl.PreviewCard }, "", 1},
		{"a poll", func(c *publish.Content) { c.Poll = &schedctl.Poll{} }, "poll", 0},
		{"a reply", func(c *publish.Content) { c.Kind = schedctl.PartReply }, "", 0},
	} {
		content := publish.Text("hello")
		tt.change(&content)
		c := p.Check(schedctl.Account{ProfileURL: channel}, content)
		publish.CheckExtras(&c, p, schedctl.Account{ProfileURL: channel}, content)
		var codes []string
		for _, e := range c.Problems {
			codes = append(codes, e.Code)
		}
		if got := strings.Join(codes, " "); got != tt.code || len(c.Warnings) != tt.warnings {
			t.Errorf("%s: problems %q, warnings %q", tt.name, got, c.Warnings)
		}
	}
}
