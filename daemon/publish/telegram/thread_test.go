package telegram_test

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
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/recorded"
	"github.com/schedctl/schedctl/daemon/publish/telegram"
)

// chat is a Bot API server with one chat, whose messages are numbered from 42.
type chat struct {
	connect http.Handler

	mu          sync.Mutex // mu guards the fields below
	calls       []call
	deleted     map[int]bool
	dropReplies bool           // send replies as messages of their own
	poll        map[string]any // members of the polls in responses
}

type call struct {
	method string
	values map[string]any // parameters; those of a form are strings
}

func newChat(t *testing.T) *chat {
	return &chat{connect: recorded.Handler(t, "testdata/connect.json"), deleted: map[int]bool{}}
}

func (c *chat) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method := path.Base(r.URL.Path)
	if !strings.HasPrefix(method, "send") {
		c.connect.ServeHTTP(w, r)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	values, files := readParameters(r)
	var reply struct {
		ID     int  `json:"message_id"`
		Anyway bool `json:"allow_sending_without_reply"`
	}
	if text, ok := values["reply_parameters"].(string); ok {
		_ = json.Unmarshal([]byte(text), &reply)
	} else if encoded, err := json.Marshal(values["reply_parameters"]); err == nil {
		_ = json.Unmarshal(encoded, &reply)
	}
	if missing := reply.ID >= 42+len(c.calls) || c.deleted[reply.ID]; reply.ID != 0 && missing && !reply.Anyway {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"ok":false,"error_code":400,"description":"Bad Request: message to be replied not found"}`)
		return
	}
	c.calls = append(c.calls, call{method, values})
	more := ""
	if reply.ID != 0 && !c.dropReplies {
		more = fmt.Sprintf(`,"reply_to_message":%s`, message(reply.ID, ""))
	}
	if files > 0 {
		more += photo
	}
	if c.poll != nil {
		encoded, _ := json.Marshal(c.poll)
		more += `,"poll":` + string(encoded)
	}
	result := message(41+len(c.calls), more)
	if method == "sendMediaGroup" {
		result = "[" + result + strings.Repeat(","+message(900, photo), files-1) + "]"
	}
	fmt.Fprintf(w, `{"ok":true,"result":%s}`, result)
}

// readParameters reads the parameters of a request, and counts its files.
func readParameters(r *http.Request) (values map[string]any, files int) {
	if r.Header.Get("Content-Type") == "application/json" {
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &values)
		return values, 0
	}
	values = map[string]any{}
	for _, p := range formOf(r) {
		if p.file != "" {
			files++
			continue
		}
		values[p.name] = p.body
	}
	return values, files
}

func (c *chat) start(t *testing.T) (*telegram.Publisher, publish.Request) {
	t.Helper()
	server := httptest.NewServer(c)
	client := outbound.Client(outbound.AllowPrivate)
	t.Cleanup(func() {
		client.CloseIdleConnections()
		server.Close()
	})
	return telegram.New(client, outbound.AllowPrivate, "test"), publish.Request{
		Content: content, Credentials: credentials(server.URL, "-1001234567890"), Account: schedctl.Account{},
	}
}

// replyTo returns the request of the part after its parent.
func replyTo(r publish.Request, parent schedctl.Receipt) publish.Request {
	r.Part, r.Kind, r.Root, r.Parent = r.Part+1, schedctl.PartReply, &parent, &parent
	return r
}

func TestReply(t *testing.T) {
	t.Parallel()
	picture := publishtest.TestFile("image/jpeg", 1)
	for _, tt := range []struct {
		name   string
		files  []publish.File
		method string
		want   any
	}{
		{"text", nil, "sendMessage", map[string]any{"message_id": 42.0, "allow_sending_without_reply": false}},
		{"picture", []publish.File{picture}, "sendPhoto", `{"message_id":42,"allow_sending_without_reply":false}`},
		{"group", []publish.File{picture, picture}, "sendMediaGroup", `{"message_id":42,"allow_sending_without_reply":false}`},
	} {
		c := newChat(t)
		p, r := c.start(t)
		first, err := p.Publish(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		reply := replyTo(r, first)
		reply.Files = tt.files
		got, err := p.Publish(t.Context(), reply)
		if err != nil || got.ID != "43" || got.Degraded != (schedctl.Degradation{}) {
			t.Fatalf("%s: got %+v, %v", tt.name, got, err)
		}
		if diff := cmp.Diff(tt.want, c.calls[1].values["reply_parameters"]); c.calls[1].method != tt.method || diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", tt.name, c.calls[1].method, diff)
		}
		c.mu.Lock()
		c.deleted[43] = true
		c.mu.Unlock()
		late := replyTo(r, got)
		late.Files = tt.files
		_, err = p.Publish(t.Context(), late)
		if e := publish.AsError(err); e.Code != publish.CodeParentMissing || e.Kind != schedctl.KindContent || len(c.calls) != 2 {
			t.Errorf("%s: to a deleted message: got %+v and %d messages", tt.name, e, len(c.calls))
		}
	}
}

func TestAPartWithoutAKnownParent(t *testing.T) {
	t.Parallel()
	p, r := newChat(t).start(t)
	for _, id := range []string{"", "x"} {
		_, err := p.Publish(t.Context(), replyTo(r, schedctl.Receipt{ID: id}))
		if e := publish.AsError(err); e.Code != publish.CodeParentMissing {
			t.Errorf("parent %q: got %+v", id, e)
		}
	}
}

func TestPublishPoll(t *testing.T) {
	t.Parallel()
	c := newChat(t)
	p, r := c.start(t)
	r.Account.Options = schedctl.Options{"silent": true}
	r.Poll = &schedctl.Poll{Options: []string{"yes", "no"}, ExpiresIn: 24 * time.Hour, Multiple: true, HideTotals: true}
	full := map[string]any{"options": []any{"yes", "no"}, "allows_multiple_answers": true, "open_period": 86400, "allows_revoting": true}
	c.poll = full
	if got, err := p.Publish(t.Context(), r); err != nil || got.Degraded != (schedctl.Degradation{}) {
		t.Errorf("got %+v, %v", got, err)
	}
	want := call{"sendPoll", map[string]any{
		"chat_id": -1001234567890.0, "question": content, "options": []any{map[string]any{"text": "yes"}, map[string]any{"text": "no"}},
		"allows_multiple_answers": true, "open_period": 86400.0, "hide_results_until_closes": true, "disable_notification": true,
	}}
	if diff := cmp.Diff(want, c.calls[0], cmp.AllowUnexported(call{})); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
	for _, tt := range []struct {
		name, member string
		value        any
		says         string
	}{
		{"one option", "options", []any{"yes"}, "changed the poll"},
		{"one choice", "allows_multiple_answers", false, "changed the poll"},
		{"ten minutes", "open_period", 600, "another time"},
		{"no end", "open_period", nil, "another time"},
		{"an old server", "allows_revoting", nil, "shows the votes"},
		{"odd types", "options", 7, "changed the poll"},
	} {
		c.poll = map[string]any{}
		for name, value := range full {
			c.poll[name] = value
		}
		c.poll[tt.member] = tt.value
		if got, err := p.Publish(t.Context(), r); err != nil || got.Degraded.Code != "poll" || !strings.Contains(got.Degraded.Message, tt.says) {
			t.Errorf("%s: got %+v, %v", tt.name, got, err)
		}
	}
	c.poll = nil
	if got, err := p.Publish(t.Context(), r); err != nil || got.Degraded.Code != "poll" {
		t.Errorf("without a poll: got %+v, %v", got, err)
	}
}

func TestPollRefusals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		description string
		kind        schedctl.ErrorKind
		code        string
	}{
		{"not enough rights to send polls to the chat", schedctl.KindContent, "no_rights"},
		{"CHAT_SEND_POLL_FORBIDDEN", schedctl.KindContent, "no_rights"},
		{"not enough rights to send text messages to the chat", schedctl.KindAuth, "no_rights"},
		{"poll options must be unique", schedctl.KindContent, ""},
	} {
		_, err := publishRequest(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"ok":false,"error_code":400,"description":"Bad Request: %s"}`, tt.description)
		}, func(r *publish.Request) {
			r.Poll = &schedctl.Poll{Options: []string{"yes", "no"}, ExpiresIn: time.Hour}
		})
		if e := publish.AsError(err); e.Kind != tt.kind || e.Code != tt.code || e.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%s: got %+v", tt.description, e)
		}
	}
}

