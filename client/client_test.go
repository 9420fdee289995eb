package client_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/schedctl/schedctl/client"
)

// fake is a daemon that sends prepared responses and records requests.
type fake struct {
	mu       sync.Mutex // mu guards the fields below
	answers  []answer
	requests []recorded
}

type answer struct {
	status int
	header map[string]string
	body   string
	err    error // of a transport, instead of a response
}

type recorded struct {
	Method, Path, Query, Body string
	Header                    http.Header
}

// next records a request and returns its response; the last one is repeated.
func (f *fake) next(r *http.Request) answer {
	body := ""
	if r.Body != nil {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return answer{err: err}
		}
		body = string(b)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, recorded{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, body, r.Header.Clone()})
	return f.answers[min(len(f.requests), len(f.answers))-1]
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := f.next(r)
	for k, v := range a.header {
		w.Header().Set(k, v)
	}
	w.WriteHeader(a.status)
	io.WriteString(w, a.body)
}

// RoundTrip makes the fake a network of its own, for tests of time.
func (f *fake) RoundTrip(r *http.Request) (*http.Response, error) {
	a := f.next(r)
	if a.err != nil {
		return nil, a.err
	}
	header := http.Header{}
	for k, v := range a.header {
		header.Set(k, v)
	}
	return &http.Response{StatusCode: a.status, Header: header, Body: io.NopCloser(strings.NewReader(a.body)), Request: r}, nil
}

func (f *fake) seen() []recorded {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]recorded(nil), f.requests...)
}

func (f *fake) only(t *testing.T) recorded {
	t.Helper()
	seen := f.seen()
	if len(seen) != 1 {
		t.Fatalf("%d requests, want 1", len(seen))
	}
	return seen[0]
}

const secret = "sctl_0123456789"

// serve starts a fake on the loopback address and returns a client of it.
func serve(t *testing.T, answers ...answer) (*fake, *client.Client) {
	t.Helper()
	f := &fake{answers: answers}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return f, newClient(t, client.Config{URL: server.URL, Key: secret, UserAgent: "schedctl/test"})
}

func newClient(t *testing.T, cfg client.Config) *client.Client {
	t.Helper()
	c, err := client.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func ok(body any) answer {
	b, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return answer{status: http.StatusOK, body: string(b)}
}

func refusal(status int, code string, header map[string]string) answer {
	body := `{"error":{"code":"` + code + `","message":"it was refused","details":null,"request_id":"req_1"}}`
	return answer{status: status, body: body, header: header}
}

// limited is the response to a request too many.
func limited(seconds int) answer {
	return refusal(http.StatusTooManyRequests, "RATE_LIMITED", map[string]string{"Retry-After": strconv.Itoa(seconds)})
}

func TestNewRefusesURLs(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"", "127.0.0.1:7733", "localhost", "ftp://127.0.0.1", "http://", "unix://relative.sock", "unix:relative.sock",
		"http://user:pass@127.0.0.1", "http://127.0.0.1?x=y", "http://127.0.0.1#x", "http://127.0.0.1:port", "http://[::1",
	} {
		_, err := client.New(client.Config{URL: url})
		if err == nil {
			t.Errorf("%q was accepted", url)
		} else if strings.Contains(err.Error(), "pass@") {
			t.Errorf("%q: the error reveals the password: %v", url, err)
		} else if !strings.HasSuffix(err.Error(), "use http://host:port, https://host or unix:///path") {
			t.Errorf("%q: the error does not say what to write: %v", url, err)
		}
	}
}

func TestRequestsGoBelowThePrefix(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"":                 "/api/v1/me",
		"/":                "/api/v1/me",
		"/api/v1":          "/api/v1/me",
		"/api/v1/":         "/api/v1/me",
		"/schedctl/":       "/schedctl/api/v1/me",
		"/schedctl/api/v1": "/schedctl/api/v1/me",
	} {
		f := &fake{answers: []answer{ok(struct{}{})}}
		c := newClient(t, client.Config{URL: "http://daemon.example" + given, Transport: f})
		if _, err := c.Me(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := f.only(t).Path; got != want {
			t.Errorf("%q: got %s, want %s", given, got, want)
		}
	}
}

func TestRequestsCarryKeyAndAgent(t *testing.T) {
	t.Parallel()
	f, c := serve(t, ok(struct{}{}))
	if _, err := c.Me(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := f.only(t).Header
	for name, want := range map[string]string{
		"Authorization": "Bearer " + secret, "User-Agent": "schedctl/test", "Accept": "application/json",
		"Idempotency-Key": "", "Content-Type": "",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
