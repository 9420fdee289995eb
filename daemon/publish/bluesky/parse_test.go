package bluesky

import (
	"encoding/json"
	"net/url"
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
		u, err := parseServer(text)
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
	if got, err := parseLangs(nil); got != nil || err != nil {
		t.Errorf("without the option: got %q, %v; want none", got, err)
	}
	for _, tt := range []struct {
		option any
		want   string // empty if it is refused
	}{
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
		got, err := parseLangs(schedctl.Options{"langs": tt.option})
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
		e := refusal(outbound.Response{Status: tt.status, Body: []byte(`{"error":"` + tt.name + `","message":"the words"}`)}, publish.PurposePublish, time.Now())
		if e.Kind != tt.kind || e.Code != tt.code || e.Outcome != tt.outcome || e.HTTPStatus != tt.status || !strings.HasSuffix(e.Message, ": the words") {
			t.Errorf("%d %s: got %+v", tt.status, tt.name, e)
		}
	}
}

var example = &url.URL{Scheme: "https", Host: "pds.example.com"}

func checkReadSession(t *testing.T, body []byte) {
	s, err := readSession(outbound.Response{Status: 200, Body: body}, example)
	if (err == nil) != (s.did != "" && s.access != "" && s.refresh != "") {
		t.Fatalf("%q: got %+v, %v", body, s, err)
	}
	for _, text := range []string{s.did, s.handle, s.access, s.refresh, s.inactive} {
		if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Errorf("%q: got %q", body, text)
		}
	}
}

func checkReadDisplayName(t *testing.T, body []byte) {
	name := readDisplayName(outbound.Response{Status: 200, Body: body})
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) || utf8.RuneCountInString(name) > 100 {
		t.Errorf("%q: got %q", body, name)
	}
}

func checkRead(t *testing.T, status int, body []byte) {
	r := publish.Request{Key: "3mnbxyhbs2k2a", Content: "the content of a post", Credentials: publish.Credentials{fieldDID: "did:plc:abc"}}
	receipt, err := readResponse(outbound.Response{Status: status, Body: body}, r, time.Unix(1780412400, 0))
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
}

func checkCheck(t *testing.T, content, langs string) {
	check := New(nil, nil, "").Check(schedctl.Account{Options: schedctl.Options{"langs": langs}}, publish.Text(content))
	if check.Err() == nil && (check.Length > 300 || len(content) > 3000 || strings.TrimSpace(content) == "") {
		t.Errorf("%q is accepted: %+v", content, check)
	}
}

