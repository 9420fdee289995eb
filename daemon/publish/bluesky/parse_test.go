package bluesky

import (
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

func TestServer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                        "https://bsky.social",
		"  ":                      "https://bsky.social",
		"bsky.social":             "https://bsky.social",
		" Pds.Example.com ":       "https://pds.example.com",
		"https://bsky.social/":    "https://bsky.social",
		"pds.example.com:8443":    "https://pds.example.com:8443",
		"http://127.0.0.1:2583":   "http://127.0.0.1:2583",
		"HTTP://localhost":        "http://localhost",
		"[::1]:2583":              "https://[::1]:2583",
		"https://bsky.social/x":   "",
		"https://bsky.social?x":   "",
		"https://bsky.social#x":   "",
		"https://a:b@bsky.app":    "",
		"ftp://bsky.social":       "",
		"https://":                "",
		"bsky social":             "",
		strings.Repeat("a", 2050): "",
	} {
		u, err := server(text)
		if want == "" {
			if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != "service_url" {
				t.Errorf("%.30q: got %v, %v; want it refused", text, u, err)
			}
		} else if err != nil || u.String() != want {
			t.Errorf("%q: got %v, %v; want %s", text, u, err, want)
		}
	}
}

func TestLangs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		option any
		want   string // empty when it is refused
	}{
		{nil, "en"},
		{"de", "de"},
		{"de, pt-BR", "de pt-BR"},
		{[]any{"de", "zh-Hant-TW", "sl-rozaj-biske"}, "de zh-Hant-TW sl-rozaj-biske"},
		{[]string{"ja"}, "ja"},
		{"", ""},
		{[]any{}, ""},
		{[]any{"en", 1}, ""},
		{"en,", ""},
		{"english", ""},
		{"en_US", ""},
		{"a,b", ""},
		{"de,en,fr,it", ""},
		{true, ""},
		{map[string]any{}, ""},
		{"en" + strings.Repeat("-abcde", 20), ""},
	} {
		got, err := langs(schedctl.Options{"langs": tt.option})
		if joined := strings.Join(got, " "); joined != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%v: got %q, %v", tt.option, got, err)
		}
		if err != nil && publish.AsError(err).Code != "langs" {
			t.Errorf("%v: the code is %q", tt.option, publish.AsError(err).Code)
		}
	}
}

func TestNamesOfErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status     int
		name, code string
		kind       schedctl.ErrorKind
		outcome    schedctl.Outcome
	}{
		{400, "ExpiredToken", publish.CodeSessionExpired, schedctl.KindAuth, schedctl.OutcomeNotPublished},
		{401, "ExpiredToken", publish.CodeSessionExpired, schedctl.KindAuth, schedctl.OutcomeNotPublished},
		{400, "InvalidToken", publish.CodeSessionExpired, schedctl.KindAuth, schedctl.OutcomeNotPublished},
		{401, "AuthMissing", publish.CodeSessionExpired, schedctl.KindAuth, schedctl.OutcomeNotPublished},
		{401, "AccountTakedown", "AccountTakedown", schedctl.KindAuth, schedctl.OutcomeNotPublished},
		{400, "RepoTakendown", "RepoTakendown", schedctl.KindAuth, schedctl.OutcomeNotPublished},
		{401, "AccountDeactivated", "AccountDeactivated", schedctl.KindAuth, schedctl.OutcomeNotPublished},
		{401, "AuthFactorTokenRequired", "AuthFactorTokenRequired", schedctl.KindAuth, schedctl.OutcomeNotPublished},
		{401, "AuthenticationRequired", "AuthenticationRequired", schedctl.KindAuth, schedctl.OutcomeNotPublished},
		{403, "AccountNotFound", "AccountNotFound", schedctl.KindAuth, schedctl.OutcomeNotPublished},
		{400, "InvalidRequest", "InvalidRequest", schedctl.KindContent, schedctl.OutcomeNotPublished},
		{429, "RateLimitExceeded", "RateLimitExceeded", schedctl.KindRateLimited, schedctl.OutcomeNotPublished},
		{429, "ExpiredToken", "ExpiredToken", schedctl.KindRateLimited, schedctl.OutcomeNotPublished},
		{500, "InternalServerError", "InternalServerError", schedctl.KindPlatform, schedctl.OutcomeUnknown},
		{502, "ExpiredToken", "ExpiredToken", schedctl.KindPlatform, schedctl.OutcomeUnknown},
		{400, "not a name", "", schedctl.KindContent, schedctl.OutcomeNotPublished},
		{307, "ExpiredToken", "redirected", schedctl.KindContent, schedctl.OutcomeNotPublished},
	} {
		e := refusal(outbound.Answer{Status: tt.status, Body: []byte(`{"error":"` + tt.name + `","message":"the words"}`)}, time.Now())
		if e.Kind != tt.kind || e.Code != tt.code || e.Outcome != tt.outcome || e.HTTPStatus != tt.status || !strings.HasSuffix(e.Message, ": the words") {
			t.Errorf("%d %s: got %+v", tt.status, tt.name, e)
		}
	}
}

