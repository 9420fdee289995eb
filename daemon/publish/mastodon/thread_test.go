package mastodon_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/mastodon"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

var (
	_ publish.Threader = (*mastodon.Publisher)(nil)
	_ publish.Poller   = (*mastodon.Publisher)(nil)
)

// thread is a server that keeps statuses and their replies.
type thread struct {
	mu       sync.Mutex // mu guards the fields below
	statuses []map[string]any
	last     map[string]any // the body of the last status that was sent

	drops    bool // replies become statuses of their own, and polls are dropped
	hides    bool // replies are not among the statuses of an account
	noThread bool // there is no context of a status
	gone     bool // no status can be read
	read     int  // the HTTP status of reading a status, or 0
	instance string
	software string
}

func (s *thread) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, isContext := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/api/v1/statuses/"), "/context")
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/api/v1/statuses":
		s.post(w, r)
	case r.URL.Path == "/api/v1/accounts/1/statuses":
		s.list(w, func(status map[string]any) bool { return !s.hides || status["in_reply_to_id"] == nil })
	case isContext && !s.noThread:
		io.WriteString(w, `{"ancestors":[],"descendants":`)
		s.list(w, func(status map[string]any) bool { return status["in_reply_to_id"] == id })
		io.WriteString(w, `}`)
	case strings.HasPrefix(r.URL.Path, "/api/v1/statuses/") && r.Method == http.MethodGet && s.read != 0:
		w.WriteHeader(s.read)
		io.WriteString(w, `{"error":"This action is outside the authorized scopes"}`)
	case strings.HasPrefix(r.URL.Path, "/api/v1/statuses/") && r.Method == http.MethodGet && !s.gone && s.status(id) != nil:
		json.NewEncoder(w).Encode(s.status(id))
	case r.URL.Path == "/api/v2/instance" && s.instance != "":
		io.WriteString(w, s.instance)
	case r.URL.Path == "/.well-known/nodeinfo" && s.software != "":
		fmt.Fprintf(w, `{"links":[{"rel":"http://nodeinfo.diaspora.software/ns/schema/2.0","href":"http://%s/nodeinfo"}]}`, r.Host)
	case r.URL.Path == "/nodeinfo" && s.software != "":
		fmt.Fprintf(w, `{"software":{"name":%q}}`, s.software)
	default:
		working().ServeHTTP(w, r)
	}
}

func (s *thread) status(id string) map[string]any {
	for _, status := range s.statuses {
		if status["id"] == id {
			return status
		}
	}
	return nil
}

func (s *thread) list(w io.Writer, include func(map[string]any) bool) {
	page := []map[string]any{}
	for _, status := range s.statuses {
		if include(status) {
			page = append(page, status)
		}
	}
	json.NewEncoder(w).Encode(page)
}

func (s *thread) post(w http.ResponseWriter, r *http.Request) {
	body := map[string]any{}
	json.NewDecoder(r.Body).Decode(&body)
	s.last = body
	id := fmt.Sprint(109 + len(s.statuses))
	status := map[string]any{
		"id": id, "url": "https://social.example/@alice/" + id, "text": body["status"], "visibility": "public", "account": map[string]any{"id": "1"},
		"created_at": time.Now().UTC().Format(time.RFC3339Nano), "in_reply_to_id": body["in_reply_to_id"], "poll": body["poll"], "media_attachments": []any{},
	}
	if s.drops {
		status["in_reply_to_id"], status["poll"] = nil, nil
	}
	s.statuses = append([]map[string]any{status}, s.statuses...)
	json.NewEncoder(w).Encode(status)
}

// isPreflight recognizes the requests that Publish sends before the status.
func isPreflight(r *http.Request) bool {
	return isGetMedia(r) || r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/api/v1/statuses/")
}

func startThread(t *testing.T, s *thread) (*mastodon.Publisher, publish.Request) {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return mastodon.New(outbound.Client(outbound.AllowPrivate), "test"), publish.Request{
		TargetID: "pt_1", Key: "pt_1", Content: "Hello, thread", Kind: schedctl.PartPost, Credentials: connection(server.URL).Credentials,
	}
}

