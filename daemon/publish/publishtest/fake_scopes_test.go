package publishtest_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// The fakes that decide about scopes themselves serve each request with all scopes, and refuse
// it without the one that it needs.
func TestFakesRefuseRequestsOutsideTheScopes(t *testing.T) {
	t.Parallel()
	facebook := func(without func([]string) []string) (http.Handler, string) {
		fake := publishtest.NewFakeFacebook()
		for _, token := range fake.Tokens {
			token.Scopes = without(token.Scopes)
		}
		return fake, publishtest.FacebookUserToken
	}
	page := publishtest.NewFakeFacebook().Page
	threads := func(without func([]string) []string) (http.Handler, string) {
		fake := &publishtest.FakeContainers{API: publishtest.ThreadsAPI, Scopes: without([]string{"threads_basic", "threads_content_publish", "threads_manage_replies"})}
		return fake, "threads-token"
	}
	linkedIn := func(without func([]string) []string) (http.Handler, string) {
		fake := publishtest.NewFakeLinkedIn()
		fake.Scopes = without(fake.Scopes)
		return fake, fake.Token
	}
	for _, tt := range []struct {
		start       func(without func([]string) []string) (http.Handler, string)
		call, scope string
		says        string
	}{
		{facebook, "GET /v25.0/me/accounts", "pages_show_list", "(#10)"},
		{facebook, "GET /v25.0/" + page, "pages_read_engagement", "(#10)"},
		{facebook, "GET /v25.0/" + page + "/published_posts", "pages_read_engagement", "(#10)"},
		{facebook, "GET /v25.0/" + page + "/videos", "pages_read_engagement", "(#10)"},
		{facebook, "POST /v25.0/" + page + "/feed", "pages_manage_posts", "(#200)"},
		{facebook, "POST /v25.0/" + publishtest.FacebookApp + "/uploads", "pages_manage_posts", "(#200)"},
		{threads, "GET /v1.0/me", "threads_basic", "(#10)"},
		{threads, "GET /v1.0/me/threads", "threads_basic", "(#10)"},
		{threads, "GET /v1.0/1", "threads_basic", "(#10)"},
		{threads, "GET /v1.0/me/threads_publishing_limit?fields=reply_quota_usage", "threads_manage_replies", "(#10)"},
		{threads, "POST /v1.0/me/threads", "threads_content_publish", "(#10)"},
		{linkedIn, "GET /v2/userinfo", "openid", "userinfo.GET"},
		{linkedIn, "GET /v2/userinfo", "profile", "userinfo.GET"},
	} {
		for _, lacks := range []bool{false, true} {
			handler, token := tt.start(func(scopes []string) []string {
				return slices.DeleteFunc(slices.Clone(scopes), func(s string) bool { return lacks && s == tt.scope })
			})
			method, address, _ := strings.Cut(tt.call, " ")
			r := httptest.NewRequest(method, address, nil)
			q := r.URL.Query()
			q.Set("access_token", token)
			r.URL.RawQuery = q.Encode()
			r.Header.Set("Authorization", "Bearer "+token)
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if denied := w.Code >= 400 && strings.Contains(w.Body.String(), tt.says); denied != lacks {
				t.Errorf("%s, lacks %s %v: %d %s", tt.call, tt.scope, lacks, w.Code, w.Body)
			}
		}
	}
}