var example = &url.URL{Scheme: "https", Host: "pds.example.com"}

func FuzzReadSession(f *testing.F) {
	f.Add([]byte(`{"did":"did:plc:abc","handle":"alice.example.com","accessJwt":"a","refreshJwt":"r","active":true}`))
	f.Add([]byte(`{"did":"did:plc:abc","handle":"handle.invalid","accessJwt":"a","refreshJwt":"r","active":false,"status":"deactivated"}`))
	f.Add([]byte(`{"did":"did:plc:abc","accessJwt":"","refreshJwt":7}`))
	f.Add([]byte(`{"did":"\u0000","handle":{"a":1}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		s, err := readSession(outbound.Answer{Status: 200, Body: body}, example)
		if (err == nil) != (s.did != "" && s.access != "" && s.refresh != "") {
			t.Fatalf("%q: got %+v, %v", body, s, err)
		}
		for _, text := range []string{s.did, s.handle, s.access, s.refresh, s.inactive} {
			if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
				t.Errorf("%q: got %q", body, text)
			}
		}
	})
}

func FuzzReadDisplayName(f *testing.F) {
	f.Add([]byte(`{"value":{"displayName":"Alice 🙂"}}`))
	f.Add([]byte(`{"value":{"displayName":"\u202e\u0000 x "}}`))
	f.Add([]byte(`{"value":[]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		name := readDisplayName(outbound.Answer{Status: 200, Body: body})
		if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) || utf8.RuneCountInString(name) > maxDisplayName {
			t.Errorf("%q: got %q", body, name)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add(200, []byte(`{"uri":"at://did:plc:abc/app.bsky.feed.post/3mnbxyhbs2k2a","cid":"bafy"}`))
	f.Add(400, []byte(`{"error":"ExpiredToken","message":"Token has expired"}`))
	f.Add(429, []byte(`{"error":"RateLimitExceeded"}`))
	f.Add(500, []byte("\xff<html>"))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		r := publish.Request{Key: "3mnbxyhbs2k2a", Content: "the content of a post", Credentials: publish.Credentials{fieldDID: "did:plc:abc"}}
		receipt, err := read(outbound.Answer{Status: status, Body: body}, r, time.Unix(1780412400, 0))
		if (err == nil) != (receipt.ID == "at://did:plc:abc/app.bsky.feed.post/3mnbxyhbs2k2a") {
			t.Fatalf("%d %q: got %+v and %v", status, body, receipt, err)
		}
		if err == nil {
			return
		}
		e := publish.AsError(err)
		if len(e.Message) > 500 || !utf8.ValidString(e.Message) || strings.ContainsFunc(e.Message, unicode.IsControl) || e.Outcome == "" || e.Kind == "" {
			t.Errorf("%d %q: got %+v", status, body, e)
		}
	})
}