// reply publishes part 0 and returns the request of part 1.
func reply(t *testing.T, p *mastodon.Publisher, r publish.Request) publish.Request {
	t.Helper()
	root, err := p.Publish(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	r.Part, r.Kind, r.Key, r.Root, r.Parent, r.Content = 1, schedctl.PartReply, "pt_1-1", &root, &root, "The second part"
	return r
}

func TestReadingTheParent(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]publish.Error{
		404: {Kind: schedctl.KindContent, Code: publish.CodeParentMissing},
		410: {Kind: schedctl.KindContent, Code: publish.CodeParentMissing},
		401: {Kind: schedctl.KindAuth},
		403: {Kind: schedctl.KindContent, Code: "missing_scope"},
		429: {Kind: schedctl.KindRateLimited},
		500: {Kind: schedctl.KindPlatform},
	} {
		s := &thread{}
		p, r := startThread(t, s)
		r = reply(t, p, r)
		s.read = status
		_, err := p.Publish(t.Context(), r)
		e := publish.AsError(err)
		if e.Kind != want.Kind || want.Code != "" && e.Code != want.Code || e.Outcome != schedctl.OutcomeNotPublished || len(s.statuses) != 1 {
			t.Errorf("%d: got %+v, %d statuses", status, e, len(s.statuses))
		}
	}
}

// A server may delete the parent after it was read.
func TestAServerRefusesAReply(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status  int
		body    string
		missing bool
	}{
		"old Mastodon":   {404, `{"error":"Record not found"}`, true},
		"Mastodon":       {404, `{"error":"The post you are trying to reply to does not appear to exist."}`, true},
		"another reason": {422, `{"error":"Validation failed"}`, false},
		"as 422":         {422, `{"error":"cannot reply to that"}`, true},
	} {
		s := &thread{}
		refuses := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && len(s.statuses) > 0 {
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
				return
			}
			s.ServeHTTP(w, r)
		})
		server := httptest.NewServer(refuses)
		p := mastodon.New(outbound.Client(outbound.AllowPrivate), "test")
		r := reply(t, p, publish.Request{Key: "pt_1", Content: "Hello", Credentials: connection(server.URL).Credentials})
		_, err := p.Publish(t.Context(), r)
		if e := publish.AsError(err); (e.Code == publish.CodeParentMissing) != tt.missing || e.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%s: got %+v", name, e)
		}
		server.Close()
	}
}

func TestFindReplies(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		server *thread
		found  bool
		lost   bool
		code   string // of the error if nothing was published
	}{
		"listed":                 {server: &thread{}, found: true},
		"only in the context":    {server: &thread{hides: true}, found: true},
		"without a context":      {server: &thread{noThread: true}, found: true},
		"its parent was dropped": {server: &thread{drops: true}, found: true, lost: true},
		"nowhere":                {server: &thread{hides: true, noThread: true}, code: "hidden"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, r := startThread(t, tt.server)
			began := time.Now()
			r = reply(t, p, r)
			published, err := p.Publish(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			receipt, found, err := p.Find(t.Context(), r, began)
			if found != tt.found || found && !receipt.Equal(published) || (receipt.Degraded.Code == schedctl.DegradedReply) != tt.lost {
				t.Errorf("got %+v, %v, %v; want %+v", receipt, found, err, published)
			}
			if tt.code != "" && publish.AsError(err).Code != tt.code {
				t.Errorf("got %v, want %s", err, tt.code)
			}
		})
	}
}

