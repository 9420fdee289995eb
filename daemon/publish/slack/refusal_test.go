package slack

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

const (
	not     = schedctl.OutcomeNotPublished
	unknown = schedctl.OutcomeUnknown
)

type refused struct {
	status  int
	header  string // Retry-After
	body    string
	kind    schedctl.ErrorKind
	code    string
	outcome schedctl.Outcome
	retryIn time.Duration
	says    string
}

func (tt refused) answer() outbound.Response {
	a := outbound.Response{Status: tt.status, Header: http.Header{}, Body: []byte(tt.body)}
	if tt.header != "" {
		a.Header.Set("Retry-After", tt.header)
	}
	return a
}

func (tt refused) check(t *testing.T, err error) {
	t.Helper()
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

func TestRefusalOfABot(t *testing.T) {
	t.Parallel()
	for _, tt := range []refused{
		{200, "", `{"ok":false,"error":"invalid_auth"}`, schedctl.KindAuth, "invalid_auth", not, 0, "new one: invalid_auth"},
		{200, "", `{"ok":false,"error":"token_revoked"}`, schedctl.KindAuth, "token_revoked", not, 0, "new one"},
		{200, "", `{"ok":false,"error":"account_inactive"}`, schedctl.KindAuth, "account_inactive", not, 0, "new one"},
		{200, "", `{"ok":false,"error":"not_authed"}`, schedctl.KindAuth, "not_authed", not, 0, "new one"},
		{200, "", `{"ok":false,"error":"missing_scope","needed":"chat:write","provided":"users:read"}`, schedctl.KindAuth, "missing_scope", not, 0, "chat:write"},
		{200, "", `{"ok":false,"error":"channel_not_found"}`, schedctl.KindAuth, "channel_not_found", not, 0, "invite the bot"},
		{200, "", `{"ok":false,"error":"not_in_channel"}`, schedctl.KindAuth, "not_in_channel", not, 0, "/invite"},
		{200, "", `{"ok":false,"error":"is_archived"}`, schedctl.KindAuth, "is_archived", not, 0, "archived"},
		{200, "", `{"ok":false,"error":"restricted_action"}`, schedctl.KindAuth, "restricted_action", not, 0, "administrator"},
		{200, "", `{"ok":false,"error":"msg_too_long"}`, schedctl.KindContent, "msg_too_long", not, 0, "shorten"},
		{200, "", `{"ok":false,"error":"no_text"}`, schedctl.KindContent, "no_text", not, 0, "empty"},
		{200, "", `{"ok":false,"error":"an_error_of_tomorrow"}`, schedctl.KindContent, "an_error_of_tomorrow", not, 0, "refused the post: an_error_of_tomorrow"},
		{200, "30", `{"ok":false,"error":"ratelimited"}`, schedctl.KindRateLimited, "ratelimited", not, 30 * time.Second, "fewer requests"},
		{429, "30", `{"ok":false,"error":"ratelimited"}`, schedctl.KindRateLimited, "ratelimited", not, 30 * time.Second, "fewer requests"},
		{429, "", ``, schedctl.KindRateLimited, "", not, 0, "fewer requests"},
		{200, "", `{"ok":false,"error":"fatal_error"}`, schedctl.KindPlatform, "fatal_error", unknown, 0, "may have published"},
		{200, "", `{"ok":false,"error":"internal_error"}`, schedctl.KindPlatform, "internal_error", unknown, 0, "may have published"},
		{200, "", `{"ok":false,"error":"request_timeout"}`, schedctl.KindPlatform, "request_timeout", unknown, 0, "may have published"},
		{200, "", `{"ok":false,"error":"service_unavailable"}`, schedctl.KindPlatform, "service_unavailable", unknown, 0, "may have published"},
		{500, "", `{"ok":false,"error":"invalid_auth"}`, schedctl.KindPlatform, "invalid_auth", unknown, 0, "may have published"},
		{503, "", `upstream connect error`, schedctl.KindPlatform, "", unknown, 0, "upstream"},
		{302, "", `{"ok":false,"error":"invalid_auth"}`, schedctl.KindContent, "redirected", unknown, 0, "redirect"},
		{200, "", `{"ok":false}`, schedctl.KindPlatform, "no_answer", unknown, 0, "check the channel"},
		{200, "", `{"ok":false,"error":"Not A Name"}`, schedctl.KindPlatform, "no_answer", unknown, 0, "check the channel"},
		{200, "", `{"ok":true}`, schedctl.KindPlatform, "no_answer", unknown, 0, "check the channel"},
		{200, "", `{"ok":true,"channel":"C1","ts":"yesterday"}`, schedctl.KindPlatform, "no_answer", unknown, 0, "check the channel"},
	} {
		_, err := readResponse(tt.answer(), publish.Request{}, now, "xoxb-token")
		tt.check(t, err)
	}
}

func TestRefusalOfAWebhook(t *testing.T) {
	t.Parallel()
	for _, tt := range []refused{
		{400, "", "invalid_payload", schedctl.KindContent, "invalid_payload", not, 0, "invalid_payload"},
		{400, "", "no_text", schedctl.KindContent, "no_text", not, 0, "empty"},
		{400, "", "user_not_found", schedctl.KindAuth, "user_not_found", not, 0, "another webhook"},
		{403, "", "action_prohibited", schedctl.KindAuth, "action_prohibited", not, 0, "administrator"},
		{403, "", "invalid_token", schedctl.KindAuth, "invalid_token", not, 0, "create a new one"},
		{404, "", "no_service", schedctl.KindAuth, "no_service", not, 0, "create a new one"},
		{404, "", "no_team", schedctl.KindAuth, "no_team", not, 0, "create a new one"},
		{404, "", "channel_not_found", schedctl.KindAuth, "channel_not_found", not, 0, "another channel"},
		{404, "", "<html>", schedctl.KindPlatform, "", not, 0, "check the URL"},
		{410, "", "channel_is_archived\n", schedctl.KindAuth, "channel_is_archived", not, 0, "archived"},
		{429, "1", "rate_limited", schedctl.KindRateLimited, "rate_limited", not, time.Second, "fewer requests"},
		{500, "", "rollup_error", schedctl.KindPlatform, "rollup_error", unknown, 0, "may have published"},
	} {
		_, err := readWebhook(tt.answer(), now, "/services/T1/B1/token")
		tt.check(t, err)
	}
	_, err := readWebhook(outbound.Response{Status: 404, Body: []byte("a_secret_that_is_a_word")}, now, "a_secret_that_is_a_word")
	if e := publish.AsError(err); strings.Contains(e.Code+e.Message, "secret") {
		t.Errorf("got %+v", e)
	}
}

func checkError(t *testing.T, code int, body []byte, receipt schedctl.Receipt, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if !receipt.Equal(schedctl.Receipt{}) {
		t.Fatalf("%d %q: got %+v and %v", code, body, receipt, err)
	}
	e := publish.AsError(err)
	if len(e.Message) > 500 || !utf8.ValidString(e.Message) || strings.ContainsFunc(e.Message+e.Code, unicode.IsControl) || e.Outcome == "" || e.Kind == "" {
		t.Errorf("%d %q: got %+v", code, body, e)
	}
}

func checkRead(t *testing.T, code int, body []byte) {
	a := outbound.Response{Status: code, Body: body}
	receipt, err := readResponse(a, publish.Request{Account: schedctl.Account{ProfileURL: "https://t.slack.com/archives/C0123456789"}}, now, "the content of a post")
	if err == nil && receipt.ID == "" {
		t.Errorf("%d %q: accepted without a message", code, body)
	}
	checkError(t, code, body, receipt, err)
	receipt, err = readWebhook(a, now, "the content of a post")
	if err == nil && strings.TrimSpace(string(body)) != "ok" {
		t.Errorf("%d %q: accepted", code, body)
	}
	checkError(t, code, body, receipt, err)
}

func checkHistory(t *testing.T, body []byte) {
	var h history
	if json.Unmarshal(body, &h) != nil {
		return
	}
	if ts := h.find("pt_1"); ts != "" && !timestamp().MatchString(ts) {
		t.Errorf("%q: found %q", body, ts)
	}
}

// FuzzResponses tests all parsers of responses. The first number selects the parser.
func FuzzResponses(f *testing.F) {
	f.Add(byte(0), 200, []byte(`{"ok":true,"channel":"C0123456789","ts":"1780412400.000247"}`))
	f.Add(byte(0), 200, []byte(`{"ok":false,"error":"channel_not_found"}`))
	f.Add(byte(0), 429, []byte(`{"ok":false,"error":"ratelimited"}`))
	f.Add(byte(0), 404, []byte(`no_service`))
	f.Add(byte(0), 200, []byte(`ok`))
	f.Add(byte(0), 503, []byte("\xff"))
	f.Add(byte(1), 200, []byte(`{"messages":[{"ts":"1.000000","metadata":{"event_type":"schedctl_post","event_payload":{"id":"pt_1"}}}],"response_metadata":{"next_cursor":"x"}}`))
	f.Add(byte(1), 200, []byte(`{"messages":[{"ts":"x","metadata":{"event_payload":{"id":[1]}}}]}`))
	f.Fuzz(func(t *testing.T, reader byte, status int, body []byte) {
		defer cost.Check(t, len(body))()
		if reader%2 == 0 {
			checkRead(t, status, body)
		} else {
			checkHistory(t, body)
		}
	})
}
