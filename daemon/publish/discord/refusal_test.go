package discord

import (
	"fmt"
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
		{400, "", `{"code": 50006, "message": "Cannot send an empty message"}`, schedctl.KindContent, "50006", not, 0, "empty message"},
		{400, "", `{"code": 50035, "message": "Invalid Form Body", "errors": {"content": {"_errors": [{"code": "BASE_TYPE_MAX_LENGTH", "message": "Must be 2000 or fewer in length."}]}}}`,
			schedctl.KindContent, "50035", not, 0, "Invalid Form Body"},
		{400, "", `{"code": 200000, "message": "Message was blocked by automatic moderation"}`, schedctl.KindContent, "200000", not, 0, "moderation"},
		{400, "", `{"code": 220001, "message": "Webhooks posted to forum channels must have a thread_name or thread_id"}`, schedctl.KindAuth, "220001", not, 0, "?thread_id="},
		{400, "", `{"code": 240000, "message": "Message blocked by harmful links filter"}`, schedctl.KindContent, "240000", not, 0, "link"},
		{401, "", `{"code": 50027, "message": "Invalid Webhook Token"}`, schedctl.KindAuth, "50027", not, 0, "copy its URL"},
		{403, "", `{"code": 20009, "message": "Explicit content cannot be sent to the desired recipient(s)"}`, schedctl.KindContent, "20009", not, 0, "explicit"},
		{403, "", `{"code": 50013, "message": "You lack permissions to perform that action"}`, schedctl.KindContent, "50013", not, 0, "permissions"},
		{404, "", `{"code": 10003, "message": "Unknown Channel"}`, schedctl.KindContent, "10003", not, 0, "channel or thread"},
		{404, "", `{"code": 10015, "message": "Unknown Webhook"}`, schedctl.KindAuth, "10015", not, 0, "create a new one"},
		{404, "", `{"code": 0, "message": "404: Not Found"}`, schedctl.KindPlatform, "", not, 0, "Not Found"},
		{429, "", `{"message": "You are being rate limited.", "retry_after": 64.5, "global": false}`, schedctl.KindRateLimited, "", not, 64500 * time.Millisecond, "rate limited"},
		{429, "65", `{"message": "You are being rate limited.", "retry_after": 64.5, "global": true}`, schedctl.KindRateLimited, "global", not, 64500 * time.Millisecond, "rate limited"},
		{429, "", `error code: 1015`, schedctl.KindRateLimited, "", not, 0, "1015"},
		{500, "", `{"code": 10015, "message": "Unknown Webhook"}`, schedctl.KindPlatform, "", unknown, 0, "may have published"},
		{503, "30", ``, schedctl.KindPlatform, "", not, 30 * time.Second, "when to retry"},
		{400, "", `{"code": "fifty", "retry_after": "soon", "message": "Odd"}`, schedctl.KindContent, "", not, 0, "Odd"},
	} {
		a := outbound.Response{Status: tt.status, Header: http.Header{}, Body: []byte(tt.body)}
		if tt.header != "" {
			a.Header.Set("Retry-After", tt.header)
		}
		_, err := readResponse(a, publish.Request{}, now, "the token of a webhook")
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

// TestLimitWaits guards that milliseconds in the header Retry-After, as old versions of the
// API send them, are not read as seconds: 45 seconds became 12 hours.
func TestLimitWaits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		retryAfter, resetAfter, body string
		want                         time.Duration
	}{
		{"45000", "45.123", `{"message": "You are being rate limited.", "retry_after": 45.123, "global": false}`, 45123 * time.Millisecond},
		{"45000", "45.5", `{"message": "You are being rate limited.", "global": false}`, 45500 * time.Millisecond},
		{"45000", "soon", `{"retry_after": "45"}`, time.Hour},
		{"45", "", ``, 45 * time.Second},
		{"", "", `{"message": "You are being rate limited.", "retry_after": 45123, "global": false}`, time.Hour},
		{"45000", "", `error code: 1015`, time.Hour},
		{"7200", "", `{"message": "You are being rate limited.", "retry_after": 7200.5, "global": true}`, 7200500 * time.Millisecond},
		{"", "", `{"retry_after": 0, "global": false}`, 0},
		{"", "NaN", `{}`, 0},
	} {
		a := outbound.Response{Status: 429, Header: http.Header{}, Body: []byte(tt.body)}
		a.Header.Set("Retry-After", tt.retryAfter)
		a.Header.Set("X-RateLimit-Reset-After", tt.resetAfter)
		e := refusal(a, publish.PurposePublish, now)
		var got time.Duration
		if !e.RetryAt.IsZero() {
			got = e.RetryAt.Sub(now)
		}
		if e.Kind != schedctl.KindRateLimited || got != tt.want {
			t.Errorf("%s: retry in %v, want %v (%+v)", tt.body, got, tt.want, e)
		}
	}
}

