package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/client/apiv1"
)

// A web page of a different site, in a browser on the daemon's machine, can neither
// read responses of the daemon nor change anything: a browser adds no credentials,
// and no response allows other sites to read it.
func TestWebPagesOfOtherSitesGetNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	page := func(r *http.Request) {
		r.Header.Del("Authorization")
		r.Header.Set("Origin", "https://evil.example")
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		r.Header.Set("Cookie", "key="+f.mine.key)
	}
	asks := func(r *http.Request) {
		page(r)
		r.Header.Set("Access-Control-Request-Method", "POST")
		r.Header.Set("Access-Control-Request-Headers", "authorization, content-type")
		r.Header.Set("Access-Control-Request-Private-Network", "true")
	}
	post := f.scheduled().ID
	for _, path := range []string{"/posts", "/me", "/posts/" + post + "/cancel", "/webhooks", "/api-keys", "/backup", "/events"} {
		if r := f.do(asks, "OPTIONS", path, nil); r.status < 400 || allowsOthers(r.header) {
			t.Errorf("preflight of %s: %d %v", path, r.status, r.header)
		}
		for _, method := range []string{"GET", "POST"} { // methods that pages may use without a preflight request
			if r := f.do(page, method, path, nil); r.status < 400 || allowsOthers(r.header) {
				t.Errorf("%s %s: %d %v", method, path, r.status, r.header)
			}
		}
	}
	share := f.reviewer(body{"can": "decide"})
	for _, path := range []string{share, share + "/" + post, share + "/" + f.proposed(body{"content": "Hello"}).ID, "/s/wrong", "/s/style.css"} {
		for _, method := range []string{"GET", "POST", "OPTIONS"} {
			if r := f.exchange(page, method, path, nil); method != "GET" && r.status < 400 || readableByOthers(r.header) {
				t.Errorf("%s %s: %d %v", method, path, r.status, r.header)
			}
		}
	}
	for _, path := range []string{"/healthz", "/openapi.json", "/docs", "/feeds/x.atom"} { // which need no key
		if r := f.exchange(page, "GET", path, nil); allowsOthers(r.header) {
			t.Errorf("%s can be read by other sites: %v", path, r.header)
		}
	}
	if got := decodeAs[apiv1.PostEnvelope](t, f.do(nil, "GET", "/posts/"+post, nil).want(200)).Post; got.Status != "scheduled" {
		t.Errorf("the post is %s", got.Status)
	}
}

// allowsOthers reports whether a response lets other sites read it, or sets a cookie.
func allowsOthers(h http.Header) bool { return readableByOthers(h) || h.Get("Set-Cookie") != "" }

// readableByOthers reports whether a response lets other sites read it. The pages of shares
// set a cookie that browsers do not send for other sites.
func readableByOthers(h http.Header) bool {
	for name := range h {
		if strings.HasPrefix(name, "Access-Control-") {
			return true
		}
	}
	return h.Get("Set-Cookie") != "" && !strings.Contains(h.Get("Set-Cookie"), "SameSite=Strict")
}
