package googlechat_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/scripts/cost"
)

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, path string
		part       int
		kind       schedctl.ErrorKind
		code, says string
	}{
		{"wrong key", "/v1/spaces/" + space + "/messages?key=x&token=" + token, 0, schedctl.KindAuth, "API_KEY_INVALID", "copy the URL of the webhook again"},
		{"wrong token", "/v1/spaces/" + space + "/messages?key=" + key + "&token=x", 0, schedctl.KindAuth, "UNAUTHENTICATED", "copy the URL of the webhook again"},
		{"the space is gone", "/v1/spaces/other/messages?key=" + key + "&token=" + token, 0, schedctl.KindAuth, "NOT_FOUND", "create a new webhook"},
		{"the thread is gone", "/v1/spaces/other/messages?key=" + key + "&token=" + token, 1, schedctl.KindContent, publish.CodeParentMissing, "no longer exists"},
	} {
		p, r := start(t, newServer())
		r.Credentials = publish.Credentials{"webhook_url": strings.TrimSuffix(r.Credentials["webhook_url"], webhook) + tt.path}
		if tt.part > 0 {
			root := schedctl.Receipt{ID: "spaces/" + space + "/messages/m1.m1", Ref: "spaces/" + space + "/threads/t1"}
			r = replyTo(r, root, root)
		}
		_, err := p.Publish(t.Context(), r)
		e := publish.AsError(err)
		if e.Kind != tt.kind || e.Code != tt.code || e.Outcome != schedctl.OutcomeNotPublished || !strings.Contains(e.Message, tt.says) {
			t.Errorf("%s: got %+v", tt.name, e)
		}
	}
}

// FuzzResponses tests the parsers of responses.
func FuzzResponses(f *testing.F) {
	for _, body := range []string{
		`{"name":"spaces/a/messages/b","thread":{"name":"spaces/a/threads/c"}}`, `{"name":17,"thread":[]}`, `{"name":"spaces/a/messages/../b"}`,
		`{"error":{"code":400,"message":"API key not valid","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`,
		`{"error":{"details":[{"reason":[]}],"status":{}}}`, `{"error":"x"}`, `[]`, "null", "",
	} {
		for _, status := range []int{200, 400, 404, 429, 500} {
			f.Add(status, body)
		}
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		defer cost.Check(t, len(body))()
		if status < 200 || status > 599 || status == 204 || status == 304 {
			return
		}
		p, r := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			io.WriteString(w, body)
		}))
		receipt, err := p.Publish(t.Context(), r)
		e := publish.AsError(err)
		switch {
		case err == nil && (!strings.HasPrefix(receipt.ID, "spaces/") || status > 299):
			t.Errorf("status %d is accepted: %+v", status, receipt)
		case err != nil && status < 300 && e.Outcome != schedctl.OutcomeUnknown:
			t.Errorf("a response of success without a message: %+v", e)
		case err != nil && (len(e.Message) > 500 || !utf8.ValidString(e.Message) || strings.ContainsFunc(e.Message, unicode.IsControl) || strings.Contains(e.Message, key)):
			t.Errorf("message %q", e.Message)
		}
		if printed := fmt.Sprint(receipt); strings.ContainsFunc(printed, unicode.IsControl) {
			t.Errorf("receipt %q", printed)
		}
	})
}
