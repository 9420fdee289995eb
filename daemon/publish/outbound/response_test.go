package outbound_test

import (
	"math"
	"net/http"
	"net/netip"
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

func TestRetryAt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		header, value string
		want          time.Duration // from now; 0 for none
	}{
		{"Retry-After", "7", 7 * time.Second},
		{"Retry-After", " 7 ", 7 * time.Second},
		{"Retry-After", "0", 0},
		{"Retry-After", "1.5", 1500 * time.Millisecond},
		{"Retry-After", "NaN", 0},
		{"Retry-After", "-5", 0},
		{"Retry-After", "soon", 0},
		{"Retry-After", "", 0},
		{"Retry-After", "99999999999999999999", 30 * 24 * time.Hour},
		{"Retry-After", "Tue, 02 Jun 2026 15:00:30 GMT", 30 * time.Second},
		{"Retry-After", "Tue, 02 Jun 2026 14:00:00 GMT", 0},
		{"Retry-After", "Tue, 02 Jun 2099 15:00:30 GMT", 30 * 24 * time.Hour},
		{"X-RateLimit-Reset", "2026-06-02T15:05:00.123456Z", 5*time.Minute + 123456*time.Microsecond},
		{"X-RateLimit-Reset", "2026-06-02T17:05:00+02:00", 5 * time.Minute},
		{"X-RateLimit-Reset", "2020-06-02T15:05:00Z", 0},
		{"X-RateLimit-Reset", "1780412460", time.Minute},
		{"X-RateLimit-Reset", "0.5", 500 * time.Millisecond},
		{"RateLimit-Reset", "1780412460", time.Minute},
		{"RateLimit-Reset", "60", time.Minute},
		{"RateLimit-Reset", "NaN", 0},
		{"RateLimit-Reset", "-1", 0},
		{"RateLimit-Reset", "1e300", 0},
	} {
		var want time.Time
		if tt.want > 0 {
			want = now.Add(tt.want)
		}
		if got := outbound.RetryAt(http.Header{http.CanonicalHeaderKey(tt.header): {tt.value}}, now); !got.Equal(want) {
			t.Errorf("%s: %s: got %v, want %v", tt.header, tt.value, got, want)
		}
	}
	both := http.Header{"Retry-After": {"7"}, "X-Ratelimit-Reset": {"2026-06-02T15:05:00Z"}}
	if got := outbound.RetryAt(both, now); !got.Equal(now.Add(7 * time.Second)) {
		t.Errorf("Retry-After does not come first: %v", got)
	}
}

func TestRetryIn(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[float64]time.Duration{
		1.5: 1500 * time.Millisecond, 60: time.Minute, 1e300: 30 * 24 * time.Hour, math.Inf(1): 30 * 24 * time.Hour,
	} {
		if got := outbound.RetryIn(seconds, now); !got.Equal(now.Add(want)) {
			t.Errorf("%v seconds: got %v, want %v from now", seconds, got, want)
		}
	}
	for _, seconds := range []float64{0, -1, math.NaN(), math.Inf(-1)} {
		if got := outbound.RetryIn(seconds, now); !got.IsZero() {
			t.Errorf("%v seconds: got %v, want none", seconds, got)
		}
	}
}