// A reply of another thread with the same text is not the part.
func TestFindIgnoresOtherReplies(t *testing.T) {
	t.Parallel()
	s := &thread{}
	p, r := startThread(t, s)
	began := time.Now()
	r = reply(t, p, r)
	other := reply(t, p, publish.Request{Key: "pt_2", Content: "Another root", Credentials: r.Credentials})
	if _, err := p.Publish(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if receipt, found, err := p.Find(t.Context(), r, began); found || err != nil {
		t.Errorf("got %+v, %v, %v", receipt, found, err)
	}
	r.Parent, r.Root = nil, nil // the same text as a post of its own
	if receipt, found, err := p.Find(t.Context(), r, began); found || err != nil {
		t.Errorf("as a post: got %+v, %v, %v", receipt, found, err)
	}
}

func TestPresentation(t *testing.T) {
	t.Parallel()
	s := &thread{}
	p, r := startThread(t, s)
	r.Account.Options = schedctl.Options{"visibility": "direct", "spoiler_text": "of the account", "sensitive": true}
	r.Presentation = schedctl.Presentation{ContentWarning: "of the post", Visibility: schedctl.VisibilityFollowers, Language: "pt-BR"}
	if _, err := p.Publish(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{"spoiler_text": "of the post", "visibility": "private", "language": "pt-BR", "sensitive": true} {
		if s.last[name] != want {
			t.Errorf("%s: got %v, want %v", name, s.last[name], want)
		}
	}
	check := p.Check(schedctl.Account{Limits: schedctl.Limits{MaxCharacters: 20}}, publish.Content{Text: "0123456789", Extras: publish.Extras{
		Presentation: schedctl.Presentation{ContentWarning: "0123456789\n0", Language: "xx-invalid-y"}, Preview: schedctl.LinkPreview{Mode: schedctl.PreviewNone},
	}})
	var codes []string
	for _, e := range check.Problems {
		codes = append(codes, e.Code)
	}
	if fmt.Sprint(codes) != "[too_long content_warning language]" || len(check.Warnings) != 1 {
		t.Errorf("problems %v, warnings %v", codes, check.Warnings)
	}
}

func TestPolls(t *testing.T) {
	t.Parallel()
	poll := &schedctl.Poll{Options: []string{"yes", "no"}, ExpiresIn: time.Hour, Multiple: true}
	for name, tt := range map[string]struct {
		server   *thread
		problem  string // in the message of a refusal
		degraded string
	}{
		"published":        {server: &thread{}},
		"within limits":    {server: &thread{instance: `{"configuration":{"statuses":{"max_characters":500},"polls":{"max_options":2,"max_characters_per_option":3,"min_expiration":300,"max_expiration":3600}}}`}},
		"too many options": {server: &thread{instance: `{"configuration":{"polls":{"max_options":1}}}`}, problem: "2 options"},
		"Pleroma's limits": {server: &thread{instance: `{"poll_limits":{"max_options":20,"max_option_chars":2}}`}, problem: "option 1"},
		"snac":             {server: &thread{software: "snac"}, problem: "snac"},
		"dropped":          {server: &thread{drops: true}, degraded: "poll"},
	} {
		p, r := startThread(t, tt.server)
		r.Poll = poll
		receipt, err := p.Publish(t.Context(), r)
		if tt.problem != "" {
			if e := publish.AsError(err); e.Code != "poll" || !strings.Contains(e.Message, tt.problem) || len(tt.server.statuses) > 0 || e.Outcome != schedctl.OutcomeNotPublished {
				t.Errorf("%s: got %+v", name, e)
			}
			continue
		}
		if err != nil || receipt.Degraded.Code != tt.degraded {
			t.Errorf("%s: got %+v, %v", name, receipt, err)
		}
		sent, _ := json.Marshal(tt.server.last["poll"])
		if want := `{"expires_in":3600,"hide_totals":false,"multiple":true,"options":["yes","no"]}`; string(sent) != want {
			t.Errorf("%s: sent %s", name, sent)
		}
	}
}

// TestStoredPollRules guards that validation applies the limits that the server reported.
func TestStoredPollRules(t *testing.T) {
	t.Parallel()
	p := mastodon.New(outbound.Client(outbound.AllowPrivate), "test")
	for name, tt := range map[string]struct {
		limits schedctl.PollLimits
		want   publish.PollRules
	}{
		"reported": {schedctl.PollLimits{MaxOptions: 6, MinTime: time.Hour}, publish.PollRules{MaxOptions: 6, MinTime: time.Hour}},
		"none":     {schedctl.PollLimits{None: true}, publish.PollRules{Refused: "the server has no polls; remove the poll, or leave the account out"}},
		"unknown":  {schedctl.PollLimits{}, publish.PollRules{MaxOptions: 4, MaxOption: 50, MinTime: 5 * time.Minute, MaxTime: 2629746 * time.Second}},
	} {
		if got := p.PollRules(schedctl.Account{Limits: schedctl.Limits{Polls: tt.limits}}); got != tt.want {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}
