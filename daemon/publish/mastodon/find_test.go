package mastodon_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/mastodon"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

var _ publish.Finder = (*mastodon.Publisher)(nil)

// timeline is a server that lists the statuses of an account, newest first.
type timeline struct {
	statuses []map[string]any
	sources  map[string]string // by id; nil if the server lacks the endpoint
	privacy  string
	skew     time.Duration // of the server's clock
	noDate   bool
	noPages  bool   // max_id is not supported
	status   int    // of the list, or 0 for 200
	body     string // of the list, or empty

	mu    sync.Mutex // mu guards the fields below
	calls []string
}

func (s *timeline) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.calls = append(s.calls, r.URL.Path)
	s.mu.Unlock()
	w.Header().Set("Date", time.Now().Add(s.skew).UTC().Format(http.TimeFormat))
	if s.noDate {
		w.Header()["Date"] = nil
	}
	id, isSource := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/api/v1/statuses/"), "/source")
	switch {
	case r.URL.Path == "/api/v1/accounts/verify_credentials":
		json.NewEncoder(w).Encode(map[string]any{"id": "7", "acct": "alice", "source": map[string]any{"privacy": s.privacy}})
	case r.URL.Path == "/api/v1/accounts/7/statuses" && s.status != 0:
		w.WriteHeader(s.status)
		fmt.Fprint(w, s.body)
	case r.URL.Path == "/api/v1/accounts/7/statuses" && s.body != "":
		fmt.Fprint(w, s.body)
	case r.URL.Path == "/api/v1/accounts/7/statuses":
		json.NewEncoder(w).Encode(s.page(r.URL.Query().Get("max_id")))
	case isSource && s.sources[id] != "":
		json.NewEncoder(w).Encode(map[string]any{"id": id, "text": s.sources[id], "spoiler_text": ""})
	default:
		http.NotFound(w, r)
	}
}

func (s *timeline) page(maxID string) []map[string]any {
	from := 0
	if maxID != "" && !s.noPages {
		from = 1 + slices.IndexFunc(s.statuses, func(status map[string]any) bool { return status["id"] == maxID })
	}
	rest := s.statuses[from:]
	return append([]map[string]any{}, rest[:min(40, len(rest))]...)
}

// finding is the result of Find.
type finding struct {
	id    string
	found bool
	code  string // of the error, or its kind if it has no code
}

// find asks the server for a post with the text whose attempt started at since.
func (s *timeline) find(t *testing.T, text string, since time.Time, options schedctl.Options) finding {
	t.Helper()
	server := httptest.NewServer(s)
	defer server.Close()
	p := mastodon.New(outbound.Client(outbound.AllowPrivate), "test")
	receipt, found, err := p.Find(t.Context(), publish.Request{
		Content: text, Credentials: connection(server.URL).Credentials, Account: schedctl.Account{Options: options},
	}, since)
	if err == nil {
		return finding{id: receipt.ID, found: found}
	}
	e := publish.AsError(err)
	if found || !receipt.Equal(schedctl.Receipt{}) || e.Outcome != schedctl.OutcomeUnknown || e.Message == "" ||
		strings.Contains(e.Message, token) || strings.Contains(e.Message, text) {
		t.Errorf("got %+v, %v, %+v", receipt, found, e)
	}
	if e.Code == "" {
		return finding{code: string(e.Kind)}
	}
	return finding{code: e.Code}
}

// post returns a status of the list, as most servers have it.
func post(id, html string, at time.Time) map[string]any {
	return map[string]any{
		"id": id, "url": "https://social.example/@alice/" + id, "content": html, "spoiler_text": "", "visibility": "public",
		"created_at": at.UTC().Format("2006-01-02T15:04:05.000Z"), "reblog": nil, "in_reply_to_id": nil, "edited_at": nil,
	}
}

func with(status map[string]any, name string, value any) map[string]any {
	status[name] = value
	return status
}

const (
	text     = "Good morning from the harbour: 12 boats are out."
	textHTML = "<p>Good morning from the harbour: 12 boats are out.</p>"
)

// ago is how long ago the attempts of these tests started.
const ago = 10 * time.Minute

