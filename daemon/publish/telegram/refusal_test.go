package telegram

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
		status      int
		description string
		more        string // members of the response besides the description
		kind        schedctl.ErrorKind
		code        string
		outcome     schedctl.Outcome
		retryIn     time.Duration
		says        string
	}{
		{400, "Bad Request: message is too long", "", schedctl.KindContent, "", not, 0, "message is too long"},
		{400, "Bad Request: message text is empty", "", schedctl.KindContent, "", not, 0, "text is empty"},
		{400, "Bad Request: chat not found", "", schedctl.KindAuth, "chat_not_found", not, 0, "add the bot to the chat"},
		{400, "Bad Request: not enough rights to send text messages to the chat", "", schedctl.KindAuth, "no_rights", not, 0, "administrator"},
		{400, "Bad Request: need administrator rights in the channel chat", "", schedctl.KindAuth, "no_rights", not, 0, "make it one"},
		{400, "Bad Request: CHAT_WRITE_FORBIDDEN", "", schedctl.KindAuth, "no_rights", not, 0, "may not write"},
		{400, "Bad Request: group chat was upgraded to a supergroup chat", `,"parameters":{"migrate_to_chat_id":-1001234567890}`,
			schedctl.KindAuth, "migrated", not, 0, "with chat_id -1001234567890"},
		{400, "Bad Request: group chat was upgraded to a supergroup chat", "", schedctl.KindAuth, "migrated", not, 0, "supergroup"},
		{401, "Unauthorized", "", schedctl.KindAuth, "", not, 0, "Unauthorized"},
		{403, "Forbidden: bot was blocked by the user", "", schedctl.KindAuth, "bot_removed", not, 0, "blocked by the user"},
		{403, "Forbidden: bot is not a member of the channel chat", "", schedctl.KindAuth, "bot_removed", not, 0, "not a member"},
		{404, "Not Found", "", schedctl.KindAuth, "", not, 0, "no bot has this token"},
		{413, "Request Entity Too Large", "", schedctl.KindContent, "", not, 0, "Too Large"},
		{429, "Too Many Requests: retry after 35", `,"parameters":{"retry_after":35}`, schedctl.KindRateLimited, "", not, 35 * time.Second, "retry after 35"},
		{429, "Too Many Requests", `,"parameters":{"retry_after":"soon"}`, schedctl.KindRateLimited, "", not, 0, "Too Many"},
		{500, "Internal Server Error", "", schedctl.KindPlatform, "", unknown, 0, "may have published"},
		{502, "Bad Gateway", "", schedctl.KindPlatform, "", unknown, 0, "Bad Gateway"},
	} {
		body := fmt.Sprintf(`{"ok":false,"error_code":%d,"description":%q%s}`, tt.status, tt.description, tt.more)
		_, err := readResponse(outbound.Response{Status: tt.status, Header: http.Header{}, Body: []byte(body)}, publish.PurposePublish, now, "123456:token")
		e := publish.AsError(err)
		if e.Kind != tt.kind || e.Code != tt.code || e.Outcome != tt.outcome || e.HTTPStatus != tt.status || !strings.Contains(e.Message, tt.says) {
			t.Errorf("%s: got %+v", body, e)
		}
		want := time.Time{}
		if tt.retryIn > 0 {
			want = now.Add(tt.retryIn)
		}
		if !e.RetryAt.Equal(want) {
			t.Errorf("%s: retry at %v, want %v", body, e.RetryAt, want)
		}
	}
}

func TestParseMessage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		chat string
		url  string
	}{
		{`{"id":-1001,"type":"channel","username":"news"}`, "https://t.me/news/7"},
		{`{"id":-1001,"type":"supergroup","username":"talk"}`, "https://t.me/talk/7"},
		{`{"id":-1001,"type":"supergroup"}`, "https://t.me/c/1/7"},
		{`{"id":-1001,"type":"channel","username":"../x"}`, "https://t.me/c/1/7"},
		{`{"id":-42,"type":"group"}`, ""},
		{`{"id":42,"type":"private","username":"alice"}`, ""},
		{`{}`, ""},
	} {
		body := `{"ok":true,"result":{"message_id":7,"chat":` + tt.chat + `}}`
		got, ok := parseMessage(outbound.Response{Status: 200, Body: []byte(body)})
		if want := (schedctl.Receipt{ID: "7", URL: tt.url}); !got.Equal(want) || !ok {
			t.Errorf("%s: got %+v, %v; want %+v", tt.chat, got, ok, want)
		}
	}
	for _, body := range []string{
		`{"ok":false,"result":{"message_id":7}}`, `{"result":{"message_id":7}}`, `{"ok":true,"result":{"message_id":0}}`,
		`{"ok":true,"result":true}`, `{"ok":true}`, `[]`,
	} {
		if got, ok := parseMessage(outbound.Response{Status: 200, Body: []byte(body)}); ok {
			t.Errorf("%s: got %+v", body, got)
		}
	}
}

func FuzzResponses(f *testing.F) {
	f.Add(200, []byte(`{"ok":true,"result":{"message_id":42,"chat":{"id":-1001234567890,"type":"channel","username":"news"}}}`))
	f.Add(400, []byte(`{"ok":false,"error_code":400,"description":"Bad Request: chat not found","parameters":{"migrate_to_chat_id":1e5}}`))
	f.Add(429, []byte(`{"ok":false,"error_code":429,"parameters":{"retry_after":1e308}}`))
	f.Add(503, []byte("\xff"))
	f.Fuzz(func(t *testing.T, code int, body []byte) {
		defer cost.Check(t, len(body))()
		receipt, err := readResponse(outbound.Response{Status: code, Body: body}, publish.PurposePublish, now, "the content of a post")
		if (err == nil) != (receipt.ID != "") {
			t.Fatalf("%d %q: got %+v and %v", code, body, receipt, err)
		}
		if err == nil {
			if receipt.URL != "" && !strings.HasPrefix(receipt.URL, "https://t.me/") {
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
	})
}
