package api_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
)

func TestRequestID(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, path := range []string{"/api/v1/me", "/healthz", "/readyz", "/openapi.json", "/feeds/x.atom", "/nowhere", "/api//v1", "/api/v1/posts"} {
		for _, method := range []string{"GET", "PUT"} {
			r := f.exchange(header("X-Request-Id", "my-id~1"), method, path, nil)
			if got := r.header.Get("X-Request-Id"); got != "my-id~1" {
				t.Errorf("%s %s: X-Request-Id %q", method, path, got)
			}
		}
	}
	for _, bad := range []string{"", "with space", "ünicode", "\x7f", strings.Repeat("x", 129)} {
		a := f.do(header("X-Request-Id", bad), "GET", "/me", nil).header.Get("X-Request-Id")
		b := f.do(header("X-Request-Id", bad), "GET", "/me", nil).header.Get("X-Request-Id")
		if _, ok := schedctl.ParseID(schedctl.RequestPrefix, a); !ok || a == b {
			t.Errorf("for %q the ids are %q and %q", bad, a, b)
		}
	}
	longest := strings.Repeat("x", 128)
	if got := f.do(header("X-Request-Id", longest), "GET", "/me", nil).header.Get("X-Request-Id"); got != longest {
		t.Errorf("an id of 128 characters becomes %q", got)
	}
}

func TestAllow(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for path, allow := range map[string]string{
		"/api/v1/me":                "GET, HEAD",
		"/api/v1/posts":             "GET, HEAD, POST",
		"/api/v1/posts/x":           "GET, HEAD, PATCH, DELETE",
		"/api/v1/posts/x/cancel":    "POST",
		"/api/v1/social-accounts/x": "GET, HEAD, PATCH, DELETE",
		"/":                         "GET, HEAD",
		"/healthz":                  "GET, HEAD",
		"/openapi.json":             "GET, HEAD",
		"/feeds/x.atom":             "GET, HEAD",
	} {
		for _, method := range []string{"PUT", "OPTIONS", "TRACE", "BREW"} {
			r := f.exchange(header("Authorization", ""), method, path, nil)
			r.refused(schedctl.MethodNotAllowed)
			if got := r.header.Get("Allow"); got != allow {
				t.Errorf("%s %s: Allow %q, want %q", method, path, got, allow)
			}
		}
	}
}

func TestUnknownPaths(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, path := range []string{
		"//", "/api", "/api/v1", "/api/v1/", "/api/v1/posts/", "/api/v1//posts", "/api/v1/posts/x/", "/api/v1/posts/x/y",
		"/api/v1/../v1/me", "/docs/", "/schemas/Post", "/openapi-3.0.json", "/API/V1/ME",
	} {
		for _, method := range []string{"GET", "POST"} {
			f.exchange(nil, method, path, nil).refused(schedctl.NotFound)
		}
	}
	f.do(nil, "GET", "/posts/a%2Fb", nil).refused(schedctl.NotFound)
	f.do(nil, "GET", "/posts/%00", nil).refused(schedctl.NotFound)
}

func TestFeedsAreHandedOn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.exchange(header("Authorization", ""), "GET", "/feeds/news.atom", nil).want(200)
	if string(r.body) != "feed /feeds/news.atom" {
		t.Errorf("%q", r.body)
	}
}

func TestAccept(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for value, want := range map[string]int{
		"":                                 200,
		"*/*":                              200,
		"application/json":                 200,
		"application/*":                    200,
		"Application/JSON; charset=utf-8":  200,
		"text/html, application/json;q=.1": 200,
		"text/html, */*;q=0.1":             200,
		"application/json;q=0":             406,
		"application/json;q=0, */*":        406,
		"text/html":                        406,
		"application/xml, text/*":          406,
		"nonsense":                         406,
	} {
		o := header("Accept", value)
		if value == "" {
			o = nil
		}
		if r := f.do(o, "GET", "/me", nil); r.status != want {
			t.Errorf("Accept: %s gets %d, want %d", value, r.status, want)
		}
	}
}

