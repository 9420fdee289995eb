package matrix_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/matrix"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// partOf returns the request of a part after those that were published.
func partOf(r publish.Request, published ...schedctl.Receipt) publish.Request {
	r.Part, r.Kind = len(published), schedctl.PartReply
	r.Root, r.Parent = &published[0], &published[len(published)-1]
	r.Key = publish.PartKey(nil, r.TargetID, r.Part)
	return r
}

func TestReply(t *testing.T) {
	t.Parallel()
	s := newRoomServer(t)
	p, r := serve(t, s.ServeHTTP)
	published := []schedctl.Receipt{}
	for i := range 3 {
		part := r
		if i > 0 {
			part = partOf(r, published...)
		}
		if i == 2 {
			part.Files = uploaded(publishtest.TestFile("image/png", 1), publishtest.TestFile("image/png", 2))
		}
		got, err := p.Publish(t.Context(), part)
		if err != nil {
			t.Fatal(err)
		}
		published = append(published, got)
	}
	relation := func(parent string) any {
		return map[string]any{
			"rel_type": "m.thread", "event_id": "$1", "is_falling_back": true, "m.in_reply_to": map[string]any{"event_id": parent},
		}
	}
	want := []any{nil, relation("$1"), relation("$2"), relation("$2"), relation("$2")}
	var got []any
	for _, e := range s.events {
		got = append(got, e.content["m.relates_to"])
	}
	if diff := cmp.Diff(want, got); diff != "" || published[2].ID != "$3" {
		t.Errorf("receipts %+v, relations (-want +got):\n%s", published, diff)
	}
}

func TestADeletedPartStopsTheThread(t *testing.T) {
	t.Parallel()
	for name, document := range map[string]map[string]any{
		"redacted":         {"content": map[string]any{}, "unsigned": map[string]any{"redacted_because": map[string]any{"type": "m.room.redaction"}}},
		"only the reason":  {"content": map[string]any{"body": "x"}, "unsigned": map[string]any{"redacted_because": map[string]any{}}},
		"only the content": {"content": map[string]any{}, "unsigned": map[string]any{"redacted_because": nil}},
	} {
		for remove := range 2 {
			s := newRoomServer(t)
			s.redacted = func(*roomEvent) map[string]any { return document }
			p, r := serve(t, s.ServeHTTP)
			first, err := p.Publish(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			second, err := p.Publish(t.Context(), partOf(r, first))
			if err != nil {
				t.Fatal(err)
			}
			s.mu.Lock()
			s.events[remove].redacted = true
			s.mu.Unlock()
			_, err = p.Publish(t.Context(), partOf(r, first, second))
			e := publish.AsError(err)
			if e.Code != publish.CodeParentMissing || e.Kind != schedctl.KindContent || e.Outcome != schedctl.OutcomeNotPublished || len(s.events) != 2 {
				t.Errorf("%s, part %d: got %+v and %d events", name, remove, e, len(s.events))
			}
		}
	}
}

func TestCheckParentErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		status int
		body   string
		kind   schedctl.ErrorKind
	}{
		{"a page of a proxy", 404, "<html>", schedctl.KindPlatform},
		{"another document", 200, "[]", schedctl.KindPlatform},
		{"no content", 200, `{"event_id":"$1"}`, schedctl.KindPlatform},
		{"busy", 429, `{"errcode":"M_LIMIT_EXCEEDED"}`, schedctl.KindRateLimited},
		{"broken", 502, "", schedctl.KindPlatform},
		{"logged out", 401, `{"errcode":"M_UNKNOWN_TOKEN"}`, schedctl.KindAuth},
		{"may not ask", 403, `{"errcode":"M_FORBIDDEN"}`, schedctl.KindPlatform},
	} {
		s := newRoomServer(t)
		p, r := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if readsEvent(r) {
				w.WriteHeader(tt.status)
				_, _ = w.Write([]byte(tt.body))
				return
			}
			s.ServeHTTP(w, r)
		})
		_, err := p.Publish(t.Context(), partOf(r, schedctl.Receipt{ID: "$1"}))
		if e := publish.AsError(err); e.Kind != tt.kind || e.Outcome != schedctl.OutcomeNotPublished || len(s.events) > 0 {
			t.Errorf("%s: got %+v", tt.name, e)
		}
	}
	p, r := serve(t, newRoomServer(t).ServeHTTP)
	if _, err := p.Publish(t.Context(), partOf(r, schedctl.Receipt{})); publish.AsError(err).Code != publish.CodeParentMissing {
		t.Errorf("without a known parent: got %v", err)
	}
}

func TestCheckExtras(t *testing.T) {
	t.Parallel()
	p := matrix.New(nil, outbound.PublicOnly, "test")
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
		{"no preview", func(c *publish.Content) { c.Preview.Mode = schedctl.PreviewNone }, "", 1},
		{"a poll", func(c *publish.Content) { c.Poll = &schedctl.Poll{} }, "poll", 0},
		{"a reply", func(c *publish.Content) { c.Kind = schedctl.PartReply }, "", 0},
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
