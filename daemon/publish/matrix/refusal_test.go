package matrix

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/scripts/cost"
)

var now = time.Date(2026, 6, 2, 15, 0, 0, 0, time.UTC)

func TestRefusal(t *testing.T) {
	t.Parallel()
	const not, unknown = schedctl.OutcomeNotPublished, schedctl.OutcomeUnknown
	for _, tt := range []struct {
		status  int
		header  string // Retry-After
		body    string
		kind    schedctl.ErrorKind
		code    string
		outcome schedctl.Outcome
		retryIn time.Duration
		says    string
	}{
		{401, "", `{"errcode":"M_UNKNOWN_TOKEN","error":"Unrecognized access token","soft_logout":true}`, schedctl.KindAuth, "M_UNKNOWN_TOKEN", not, 0, "new one"},
		{401, "", `{"errcode":"M_MISSING_TOKEN","error":"Missing access token"}`, schedctl.KindAuth, "M_MISSING_TOKEN", not, 0, "no access token"},
		{403, "", `{"errcode":"M_FORBIDDEN","error":"User @alice:example.org not in room"}`, schedctl.KindAuth, "M_FORBIDDEN", not, 0, "join it"},
		{403, "", `{"errcode":"M_USER_LIMITED","error":"This user may not do that"}`, schedctl.KindAuth, "M_USER_LIMITED", not, 0, "refuses the user"},
		{403, "", `{"errcode":"M_USER_DEACTIVATED","error":"This account has been deactivated"}`, schedctl.KindAuth, "M_USER_DEACTIVATED", not, 0, "another user"},
		{403, "", `{"errcode":"M_CONSENT_NOT_GIVEN","error":"Read the terms","consent_uri":"https://example.org"}`, schedctl.KindAuth, "M_CONSENT_NOT_GIVEN", not, 0, "terms"},
		{403, "", `{"errcode":"ORG.EXAMPLE.SPAM","error":"spam"}`, schedctl.KindContent, "ORG.EXAMPLE.SPAM", not, 0, "spam"},
		{404, "", `{"errcode":"M_UNRECOGNIZED","error":"Unrecognized request"}`, schedctl.KindPlatform, "M_UNRECOGNIZED", not, 0, "Unrecognized"},
		{400, "", `{"errcode":"M_BAD_JSON","error":"bad"}`, schedctl.KindContent, "M_BAD_JSON", not, 0, "bad"},
		{413, "", `{"errcode":"M_TOO_LARGE","error":"event too large"}`, schedctl.KindContent, "M_TOO_LARGE", not, 0, "shorten it"},
		{429, "", `{"errcode":"M_LIMIT_EXCEEDED","error":"Too many requests","retry_after_ms":2500}`, schedctl.KindRateLimited, "M_LIMIT_EXCEEDED", not, 2500 * time.Millisecond, "fewer requests"},
		{429, "3", `{"errcode":"M_LIMIT_EXCEEDED","error":"Too many requests","retry_after_ms":2500}`, schedctl.KindRateLimited, "M_LIMIT_EXCEEDED", not, 3 * time.Second, "fewer requests"},
		{429, "", `{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":"soon"}`, schedctl.KindRateLimited, "M_LIMIT_EXCEEDED", not, 0, "fewer requests"},
		{500, "", `{"errcode":"M_UNKNOWN","error":"Internal server error"}`, schedctl.KindPlatform, "M_UNKNOWN", unknown, 0, "may have published"},
		{500, "", `{"errcode":"M_FORBIDDEN","error":"odd"}`, schedctl.KindPlatform, "M_FORBIDDEN", unknown, 0, "may have published"},
		{504, "", `<html>`, schedctl.KindPlatform, "", unknown, 0, "HTTP 504"},
		{400, "", `{"errcode":"no code\n","error":"odd"}`, schedctl.KindContent, "", not, 0, "odd"},
	} {
		a := outbound.Response{Status: tt.status, Header: http.Header{}, Body: []byte(tt.body)}
		if tt.header != "" {
			a.Header.Set("Retry-After", tt.header)
		}
		_, err := session{room: "!1", hidden: []string{"the token of a user"}}.readResponse(a, publish.Request{}, now)
		e := publish.AsError(err)
		if e.Kind != tt.kind || e.Code != tt.code || e.Outcome != tt.outcome || e.HTTPStatus != tt.status || !strings.Contains(e.Message, tt.says) {
			t.Errorf("%d %s: got %+v", tt.status, tt.body, e)
		}
		want := time.Time{}
		if tt.retryIn > 0 {
			want = now.Add(tt.retryIn)
		}
		if !e.RetryAt.Equal(want) {
			t.Errorf("%d %s: retry at %v, want %v", tt.status, tt.body, e.RetryAt, want)
		}
	}
}