func TestContentType(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for value, want := range map[string]int{
		"application/json":                   201,
		"application/json; charset=utf-8":    201,
		"Application/JSON;charset=\"UTF-8\"": 201,
		"application/merge-patch+json":       201,
		"":                                   415,
		"text/json":                          415,
		"text/plain":                         415,
		"application/json; charset=utf-16":   415,
		"application/jsonp":                  415,
		"multipart/form-data":                415,
		";":                                  415,
	} {
		r := httptest.NewRequest("POST", "/api/v1/posts", strings.NewReader(`{"content":"x"}`))
		r.Header.Set("Authorization", "Bearer "+f.mine.key)
		r.Header.Set("Content-Type", value)
		w := httptest.NewRecorder()
		f.handler.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("Content-Type: %s gets %d, want %d: %s", value, w.Code, want, w.Body)
		}
	}
	f.do(nil, "POST", "/posts/"+f.scheduled().ID+"/cancel", nil).want(200) // no body, no type
}

func TestBodySize(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	fill := func(size int) string {
		const head, tail = `{"content":"x"`, `}`
		return head + strings.Repeat(" ", size-len(head)-len(tail)) + tail
	}
	server := httptest.NewServer(f.handler)
	t.Cleanup(server.Close)
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"with a length": func(r io.Reader) io.Reader { return r },
		"chunked":       func(r io.Reader) io.Reader { return io.MultiReader(r) },
	} {
		for size, want := range map[int]int{1 << 20: 201, 1<<20 + 1: 413} {
			req, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/api/v1/posts", wrap(strings.NewReader(fill(size))))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+f.mine.key)
			req.Header.Set("Content-Type", "application/json")
			res, err := server.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(res.Body)
			res.Body.Close()
			if res.StatusCode != want {
				t.Errorf("%d bytes %s: %d, want %d: %s", size, name, res.StatusCode, want, body)
			}
		}
	}
}

func TestHeadMatchesGet(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	server := httptest.NewServer(f.handler)
	t.Cleanup(server.Close)
	p := f.draft()
	for _, path := range []string{
		"/api/v1/webhooks", "/api/v1/posts", "/api/v1/posts/" + p.ID, "/api/v1/posts/none", "/api/v1/social-accounts", "/healthz", "/openapi.json", "/nowhere",
	} {
		responses := map[string]*http.Response{}
		for _, method := range []string{"GET", "HEAD"} {
			req, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+f.mine.key)
			req.Header.Set("X-Request-Id", "same")
			res, err := server.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(res.Body)
			res.Body.Close()
			if method == "HEAD" && len(body) > 0 {
				t.Errorf("HEAD %s has a body", path)
			}
			responses[method] = res
		}
		for _, name := range []string{"Content-Type", "Content-Length", "ETag"} {
			if a, b := responses["GET"].Header.Get(name), responses["HEAD"].Header.Get(name); a != b {
				t.Errorf("%s: %s is %q, and %q for HEAD", path, name, a, b)
			}
		}
		if a, b := responses["GET"].StatusCode, responses["HEAD"].StatusCode; a != b {
			t.Errorf("%s: %d, and %d for HEAD", path, a, b)
		}
	}
}

func TestBearerSchemeInAnyCase(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, scheme := range []string{"Bearer", "bearer", "BEARER", "Bearer  "} {
		f.do(header("Authorization", scheme+" "+f.mine.key), "GET", "/me", nil).want(200)
	}
}

func TestAnswersAreNotCached(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.do(nil, "GET", "/me", nil)
	if r.header.Get("Cache-Control") != "no-store" || r.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%v", r.header)
	}
}

func TestRequestLog(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.create(body{"content": "words that belong to their author"})
	f.do(header("X-Request-Id", "follow-me"), "GET", "/posts/"+p.ID, nil)
	logs := f.logs.String()
	want := `msg=request method=GET route="GET /api/v1/posts/{id}" status=200`
	if !strings.Contains(logs, want) || !strings.Contains(logs, "request=follow-me") {
		t.Errorf("no line with %s in\n%s", want, logs)
	}
	if strings.Contains(logs, "belong to their author") {
		t.Error("the log holds the text of a post")
	}
}

func TestClientThatHasGone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f.do(func(r *http.Request) { *r = *r.WithContext(ctx) }, "POST", "/posts", body{"content": "x"}).refused(schedctl.Unavailable)
	if logs := f.logs.String(); strings.Contains(logs, "level=WARN") || strings.Contains(logs, "level=ERROR") {
		t.Errorf("a client that has gone is a complaint in the log:\n%s", logs)
	}
}

func TestBodyThatEndsEarly(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.do(func(r *http.Request) { r.ContentLength += 5 }, "POST", "/posts", body{"content": "x"}).refused(schedctl.InvalidJSON)
}
