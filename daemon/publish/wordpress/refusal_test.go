package wordpress_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/scripts/cost"
)

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status     int
		code       string
		kind       schedctl.ErrorKind
		want, says string
		outcome    schedctl.Outcome
	}{
		{401, "incorrect_password", schedctl.KindAuth, "incorrect_password", "create an application password", schedctl.OutcomeNotPublished},
		{401, "rest_not_logged_in", schedctl.KindAuth, "rest_not_logged_in", "Authorization", schedctl.OutcomeNotPublished},
		{403, "rest_cannot_publish", schedctl.KindAuth, "missing_scope", "Author", schedctl.OutcomeNotPublished},
		{501, "application_passwords_disabled", schedctl.KindAuth, "application_passwords_disabled", "https", schedctl.OutcomeNotPublished},
		{404, "rest_no_route", schedctl.KindPlatform, "rest_no_route", "REST API", schedctl.OutcomeNotPublished},
		{400, "rest_invalid_param", schedctl.KindContent, "rest_invalid_param", "refused the post", schedctl.OutcomeNotPublished},
		{500, "db_insert_error", schedctl.KindPlatform, "", "internal error", schedctl.OutcomeUnknown},
	} {
		p, r := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { refuse(w, tt.status, tt.code) }))
		_, err := p.Publish(t.Context(), r)
		if e := publish.AsError(err); e.Kind != tt.kind || e.Code != tt.want || e.Outcome != tt.outcome || !strings.Contains(e.Message, tt.says) {
			t.Errorf("%s: got %+v", tt.code, e)
		}
	}
}

// FuzzResponses tests the parsers of responses: of a post, of a search, of an upload and
// of the user.
func FuzzResponses(f *testing.F) {
	for _, body := range []string{
		`{"id":42,"slug":"a","link":"https://blog.example.org/a/","content":{"raw":"x"}}`, `{"id":"42","link":17,"content":[]}`, `{"id":-1}`, `{"id":1e99}`,
		`[{"id":42,"slug":"version-2-is-out-pt_01jx0000000000000000000001","link":"https://blog.example.org/a/"}]`, `[17]`, `{"id":3,"source_url":"https://blog.example.org/x.png"}`,
		`{"id":3,"source_url":"https://x/\"><script>"}`, `{"id":7,"name":"Alice","capabilities":{"publish_posts":true}}`, `{"id":7,"capabilities":[]}`,
		`{"code":"incorrect_password","message":"no"}`, `{"code":17}`, "null", "",
	} {
		for reader := range byte(4) {
			f.Add(reader, 200, body)
			f.Add(reader, 403, body)
		}
	}
	f.Fuzz(func(t *testing.T, reader byte, status int, body string) {
		defer cost.Check(t, len(body))()
		if status < 200 || status > 599 || status == 204 || status == 304 {
			return
		}
		p, r := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			io.WriteString(w, body)
		}))
		var err error
		var shown string
		switch reader % 4 {
		case 0:
			var receipt schedctl.Receipt
			receipt, err = p.Publish(t.Context(), r)
			shown = receipt.ID + receipt.URL
		case 1:
			var receipt schedctl.Receipt
			receipt, _, err = p.Find(t.Context(), r, r.PublishAt)
			shown = receipt.ID + receipt.URL
		case 2:
			var u publish.Upload
			u, err = p.Upload(t.Context(), r, publishtest.TestFile("image/png", 1))
			shown = u.ID
		case 3:
			var profile publish.Profile
			profile, err = p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
			shown = profile.Username + profile.DisplayName + profile.URL
		}
		if err != nil {
			shown = publish.AsError(err).Message
		}
		if len(shown) > 5000 || !utf8.ValidString(shown) || strings.ContainsFunc(shown, unicode.IsControl) || strings.Contains(shown, password) {
			t.Errorf("reader %d: %q", reader%4, shown)
		}
		if err != nil && status > 299 && status < 500 && reader%4 != 1 && status != 302 && status != 303 && publish.AsError(err).Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("status %d: %v", status, err)
		}
	})
}