// Find looks for the member with which Publish sends the key.
func TestAMessageIsFoundByItsKey(t *testing.T) {
	t.Parallel()
	p := eventPage{Chunk: []event{{ID: "$1", Sender: "@a:b", Content: outbound.EncodeJSON(message{Body: "x", Key: "pt_1"})}}}
	for _, tt := range []struct{ key, user, want string }{
		{"pt_1", "@a:b", "$1"}, {"pt_1", "", "$1"}, {"pt_1", "@m:b", ""}, {"pt_2", "@a:b", ""}, {"", "@a:b", ""},
	} {
		if got := p.find(map[string]bool{tt.key: true}, tt.user)[tt.key]; got != tt.want {
			t.Errorf("%+v: got %q", tt, got)
		}
	}
}

func checkRead(t *testing.T, code int, body []byte) {
	receipt, err := session{room: "!1"}.readResponse(outbound.Response{Status: code, Body: body}, publish.Request{Account: schedctl.Account{Username: "@a:b"}}, now, "the content of a post")
	if (err == nil) != (receipt.ID != "") {
		t.Fatalf("%d %q: got %+v and %v", code, body, receipt, err)
	}
	if err == nil {
		if strings.ContainsFunc(receipt.ID+receipt.URL, unicode.IsControl) {
			t.Errorf("%q: got %+v", body, receipt)
		}
		return
	}
	e := publish.AsError(err)
	if len(e.Message) > 500 || !utf8.ValidString(e.Message) || strings.ContainsFunc(e.Message+e.Code, unicode.IsControl) || e.Outcome == "" || e.Kind == "" {
		t.Errorf("%d %q: got %+v", code, body, e)
	}
	if e.RetryAt.After(now.Add(31 * 24 * time.Hour)) {
		t.Errorf("%d %q: retry at %v", code, body, e.RetryAt)
	}
}

func checkPage(t *testing.T, body []byte) {
	var p eventPage
	if json.Unmarshal(body, &p) != nil {
		return
	}
	for key, id := range p.find(map[string]bool{"pt_1": true}, "@a:b") {
		if key != "pt_1" || !isEvent(id) {
			t.Errorf("%q: found %q with the key %q", body, id, key)
		}
	}
	p.endsBefore(now)
}

// FuzzResponses tests all parsers of responses. The first number selects the parser.
func FuzzResponses(f *testing.F) {
	f.Add(byte(0), 200, []byte(`{"event_id":"$YUwRidLecu7Yiu6FYfRcZGbdvCRGPmVhQzWtVoL9tXk"}`))
	f.Add(byte(0), 200, []byte(`{"event_id":"$\u0000"}`))
	f.Add(byte(0), 429, []byte(`{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":1e308}`))
	f.Add(byte(0), 403, []byte(`{"errcode":"M_FORBIDDEN","error":{"a":1}}`))
	f.Add(byte(0), 503, []byte("\xff"))
	f.Add(byte(1), 200, []byte(`{"chunk":[{"event_id":"$1","sender":"@a:b","origin_server_ts":1,"content":{"io.github.schedctl.key":"pt_1"}}],"end":"t1"}`))
	f.Add(byte(1), 200, []byte(`{"chunk":[{"content":null},{"content":[]},{"origin_server_ts":-9223372036854775808}]}`))
	f.Fuzz(func(t *testing.T, reader byte, status int, body []byte) {
		defer cost.Check(t, len(body))()
		if reader%2 == 0 {
			checkRead(t, status, body)
		} else {
			checkPage(t, body)
		}
	})
}