func TestFind(t *testing.T) {
	t.Parallel()
	began := time.Now().Add(-ago)
	at := func(d time.Duration) time.Time { return began.Add(d) }
	found := func(id string) finding { return finding{id: id, found: true} }
	absent, doubtful := finding{}, finding{code: "doubtful"}
	for name, tt := range map[string]struct {
		statuses []map[string]any
		sources  map[string]string
		options  schedctl.Options
		want     finding
	}{
		"nothing at all":             {nil, nil, nil, absent},
		"as HTML":                    {[]map[string]any{post("2", textHTML, at(time.Second))}, nil, nil, found("2")},
		"as text":                    {[]map[string]any{with(post("2", "<p>…</p>", at(time.Second)), "text", " "+text+"\n")}, nil, nil, found("2")},
		"in whole seconds":           {[]map[string]any{post("2", textHTML, at(0).Truncate(time.Second))}, nil, nil, found("2")},
		"below newer ones":           {[]map[string]any{post("3", "<p>And now something else entirely</p>", at(time.Minute)), post("2", textHTML, at(time.Second))}, nil, nil, found("2")},
		"only other ones":            {[]map[string]any{post("3", "<p>And now something else entirely</p>", at(time.Minute))}, nil, nil, absent},
		"only an older one":          {[]map[string]any{post("1", textHTML, at(-time.Hour))}, nil, nil, absent},
		"just before the attempt":    {[]map[string]any{post("1", textHTML, at(-30*time.Second))}, nil, nil, doubtful},
		"just before, and after":     {[]map[string]any{post("2", textHTML, at(time.Second)), post("1", textHTML, at(-30*time.Second))}, nil, nil, found("2")},
		"twice: the first is ours":   {[]map[string]any{post("3", textHTML, at(time.Minute)), post("2", textHTML, at(time.Second))}, nil, nil, found("2")},
		"without a time":             {[]map[string]any{with(post("2", textHTML, at(0)), "created_at", nil)}, nil, nil, doubtful},
		"another without a time":     {[]map[string]any{with(post("2", "<p>quite another</p>", at(0)), "created_at", nil)}, nil, nil, absent},
		"a boost of it":              {[]map[string]any{with(post("2", textHTML, at(time.Second)), "reblog", map[string]any{"id": "9"})}, nil, nil, absent},
		"a reply that says the same": {[]map[string]any{with(post("2", textHTML, at(time.Second)), "in_reply_to_id", "9")}, nil, nil, absent},

		"a like one without source":    {[]map[string]any{post("2", "<p>Good morning from the harbour: 13 boats are out.</p>", at(time.Second))}, nil, nil, doubtful},
		"a like one, its source other": {[]map[string]any{post("2", "<p>Good morning from the harbour: 13 boats are out.</p>", at(time.Second))}, map[string]string{"2": "Good morning from the harbour: 13 boats are out."}, nil, absent},
		"a like one, its source ours":  {[]map[string]any{post("2", "<p>Good <em>morning</em> harbour: 12 boats are out!</p>", at(time.Second))}, map[string]string{"2": text}, nil, found("2")},
		"edited since":                 {[]map[string]any{with(post("2", "<p>Sold out</p>", at(time.Second)), "edited_at", "2026-01-01T00:00:00Z")}, nil, nil, doubtful},
		"other punctuation":            {[]map[string]any{with(post("2", "", at(time.Second)), "text", "Good morning from the harbour – 12 boats are out")}, nil, nil, doubtful},

		"with its warning":    {[]map[string]any{with(post("2", textHTML, at(time.Second)), "spoiler_text", "boats")}, nil, schedctl.Options{"spoiler_text": "boats"}, found("2")},
		"without its warning": {[]map[string]any{post("2", textHTML, at(time.Second))}, nil, schedctl.Options{"spoiler_text": "boats"}, doubtful},
		"another warning":     {[]map[string]any{with(post("2", textHTML, at(time.Second)), "spoiler_text", "boats")}, nil, nil, doubtful},

		"private, and none shown": {nil, nil, schedctl.Options{"visibility": "private"}, finding{code: "hidden"}},
		"private, and one shown":  {[]map[string]any{with(post("1", "<p>x</p>", at(-time.Hour)), "visibility", "direct")}, nil, schedctl.Options{"visibility": "private"}, absent},
		"private, and found":      {[]map[string]any{with(post("2", textHTML, at(time.Second)), "visibility", "private")}, nil, schedctl.Options{"visibility": "private"}, found("2")},
		"unlisted made public":    {[]map[string]any{post("2", textHTML, at(time.Second))}, nil, schedctl.Options{"visibility": "unlisted"}, found("2")},
	} {
		s := &timeline{statuses: tt.statuses, sources: tt.sources}
		if got := s.find(t, text, began, tt.options); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", name, got, tt.want)
		}
	}
}