func checkRetryAt(t *testing.T, after, reset string) {
	at := outbound.RetryAt(http.Header{"Retry-After": {after}, "X-Ratelimit-Reset": {reset}}, now)
	if !at.IsZero() && (!at.After(now) || at.After(now.Add(30*24*time.Hour))) {
		t.Errorf("%q, %q: got %v, which is not within 30 days after now", after, reset, at)
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	in7 := now.Add(7 * time.Second)
	for _, tt := range []struct {
		status  int
		after   string
		kind    schedctl.ErrorKind
		outcome schedctl.Outcome
		retryAt time.Time
	}{
		{300, "", schedctl.KindContent, schedctl.OutcomeNotPublished, time.Time{}},
		{301, "", schedctl.KindContent, schedctl.OutcomeNotPublished, time.Time{}},
		{302, "", schedctl.KindContent, schedctl.OutcomeUnknown, time.Time{}},
		{303, "", schedctl.KindContent, schedctl.OutcomeUnknown, time.Time{}},
		{308, "", schedctl.KindContent, schedctl.OutcomeNotPublished, time.Time{}},
		{400, "", schedctl.KindContent, schedctl.OutcomeNotPublished, time.Time{}},
		{401, "7", schedctl.KindAuth, schedctl.OutcomeNotPublished, time.Time{}},
		{403, "", schedctl.KindPlatform, schedctl.OutcomeNotPublished, time.Time{}},
		{404, "", schedctl.KindPlatform, schedctl.OutcomeNotPublished, time.Time{}},
		{405, "", schedctl.KindPlatform, schedctl.OutcomeNotPublished, time.Time{}},
		{408, "", schedctl.KindPlatform, schedctl.OutcomeNotPublished, time.Time{}},
		{409, "", schedctl.KindDuplicate, schedctl.OutcomeNotPublished, time.Time{}},
		{410, "", schedctl.KindPlatform, schedctl.OutcomeNotPublished, time.Time{}},
		{413, "", schedctl.KindContent, schedctl.OutcomeNotPublished, time.Time{}},
		{422, "", schedctl.KindContent, schedctl.OutcomeNotPublished, time.Time{}},
		{429, "", schedctl.KindRateLimited, schedctl.OutcomeNotPublished, time.Time{}},
		{429, "7", schedctl.KindRateLimited, schedctl.OutcomeNotPublished, in7},
		{500, "", schedctl.KindPlatform, schedctl.OutcomeUnknown, time.Time{}},
		{500, "7", schedctl.KindPlatform, schedctl.OutcomeUnknown, time.Time{}},
		{502, "", schedctl.KindPlatform, schedctl.OutcomeUnknown, time.Time{}},
		{503, "", schedctl.KindPlatform, schedctl.OutcomeUnknown, time.Time{}},
		{503, "7", schedctl.KindPlatform, schedctl.OutcomeNotPublished, in7},
		{503, "0", schedctl.KindPlatform, schedctl.OutcomeNotPublished, time.Time{}},
		{503, "soon", schedctl.KindPlatform, schedctl.OutcomeUnknown, time.Time{}},
		{504, "", schedctl.KindPlatform, schedctl.OutcomeUnknown, time.Time{}},
		{599, "", schedctl.KindPlatform, schedctl.OutcomeUnknown, time.Time{}},
	} {
		e := outbound.Refusal(outbound.Response{Status: tt.status, Header: http.Header{"Retry-After": {tt.after}}}, publish.PurposePublish, now)
		if e.Kind != tt.kind || e.Outcome != tt.outcome || !e.RetryAt.Equal(tt.retryAt) || e.HTTPStatus != tt.status || e.Message == "" {
			t.Errorf("%d, Retry-After %q: got %+v", tt.status, tt.after, e)
		}
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	const secret, content = "token-0123456789", "A text that must stay private"
	for _, tt := range []struct{ body, want string }{
		{``, ""},
		{`{}`, ""},
		{`null`, ""},
		{`17`, ""},
		{`[{"error":"in a list"}]`, ""},
		{`<html><body>Bad Gateway</body></html>`, ""},
		{`{"error":"unterminated`, ""},
		{`{"error":"Validation failed"}`, "Validation failed"},
		{`{"error":"invalid_grant","error_description":"The code has expired"}`, "The code has expired"},
		{`{"error":{"message":"content is empty","issues":[]}}`, "content is empty"},
		{`{"message":"no","detail":"more"}`, "no"},
		{`{"title":"Unprocessable"}`, "Unprocessable"},
		{`{"error":["a","b"]}`, ""},
		{`"a string"`, "a string"},
		{"plain\ttext\n\x1b[31min lines\r\n", "plain text [31min lines"},
		{"caf\xe9", "caf\uFFFD"},
		{`{"error":"bad token token-0123456789"}`, ""},
		{`{"error":"cannot take 'that must stay priv'"}`, ""},
		{`{"error":"CANNOT TAKE A TEXT THAT MUST STAY"}`, ""},
		{`{"error":{"error":{"error":{"error":"too deep"}}}}`, ""},
	} {
		if got := outbound.ErrorText(outbound.Response{Body: []byte(tt.body)}, secret, content); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.body, got, tt.want)
		}
	}
	if got := outbound.ErrorText(outbound.Response{Body: []byte("it says hush")}, "hush"); got != "" {
		t.Errorf("the text contains a short secret: %q", got)
	}
}

