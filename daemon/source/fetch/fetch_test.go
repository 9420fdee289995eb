package fetch_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/source/fetch"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// hosts is a transport with a handler for each host. It keeps what was requested.
type hosts struct {
	handlers map[string]http.HandlerFunc // by scheme and host
	requests []*http.Request
}

func (h *hosts) RoundTrip(r *http.Request) (*http.Response, error) {
	h.requests = append(h.requests, r)
	handler, ok := h.handlers[r.URL.Scheme+"://"+r.URL.Host]
	if !ok {
		return outbound.Client(outbound.PublicOnly).Transport.RoundTrip(r)
	}
	w := httptest.NewRecorder()
	handler(w, r)
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

// client returns a client of the hosts that follows no redirects itself.
func (h *hosts) client() *http.Client {
	c := outbound.Client(outbound.PublicOnly)
	c.Transport = h
	return c
}

// respond returns a handler of a status, a body, and headers as pairs.
func respond(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// zipped returns a body compressed with gzip.
func zipped(t testing.TB, body string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFetch(t *testing.T) {
	t.Parallel()
	h := &hosts{handlers: map[string]http.HandlerFunc{
		"https://blog.example": respond(200, zipped(t, "<rss/>"), "Content-Encoding", "gzip", "Content-Type", "text/xml", "ETag", `"1"`, "Last-Modified", "Fri, 01 May 2026 00:00:00 GMT",
			"Cache-Control", "public, max-age=3600", "Age", "600"),
	}}
	got, err := fetch.NewAt(h.client(), now, time.Minute).Fetch(t.Context(), fetch.Request{
		URL: "https://blog.example/feed#top", ETag: `"0"`, LastModified: "Thu, 30 Apr 2026 00:00:00 GMT", Username: "ada", Password: "pw", HeaderName: "X-Key", HeaderValue: "k",
	})
	if err != nil {
		t.Fatal(err)
	}
	if string(got.Body) != "<rss/>" || got.ContentType != "text/xml" || got.ETag != `"1"` || got.LastModified == "" || got.Wait != 50*time.Minute || got.NotModified || got.MovedTo != "" {
		t.Errorf("got %+v", got)
	}
	sent := h.requests[0]
	user, password, _ := sent.BasicAuth()
	if user != "ada" || password != "pw" || sent.Header.Get("X-Key") != "k" || sent.Header.Get("If-None-Match") != `"0"` || sent.Header.Get("If-Modified-Since") == "" ||
		sent.Header.Get("User-Agent") != "schedctl/1.0 (+https://plan.example)" || sent.URL.Fragment != "" {
		t.Errorf("sent %v %v", sent.URL, sent.Header)
	}
}

// TestFailures guards the kind of each failure, and that messages contain no path, which may
// be a secret.
func TestFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    fetch.Kind
		wait    time.Duration
	}{
		"401":                {respond(401, ""), fetch.Unauthorized, 0},
		"403":                {respond(403, ""), fetch.Unauthorized, 0},
		"404":                {respond(404, ""), fetch.NotFound, 0},
		"410":                {respond(410, ""), fetch.Gone, 0},
		"429":                {respond(429, "", "Retry-After", "120"), fetch.Busy, 2 * time.Minute},
		"503 with a date":    {respond(503, "", "Retry-After", "Fri, 01 May 2026 13:00:00 GMT"), fetch.Busy, time.Hour},
		"503":                {respond(503, ""), fetch.Unavailable, 0},
		"far away":           {respond(503, "", "Retry-After", "99999999"), fetch.Busy, fetch.MaxWait},
		"500":                {respond(500, "<rss/>"), fetch.Unavailable, 0},
		"206":                {respond(206, "<rss/>"), fetch.Unexpected, 0},
		"304, not asked for": {respond(304, ""), fetch.Unexpected, 0},
		"a bomb":             {respond(200, zipped(t, strings.Repeat(" ", 20<<20)), "Content-Encoding", "gzip"), fetch.TooLarge, 0},
		"too large":          {respond(200, strings.Repeat(" ", fetch.MaxBytes+1)), fetch.TooLarge, 0},
		"no gzip":            {respond(200, "<rss/>, not compressed", "Content-Encoding", "gzip"), fetch.Unexpected, 0},
		"forever":            {respond(302, "", "Location", "/secret"), fetch.Unexpected, 0},
		"another scheme":     {respond(302, "", "Location", "file:///etc/passwd"), fetch.Unexpected, 0},
		"no address":         {respond(302, "", "Location", "https://[::1"), fetch.Unreachable, 0},
		"nowhere":            {respond(302, ""), fetch.Unexpected, 0},
		"down to http":       {respond(301, "", "Location", "http://blog.example/secret"), fetch.Unexpected, 0},
		"to loopback":        {respond(302, "", "Location", "https://127.0.0.1:1/secret"), fetch.Refused, 0},
		"to metadata":        {respond(302, "", "Location", "https://169.254.169.254/secret"), fetch.Refused, 0},
		"with a password":    {respond(302, "", "Location", "https://me:secret@blog.example/"), fetch.Unexpected, 0},
	} {
		h := &hosts{handlers: map[string]http.HandlerFunc{"https://blog.example": c.handler, "http://blog.example": c.handler}}
		_, err := fetch.NewAt(h.client(), now, math.MaxInt64).Fetch(t.Context(), fetch.Request{URL: "https://blog.example/secret"})
		var failure *fetch.Failure
		if !errors.As(err, &failure) || failure.Kind != c.want || failure.Wait != c.wait || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v; want %s, %v", name, err, c.want, c.wait)
		}
		if len(h.requests) > 6 {
			t.Errorf("%s: %d requests", name, len(h.requests))
		}
	}
	for _, link := range []string{"", "blog.example", "ftp://blog.example", "https://me:pw@blog.example/", "https://"} {
		_, err := fetch.NewAt(http.DefaultClient, now, time.Minute).Fetch(t.Context(), fetch.Request{URL: link})
		if failure := new(fetch.Failure); !errors.As(err, &failure) || failure.Kind != fetch.Refused {
			t.Errorf("%q: got %v", link, err)
		}
	}
}