// FuzzResponses tests all parsers of responses and user input. The first number
// selects the parser.
func FuzzResponses(f *testing.F) {
	f.Add(byte(0), 200, `{"did":"did:plc:abc","handle":"alice.example.com","accessJwt":"a","refreshJwt":"r","active":true}`, "")
	f.Add(byte(0), 200, `{"did":"did:plc:abc","handle":"handle.invalid","accessJwt":"a","refreshJwt":"r","active":false,"status":"deactivated"}`, "")
	f.Add(byte(0), 200, `{"did":"did:plc:abc","accessJwt":"","refreshJwt":7}`, "")
	f.Add(byte(0), 200, `{"did":"\u0000","handle":{"a":1}}`, "")
	f.Add(byte(1), 200, `{"value":{"displayName":"Alice 🙂"}}`, "")
	f.Add(byte(1), 200, `{"value":{"displayName":"\u202e\u0000 x "}}`, "")
	f.Add(byte(1), 200, `{"value":[]}`, "")
	f.Add(byte(2), 200, `{"uri":"at://did:plc:abc/app.bsky.feed.post/3mnbxyhbs2k2a","cid":"bafy"}`, "")
	f.Add(byte(2), 400, `{"error":"ExpiredToken","message":"Token has expired"}`, "")
	f.Add(byte(2), 429, `{"error":"RateLimitExceeded"}`, "")
	f.Add(byte(2), 500, "\xff<html>", "")
	f.Add(byte(3), 200, "3mnbxyhbs2k2a", "")
	f.Add(byte(3), 200, "j222222222222", "")
	f.Add(byte(5), 200, "hello", "en")
	f.Add(byte(7), 200, `{"results":[{"uri":"at://did:plc:abc/app.bsky.feed.post/3mnbxyhbs2k2a","cid":"bafy"},{"uri":"at://did:plc:abc/app.bsky.feed.post/3mnbxyhbs2l2a"}]}`, "")
	f.Add(byte(7), 200, `{"results":[{},{"uri":7}]}`, "")
	f.Add(byte(8), 200, `{"text":"a","embed":{"images":[{"image":{"ref":{"$link":"bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"},"size":17}}]}}`, "")
	f.Add(byte(8), 200, `{"embed":{"video":{"ref":{"$link":"x"}}}}`, "")
	f.Add(byte(5), 200, "👨‍👩‍👧‍👦", "en,de")
	for _, text := range []string{
		"(https://example.com/a_(b)). @alice.bsky.social, #tag", "#a(b.com @(c.com", "＃日本語\u200bx", "@a.com(@b.com)", "\xff#\xfe", "a.com:1/", "→a.com）「https://b.com」と#c、#d", "[“a.com”]…", "日https://a.com日",
	} {
		f.Add(byte(4), 200, text, "")
	}
	for _, text := range []string{"social.example", "https://Social.Example:8443/", "http://a@b", "https://a/b?c#d", "[::1]", "//x", "ftp://x", "https://x:y"} {
		f.Add(byte(6), 200, text, "")
	}
	f.Fuzz(func(t *testing.T, reader byte, status int, text, more string) {
		defer cost.Check(t, len(text)+len(more))()
		switch reader % 9 {
		case 0:
			checkReadSession(t, []byte(text))
		case 1:
			checkReadDisplayName(t, []byte(text))
		case 2:
			checkRead(t, status, []byte(text))
		case 3:
			checkTIDTime(t, text)
		case 4:
			checkFacets(t, text)
		case 5:
			checkCheck(t, text, more)
		case 6:
			checkServer(t, text)
		case 7:
			checkThreadReceipt(t, []byte(text))
		case 8:
			checkRecordCID(t, []byte(text))
		}
	})
}

func checkThreadReceipt(t *testing.T, body []byte) {
	r := publish.Request{Key: "3mnbxyhbs2k2a", Rest: []publish.RequestPart{{Key: "3mnbxyhbs2l2a"}}, Credentials: publish.Credentials{fieldDID: "did:plc:abc"}}
	receipt, ok := threadReceipt(outbound.Response{Status: 200, Body: body}, r, []string{"", ""})
	if ok && (receipt.ID != uriOf("did:plc:abc", r.Key) || len(receipt.Rest) != 1 || receipt.Rest[0].ID == receipt.ID) {
		t.Errorf("%q: got %+v", body, receipt)
	}
}

// checkRecordCID checks that equal records have equal identifiers.
func checkRecordCID(t *testing.T, body []byte) {
	var first, second record
	if json.Unmarshal(body, &first) != nil || json.Unmarshal(body, &second) != nil {
		return
	}
	cid, err := recordCID(first)
	again, err2 := recordCID(second)
	if cid != again || (err == nil) != (err2 == nil) || err == nil && !cidPattern().MatchString(cid) {
		t.Errorf("%q: %s, %v and %s, %v", body, cid, err, again, err2)
	}
}

// checkServer checks that an accepted address is only a server and is parsed again
// unchanged.
func checkServer(t *testing.T, text string) {
	u, err := parseServer(text)
	if err != nil {
		return
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" {
		t.Errorf("%q: got %v", text, u)
	}
	if again, err := parseServer(u.String()); len(u.String()) <= 2048 && (err != nil || *again != *u) {
		t.Errorf("%q: %v is read as %v, %v", text, u, again, err)
	}
}