func TestWithErrorTextLimitsTheMessage(t *testing.T) {
	t.Parallel()
	e := outbound.WithErrorText(&publish.Error{Message: "refused"}, strings.Repeat("é", 600))
	if len(e.Message) > 500 || !utf8.ValidString(e.Message) || !strings.HasSuffix(e.Message, "…") {
		t.Errorf("%d bytes: %q", len(e.Message), e.Message)
	}
	if e := outbound.WithErrorText(&publish.Error{Message: "refused"}, ""); e.Message != "refused" {
		t.Errorf("got %q", e.Message)
	}
}

func checkWords(t *testing.T, body []byte, hidden string) {
	words := outbound.ErrorText(outbound.Response{Body: body}, hidden)
	if len(words) > 300 || !utf8.ValidString(words) || strings.ContainsFunc(words, unicode.IsControl) {
		t.Errorf("%q: got %d bytes: %q", body, len(words), words)
	}
}

// FuzzResponses tests all parsers of responses and user input. The first number
// selects the parser.
func FuzzResponses(f *testing.F) {
	f.Add(byte(0), `{"id":"1","url":"https://social.example/@a/1"}`, "")
	f.Add(byte(0), `{"id":1e400,"url":"HTTP://x"}`, "")
	f.Add(byte(1), "7", "2026-06-02T15:05:00Z")
	f.Add(byte(1), "Tue, 02 Jun 2026 15:00:30 GMT", "1780412460")
	f.Add(byte(1), "99999999999999999999", "1e308")
	f.Add(byte(2), `{"error":{"message":"x"}}`, "hidden content")
	f.Add(byte(2), "\xff\xfe<html>", "")
	f.Add(byte(2), strings.Repeat("日本", 400), "日本")
	for _, text := range []string{
		"https://chat.example/x?y#z", "http://127.0.0.1", "https://[::ffff:10.0.0.1]", "https://2130706433", "https://a@b", "https://[fe80::1%25lo]:1", " HTTPS://LOCALHOST. ",
	} {
		f.Add(byte(3), text, "")
	}
	f.Fuzz(func(t *testing.T, reader byte, text, more string) {
		defer cost.Check(t, len(text)+len(more))()
		switch reader % 4 {
		case 0:
			checkReceipt(t, []byte(text))
		case 1:
			checkRetryAt(t, text, more)
		case 2:
			checkWords(t, []byte(text), more)
		case 3:
			checkParseAddress(t, text)
		}
	})
}

// checkParseAddress checks that an accepted URL is accepted again unchanged and has
// no private host.
func checkParseAddress(t *testing.T, text string) {
	u, err := outbound.PublicOnly.ParseAddress(text)
	if err != nil {
		if len(text) > 40 && strings.Contains(err.Error(), text) {
			t.Errorf("the error for %q contains it: %q", text, err)
		}
		return
	}
	if u.Scheme != "https" || u.User != nil || u.Fragment != "" || u.Hostname() == "" {
		t.Errorf("%q: got %v", text, u)
	}
	if len(u.String()) > 2048 { // escaping makes it longer
		return
	}
	if again, err := outbound.PublicOnly.ParseAddress(u.String()); err != nil || again.Host != u.Host {
		t.Errorf("%q: %v parsed again is %v, %v", text, u, again, err)
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil && (a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsUnspecified() || a.IsMulticast()) {
		t.Errorf("%q: %v is not public", text, a)
	}
}
