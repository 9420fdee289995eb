package recorded_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/daemon/publish/publishtest/recorded"
)

const exchanges = `[
	{"request": {"method": "GET", "url": "https://chat.example/me?x=1", "header": {"Authorization": "Bearer t"}},
	 "response": {"status": 200, "body": {"name": "alice"}}},
	{"request": {"method": "POST", "url": "https://chat.example/posts", "body": {"text": "hi", "n": 1}},
	 "response": {"status": 404, "header": {"Retry-After": "7"}, "body": "no_service"}}
]`

func file(t *testing.T) string {
	name := filepath.Join(t.TempDir(), "exchanges.json")
	if err := os.WriteFile(name, []byte(exchanges), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// recorder is a testing.TB that records failures.
type recorder struct {
	testing.TB
	failures []string
	cleanups []func()
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) end() {
	for _, f := range r.cleanups {
		f()
	}
}

func send(c *http.Client, method, url, body string) (string, error) {
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", "Bearer t")
	resp, err := c.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return fmt.Sprint(resp.StatusCode, resp.Header.Get("Retry-After"), " ", string(text)), err
}

func TestClientReturnsRecordedResponses(t *testing.T) {
	t.Parallel()
	c := recorded.Client(t, file(t))
	if got, err := send(c, "GET", "https://chat.example/me?x=1", ""); err != nil || got != `200 {"name": "alice"}` {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := send(c, "POST", "https://chat.example/posts", `{"n":1,"text":"hi"}`); err != nil || got != `4047 no_service` {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestClientFailsOnAnythingElse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ method, url, body, want string }{
		"another URL":    {"GET", "https://chat.example/me?x=2", "", "x=2"},
		"another method": {"PUT", "https://chat.example/me?x=1", "", "PUT"},
		"a body":         {"GET", "https://chat.example/me?x=1", "{}", "-recorded +sent"},
		"no JSON":        {"GET", "https://chat.example/me?x=1", "hi", "not JSON"},
	} {
		r := &recorder{TB: t}
		if got, err := send(recorded.Client(r, file(t)), tt.method, tt.url, tt.body); err == nil {
			t.Errorf("%s: got %q", name, got)
		}
		if len(r.failures) != 1 || !strings.Contains(r.failures[0], tt.want) {
			t.Errorf("%s: failures %q, want one with %q", name, r.failures, tt.want)
		}
	}
}

func TestClientFailsOnTooFewAndTooMany(t *testing.T) {
	t.Parallel()
	r := &recorder{TB: t}
	c := recorded.Client(r, file(t))
	send(c, "GET", "https://chat.example/me?x=1", "")
	r.end()
	if len(r.failures) != 1 || !strings.Contains(r.failures[0], "/posts was not sent") {
		t.Errorf("too few: failures %q", r.failures)
	}
	send(c, "POST", "https://chat.example/posts", `{"n":1,"text":"hi"}`)
	if _, err := send(c, "GET", "https://chat.example/me?x=1", ""); err == nil || len(r.failures) != 2 {
		t.Errorf("too many: got %v, failures %q", err, r.failures)
	}
}

func TestHandlerMatchesMethodAndPath(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(recorded.Handler(t, file(t)))
	defer server.Close()
	for _, tt := range []struct{ method, path, want string }{
		{"POST", "/posts?wait=true", "4047 no_service"},
		{"GET", "/me", `200 {"name": "alice"}`},
		{"GET", "/posts", "404 404 page not found\n"},
	} {
		if got, err := send(server.Client(), tt.method, server.URL+tt.path, ""); err != nil || got != tt.want {
			t.Errorf("%s %s: got %q, %v; want %q", tt.method, tt.path, got, err, tt.want)
		}
	}
}