func TestFindReturnsTheReceipt(t *testing.T) {
	t.Parallel()
	began := time.Now().Add(-ago)
	server := httptest.NewServer(&timeline{statuses: []map[string]any{post("2", textHTML, began)}})
	defer server.Close()
	p := mastodon.New(outbound.Client(outbound.AllowPrivate), "test")
	got, found, err := p.Find(t.Context(), publish.Request{Content: text, Credentials: connection(server.URL).Credentials}, began)
	if want := (schedctl.Receipt{ID: "2", URL: "https://social.example/@alice/2"}); err != nil || !found || !got.Equal(want) {
		t.Errorf("got %+v, %v, %v; want %+v", got, found, err, want)
	}
}

// A server whose clock is wrong shows that in the Date of its responses.
func TestFindAllowsForTheServersClock(t *testing.T) {
	t.Parallel()
	began := time.Now().Add(-ago)
	for _, tt := range []struct {
		name    string
		skew    time.Duration
		noDate  bool
		created time.Duration // after the attempt started, by the daemon's clock
		want    finding
	}{
		{"an hour behind", -time.Hour, false, time.Second, finding{id: "2", found: true}},
		{"an hour ahead", time.Hour, false, time.Second, finding{id: "2", found: true}},
		{"an hour ahead, before", time.Hour, false, -2 * time.Minute, finding{}},
		{"an hour behind, at the edge", -time.Hour, false, -30 * time.Second, finding{code: "doubtful"}},
		{"nothing said", 0, true, time.Second, finding{id: "2", found: true}},
		{"nothing said, two minutes behind", -2 * time.Minute, true, time.Second, finding{code: "doubtful"}},
		{"nothing said, long before", 0, true, -10 * time.Minute, finding{}},
	} {
		s := &timeline{skew: tt.skew, noDate: tt.noDate, statuses: []map[string]any{post("2", textHTML, began.Add(tt.created+tt.skew))}}
		if got := s.find(t, text, began, nil); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// many returns n statuses that are not the post, a second apart, newest first.
func many(n int, newest time.Time) []map[string]any {
	list := make([]map[string]any, n)
	for i := range list {
		list[i] = post(fmt.Sprintf("x%d", n-i), "<p>nothing of the kind</p>", newest.Add(-time.Duration(i)*time.Second))
	}
	return list
}

func TestFindReadsBackToTheAttempt(t *testing.T) {
	t.Parallel()
	began := time.Now().Add(-ago)
	now := began.Add(ago)
	ours := post("2", textHTML, began.Add(time.Second))
	for _, tt := range []struct {
		name    string
		server  *timeline
		want    finding
		listing int // requests for a page
	}{
		{"on the third page", &timeline{statuses: append(many(90, now), ours)}, finding{id: "2", found: true}, 3},
		{"on no page", &timeline{statuses: many(90, now)}, finding{}, 4},
		{"no further than needed", &timeline{statuses: append(many(50, now), many(500, began.Add(-time.Hour))...)}, finding{}, 2},
		{"too many", &timeline{statuses: many(500, now)}, finding{code: "incomplete"}, 10},
		{"one page alone, which is short", &timeline{statuses: many(19, now), noPages: true}, finding{}, 2},
		{"one page alone, which may be cut", &timeline{statuses: many(20, now), noPages: true}, finding{code: "incomplete"}, 2},
		{"one page alone, which reaches back", &timeline{statuses: many(40, began.Add(-2*time.Minute)), noPages: true}, finding{}, 1},
	} {
		got := tt.server.find(t, text, began, nil)
		pages := 0
		for _, path := range tt.server.calls {
			if path == "/api/v1/accounts/7/statuses" {
				pages++
			}
		}
		if got != tt.want || pages != tt.listing {
			t.Errorf("%s: got %+v after %d pages, want %+v after %d", tt.name, got, pages, tt.want, tt.listing)
		}
	}
}

// On some servers a boost has the time of the boosted status, which does not show
// how far back a page reaches.
func TestFindDoesNotStopAtABoost(t *testing.T) {
	t.Parallel()
	began := time.Now().Add(-ago)
	page := many(40, began.Add(ago))
	page[39] = with(post("b", "<p>old</p>", began.Add(-24*time.Hour)), "reblog", map[string]any{"id": "9"})
	s := &timeline{statuses: append(page, post("2", textHTML, began.Add(time.Second)))}
	if got, want := s.find(t, text, began, nil), (finding{id: "2", found: true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestFindAsksForTheAccountsOwnVisibility(t *testing.T) {
	t.Parallel()
	began := time.Now().Add(-ago)
	if got, want := (&timeline{privacy: "private"}).find(t, text, began, nil), (finding{code: "hidden"}); got != want {
		t.Errorf("a private account: got %+v, want %+v", got, want)
	}
	got := (&timeline{privacy: "private"}).find(t, text, began, schedctl.Options{"visibility": "public"})
	if want := (finding{}); got != want {
		t.Errorf("a public post of it: got %+v, want %+v", got, want)
	}
}

func TestFindThatCannotAsk(t *testing.T) {
	t.Parallel()
	began := time.Now().Add(-ago)
	for want, s := range map[string]*timeline{
		"auth":          {status: 401},
		"cannot_ask":    {status: 403, body: `{"error":"This action is not allowed"}`},
		"rate_limited":  {status: 429},
		"platform":      {status: 502},
		"content":       {status: 422},
		"platform list": {body: `{"error":"x"}`},
		"platform null": {body: `null`},
		"platform half": {body: `[{"id":"1"},`},
		"platform text": {body: `<html>`},
		"platform id":   {body: `[{"content":"x"}]`},
	} {
		kind, _, _ := strings.Cut(want, " ")
		if got := s.find(t, text, began, nil); got != (finding{code: kind}) {
			t.Errorf("%s: got %+v", want, got)
		}
	}
	p := mastodon.New(outbound.Client(outbound.AllowPrivate), "test")
	_, found, err := p.Find(t.Context(), publish.Request{Content: text, Credentials: connection("http://127.0.0.1:1").Credentials}, began)
	if e := publish.AsError(err); found || e.Kind != schedctl.KindNetwork || e.Outcome != schedctl.OutcomeUnknown {
		t.Errorf("connection refused: got %v, %+v", found, e)
	}
}

// TestFindPassesOverTakenStatuses: a status that belongs to another target neither
// is the post nor makes the result uncertain.
func TestFindSkipsTakenStatuses(t *testing.T) {
	t.Parallel()
	began := time.Now().Add(-ago)
	for _, tt := range []struct {
		name     string
		statuses []map[string]any
		taken    []string
		err      error
		want     finding
	}{
		{"the only one", []map[string]any{post("1", textHTML, began)}, []string{"1"}, nil, finding{}},
		{"one of two", []map[string]any{post("2", textHTML, began.Add(time.Second)), post("1", textHTML, began)}, []string{"1"}, nil, finding{id: "2", found: true}},
		{"the newer of two", []map[string]any{post("2", textHTML, began.Add(time.Second)), post("1", textHTML, began)}, []string{"2"}, nil, finding{id: "1", found: true}},
		{"one on the edge", []map[string]any{post("1", textHTML, began.Add(-30*time.Second))}, []string{"1"}, nil, finding{}},
		{"none", []map[string]any{post("1", textHTML, began)}, nil, nil, finding{id: "1", found: true}},
		{"nobody knows", []map[string]any{post("1", textHTML, began)}, nil, errors.New("no database"), finding{code: "unknown"}},
	} {
		server := httptest.NewServer(&timeline{statuses: tt.statuses})
		defer server.Close()
		p := mastodon.New(outbound.Client(outbound.AllowPrivate), "test")
		asked := 0
		receipt, found, err := p.Find(t.Context(), publish.Request{
			Content: text, Credentials: connection(server.URL).Credentials,
			Taken: func(id string) (bool, error) { asked++; return slices.Contains(tt.taken, id), tt.err },
		}, began)
		got := finding{id: receipt.ID, found: found}
		if err != nil {
			got.code = string(publish.AsError(err).Kind)
		}
		if got != tt.want || asked == 0 {
			t.Errorf("%s: got %+v after %d questions, want %+v", tt.name, got, asked, tt.want)
		}
	}
}

func TestMayConfuse(t *testing.T) {
	t.Parallel()
	p := mastodon.New(nil, "test")
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"Good morning", "Good morning", true},
		{"Good  morning\n", "Good morning", true},
		{"Good **morning**", "Good morning", true},
		{"hello @ann@a.example", "hello @ann@b.example", true},
		{"see https://example.com/a", "see https://example.com/b", true},
		{"Good morning", "Good evening", false},
		{"In round 1", "In round 2", false},
	} {
		if got := p.MayConfuse(tt.a, tt.b); got != tt.want {
			t.Errorf("%q and %q: %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}