// TestRedirects guards which moves are for good, and that credentials stay with their host.
func TestRedirects(t *testing.T) {
	t.Parallel()
	to := func(status int, location string) http.HandlerFunc { return respond(status, "", "Location", location) }
	ok := respond(200, "<rss/>")
	for name, c := range map[string]struct {
		handlers map[string]http.HandlerFunc
		movedTo  string
		sameSite bool
		trusted  []bool // which requests have the credentials
	}{
		"to https":                {map[string]http.HandlerFunc{"http://blog.example": to(301, "https://blog.example/feed"), "https://blog.example": ok}, "https://blog.example/feed", true, []bool{true, true}},
		"to another name":         {map[string]http.HandlerFunc{"http://blog.example": to(308, "https://www.blog.example/feed"), "https://www.blog.example": ok}, "https://www.blog.example/feed", true, []bool{true, false}},
		"to another domain":       {map[string]http.HandlerFunc{"http://blog.example": to(301, "https://other.example/feed"), "https://other.example": ok}, "https://other.example/feed", false, []bool{true, false}},
		"for now":                 {map[string]http.HandlerFunc{"http://blog.example": to(302, "https://blog.example/feed"), "https://blog.example": ok}, "", false, []bool{true, true}},
		"for good, then for now":  {map[string]http.HandlerFunc{"http://blog.example": to(301, "https://blog.example/feed"), "https://blog.example": to(307, "https://cdn.example/"), "https://cdn.example": ok}, "https://blog.example/feed", true, []bool{true, true, false}},
		"for now, then for good":  {map[string]http.HandlerFunc{"http://blog.example": to(302, "https://blog.example/feed"), "https://blog.example": to(301, "https://cdn.example/"), "https://cdn.example": ok}, "", false, []bool{true, true, false}},
		"to another port":         {map[string]http.HandlerFunc{"http://blog.example": to(302, "http://blog.example:8080/"), "http://blog.example:8080": ok}, "", false, []bool{true, false}},
		"back to the first again": {map[string]http.HandlerFunc{"http://blog.example": to(302, "https://other.example/"), "https://other.example": to(302, "https://blog.example/"), "https://blog.example": ok}, "", false, []bool{true, false, true}},
	} {
		h := &hosts{handlers: c.handlers}
		got, err := fetch.NewAt(h.client(), now, math.MaxInt64).Fetch(t.Context(), fetch.Request{URL: "http://blog.example/feed", Username: "ada", Password: "pw", HeaderName: "X-Key", HeaderValue: "k"})
		if err != nil || got.MovedTo != c.movedTo || got.SameSite != c.sameSite || len(h.requests) != len(c.trusted) {
			t.Errorf("%s: got %+v, %v after %d requests", name, got, err, len(h.requests))
			continue
		}
		for i, r := range h.requests {
			if _, _, basic := r.BasicAuth(); basic != c.trusted[i] || (r.Header.Get("X-Key") != "") != c.trusted[i] {
				t.Errorf("%s: request %d to %s has %v", name, i, r.URL, r.Header)
			}
		}
	}
}

// TestNotModified guards that a response without changes has no body.
func TestNotModified(t *testing.T) {
	t.Parallel()
	h := &hosts{handlers: map[string]http.HandlerFunc{"https://blog.example": respond(304, "", "ETag", `"2"`)}}
	got, err := fetch.NewAt(h.client(), now, time.Minute).Fetch(t.Context(), fetch.Request{URL: "https://blog.example/", ETag: `"1"`})
	if err != nil || !got.NotModified || got.Body != nil || got.ETag != `"2"` {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestSlowServer guards that a server that drips bytes is given up.
func TestSlowServer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "<rss>")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	f := fetch.NewAt(outbound.FetchClient(outbound.AllowPrivate), now, 300*time.Millisecond)
	_, err := f.Fetch(t.Context(), fetch.Request{URL: server.URL})
	if failure := new(fetch.Failure); !errors.As(err, &failure) || failure.Kind != fetch.TimedOut {
		t.Errorf("got %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Fetch(ended, fetch.Request{URL: server.URL}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestCheckHeader(t *testing.T) {
	t.Parallel()
	if err := fetch.CheckHeader("X-Api-Key", "secret"); err != nil {
		t.Error(err)
	}
	for _, c := range [][2]string{{"", "v"}, {"a b", "v"}, {"host", "v"}, {"User-Agent", "v"}, {"X-Key", ""}, {"X-Key", "secret\r\nX: y"}, {"X-Key", strings.Repeat("v", 5000)}} {
		if err := fetch.CheckHeader(c[0], c[1]); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %v", c, err)
		}
	}
}