// A message has an address only if its parts are valid.
func TestParseMessage(t *testing.T) {
	t.Parallel()
	const page = channels + "1/2"
	for _, tt := range []struct {
		body, channel string
		want          schedctl.Receipt
		ok            bool
	}{
		{`{"id":"3","channel_id":"2"}`, page, schedctl.Receipt{ID: "3", URL: page + "/3"}, true},
		{`{"id":"3","channel_id":"9"}`, page, schedctl.Receipt{ID: "3", URL: channels + "1/9/3"}, true},
		{`{"id":"3","channel_id":"2"}`, "", schedctl.Receipt{ID: "3"}, true},
		{`{"id":"3","channel_id":"2"}`, "https://chat.example/channels/1/2", schedctl.Receipt{ID: "3"}, true},
		{`{"id":"3"}`, page, schedctl.Receipt{ID: "3"}, true},
		{`{"id":"../3","channel_id":"2"}`, page, schedctl.Receipt{}, false},
		{`{"id":3}`, page, schedctl.Receipt{}, false},
		{`{}`, page, schedctl.Receipt{}, false},
	} {
		got, ok := parseMessage(outbound.Response{Status: 200, Body: []byte(tt.body)}, tt.channel)
		if !got.Equal(tt.want) || ok != tt.ok {
			t.Errorf("%s, %s: got %+v, %v; want %+v, %v", tt.body, tt.channel, got, ok, tt.want, tt.ok)
		}
	}
}

func checkRead(t *testing.T, code int, body []byte) {
	receipt, err := readResponse(outbound.Response{Status: code, Body: body}, publish.Request{Account: schedctl.Account{ProfileURL: channels + "1/2"}}, now, "the content of a post")
	if (err == nil) != (receipt.ID != "") {
		t.Fatalf("%d %q: got %+v and %v", code, body, receipt, err)
	}
	if err == nil {
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

func checkParseProfile(t *testing.T, body []byte) {
	w, err := New(nil, outbound.PublicOnly, "test").parseWebhook("https://discord.com/api/webhooks/1/token")
	if err != nil {
		t.Fatal(err)
	}
	profile, ok := parseProfile(outbound.Response{Status: 200, Body: body}, w)
	if ok != (profile.Username != "") {
		t.Errorf("%q: got %+v, %v", body, profile, ok)
	}
	for _, text := range []string{profile.Username, profile.DisplayName, profile.URL} {
		if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) || len(text) > 500 {
			t.Errorf("%q: got %q", body, text)
		}
	}
}

func ExamplePublisher_Check() {
	c := New(nil, outbound.PublicOnly, "").Check(schedctl.Account{}, publish.Text("🙂 "+strings.Repeat("x", 2000)))
	fmt.Println(c.Length, c.Limit, c.Unit, c.Err())
	// Output: 2002 2000 characters content: the post has 2002 characters and the network allows 2000; shorten it
}

// FuzzResponses tests all parsers of responses. The first number selects the parser.
func FuzzResponses(f *testing.F) {
	f.Add(byte(0), 200, []byte(`{"id":"1180000000000000042","channel_id":"199737254929760257"}`))
	f.Add(byte(0), 429, []byte(`{"message":"You are being rate limited.","retry_after":1e308,"global":true}`))
	f.Add(byte(0), 400, []byte(`{"code":50035,"errors":{"content":{"_errors":[{"code":"BASE_TYPE_MAX_LENGTH"}]}}}`))
	f.Add(byte(0), 404, []byte(`{"code":1e99}`))
	f.Add(byte(0), 503, []byte("\xff"))
	f.Add(byte(1), 200, []byte(`{"id":"1","name":"News","guild_id":"2","channel_id":"3"}`))
	f.Add(byte(1), 200, []byte(`{"id":"1","name":null,"guild_id":{}}`))
	f.Fuzz(func(t *testing.T, reader byte, status int, body []byte) {
		defer cost.Check(t, len(body))()
		if reader%2 == 0 {
			checkRead(t, status, body)
		} else {
			checkParseProfile(t, body)
		}
	})
}