// publishRequest publishes a changed request to a server.
func publishRequest(t *testing.T, handler http.HandlerFunc, change func(*publish.Request)) (schedctl.Receipt, error) {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	client := outbound.Client(outbound.AllowPrivate)
	defer client.CloseIdleConnections()
	r := publish.Request{Content: content, Credentials: credentials(server.URL, "@release_news")}
	change(&r)
	return telegram.New(client, outbound.AllowPrivate, "test").Publish(t.Context(), r)
}

func TestLinkPreview(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		preview schedctl.LinkPreview
		option  any
		want    any
	}{
		{"default", schedctl.LinkPreview{}, nil, nil},
		{"the account's", schedctl.LinkPreview{}, false, map[string]any{"is_disabled": true}},
		{"none", schedctl.LinkPreview{Mode: schedctl.PreviewNone}, true, map[string]any{"is_disabled": true}},
		{"a card", schedctl.LinkPreview{Mode: schedctl.PreviewCard, URL: "https://example.org"}, false,
			map[string]any{"is_disabled": false, "url": "https://example.org"}},
	} {
		c := newChat(t)
		p, r := c.start(t)
		r.Preview = tt.preview
		if tt.option != nil {
			r.Account.Options = schedctl.Options{"link_preview": tt.option}
		}
		if _, err := p.Publish(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, c.calls[0].values["link_preview_options"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestCheckExtras(t *testing.T) {
	t.Parallel()
	p := telegram.New(nil, outbound.PublicOnly, "test")
	poll := schedctl.Poll{Options: []string{"yes", "no"}, ExpiresIn: 30 * 24 * time.Hour, Multiple: true, HideTotals: true}
	long := poll
	long.Options = []string{"yes", strings.Repeat("é", 101)}
	for _, tt := range []struct {
		name     string
		change   func(*publish.Content)
		code     string // of the only problem, or empty
		warnings int
	}{
		{"public", func(c *publish.Content) { c.Visibility = "public" }, "", 0},
		{"unlisted", func(c *publish.Content) { c.Visibility = "unlisted" }, "visibility", 0},
		{"a content warning", func(c *publish.Content) { c.ContentWarning = "food" }, "content_warning", 0},
		{"a language", func(c *publish.Content) { c.Language = "en" }, "", 1},
		{"a card", func(c *publish.Content) { c.Preview.Mode = schedctl.PreviewCard }, "", 1},
		{"a long question", func(c *publish.Content) { c.Poll, c.Text = &poll, strings.Repeat("é", 300) }, "", 0},
		{"too long a question", func(c *publish.Content) { c.Poll, c.Text = &poll, strings.Repeat("é", 301) }, "too_long", 0},
		{"too long an option", func(c *publish.Content) { c.Poll = &long }, "poll", 0},
		{"a poll with media", func(c *publish.Content) { c.Poll, c.Media = &poll, []publish.Media{{MIMEType: "image/png"}} }, "poll", 0},
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
