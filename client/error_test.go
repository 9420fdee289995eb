package client_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

func TestRefusalsAreErrors(t *testing.T) {
	t.Parallel()
	_, c := serve(t, answer{
		status: http.StatusBadRequest,
		header: map[string]string{"Retry-After": "7"},
		body: `{"error":{"code":"VALIDATION_FAILED","message":"two things","request_id":"req_1",
			"details":[{"field":"content","code":"CONTENT_TOO_LONG","message":"too long"},{"field":"publish_at","code":"INVALID_PUBLISH_AT","message":"past"}]}}`,
	})
	_, err := c.CreatePost(t.Context(), apiv1.CreatePost{})
	var got *client.Error
	if !errors.As(err, &got) {
		t.Fatalf("got %v", err)
	}
	want := &client.Error{Status: 400, RetryAfter: 7 * time.Second, API: apiv1.Error{
		Code: schedctl.ValidationFailed, Message: "two things", RequestID: "req_1",
		Details: []apiv1.Detail{
			{Field: "content", Code: schedctl.ContentTooLong, Message: "too long"},
			{Field: "publish_at", Code: schedctl.InvalidPublishAt, Message: "past"},
		},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if want := "two things (content: too long; publish_at: past)"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	if code := schedctl.CodeOf(err); code != schedctl.ValidationFailed {
		t.Errorf("code %s", code)
	}
}

func TestExistingPost(t *testing.T) {
	t.Parallel()
	refusal := func(code schedctl.Code, location string) error {
		header := map[string]string{}
		if location != "" {
			header["Location"] = location
		}
		_, c := serve(t, answer{status: http.StatusConflict, header: header, body: fmt.Sprintf(`{"error":{"code":%q,"message":"no","request_id":"req_1"}}`, code)})
		_, err := c.CreatePost(t.Context(), apiv1.CreatePost{})
		return err
	}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{refusal(schedctl.ExternalIDExists, "/api/v1/posts/post_1"), "post_1"},
		{refusal(schedctl.ExternalIDExists, ""), ""},
		{refusal(schedctl.IdempotencyKeyReused, "/api/v1/posts/post_1"), ""},
		{errors.New("another error"), ""},
	} {
		if got := client.ExistingPost(tt.err); got != tt.want {
			t.Errorf("ExistingPost(%v) = %q, want %q", tt.err, got, tt.want)
		}
	}
}

// Between the client and the daemon, or in its place, may be something else.
func TestAnswersThatAreNotTheAPIs(t *testing.T) {
	t.Parallel()
	nginx := map[string]string{"Server": "nginx/1.22.1", "Content-Type": "text/html"}
	for name, tc := range map[string]struct {
		answer answer
		code   schedctl.Code
		advice string
	}{
		"a page of a proxy":      {answer{status: 502, body: "<html>Bad gateway</html>", header: nginx}, schedctl.Unavailable, "because the proxy nginx in front of the daemon cannot reach it: check on its machine that the daemon runs, with schedctl daemon status"},
		"a proxy at work":        {answer{status: 503, body: "<html>Maintenance</html>"}, schedctl.Unavailable, "because a proxy in front of the daemon cannot reach it"},
		"a proxy that waited":    {answer{status: 504, body: "<html>Timeout</html>"}, schedctl.Unavailable, "did not respond to a proxy in front of it in time"},
		"a proxy with a limit":   {answer{status: 413, body: "<html>Too large</html>", header: nginx}, schedctl.BodyTooLarge, "larger than the proxy nginx in front of the daemon accepts: raise its limit, client_max_body_size of nginx"},
		"an odd name":            {answer{status: 413, header: map[string]string{"Server": "\x1b[31m evil"}}, schedctl.BodyTooLarge, "larger than a proxy in front"},
		"a proxy that asks":      {answer{status: 407, body: "who are you"}, schedctl.AuthenticationRequired, "is it a schedctl daemon?"},
		"a web server":           {answer{status: 404, body: "<html>Not found</html>"}, schedctl.Internal, "check the URL, and its path if a proxy serves"},
		"a page with success":    {answer{status: 200, body: "<html>Welcome</html>"}, schedctl.Internal, "is it a schedctl daemon?"},
		"nothing with success":   {answer{status: 200}, schedctl.Internal, "is it a schedctl daemon?"},
		"another error envelope": {answer{status: 500, body: `{"error":"boom"}`}, schedctl.Internal, "is it a schedctl daemon?"},
		"a crowded proxy":        {answer{status: 429, body: "slow down"}, schedctl.RateLimited, "is it a schedctl daemon?"},
		"a huge answer":          {answer{status: 200, body: strings.Repeat(" ", 65<<20)}, schedctl.Internal, "is it a schedctl daemon?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fake{answers: []answer{tc.answer}}
			c := newClient(t, client.Config{URL: "http://daemon.example", Transport: f})
			_, err := c.Me(t.Context())
			var e *client.Error
			if !errors.As(err, &e) || e.API.Code != tc.code || e.Status != tc.answer.status {
				t.Fatalf("got %#v, want %s", err, tc.code)
			}
			if !strings.Contains(err.Error(), tc.advice) {
				t.Errorf("%q does not say %q", err, tc.advice)
			}
		})
	}
}

func TestUnreachableSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for url, advice := range map[string]string{
		"http://127.0.0.1:1": "start it with: schedctl daemon start",
		"unix://" + filepath.Join(t.TempDir(), "no-such.sock"): "start it with: schedctl daemon start",
	} {
		_, err := newClient(t, client.Config{URL: url}).Me(t.Context())
		var unreachable *client.UnreachableError
		if !errors.As(err, &unreachable) || unreachable.URL != url {
			t.Fatalf("%s: got %#v", url, err)
		}
		if !strings.Contains(err.Error(), advice) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %q, want one line with %q", url, err, advice)
		}
	}
}

// The request of a response that was cut off may have had its effect.
func TestBrokenAnswers(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]error{"no answer": io.EOF, "a part of one": io.ErrUnexpectedEOF, "a reset": syscall.ECONNRESET} {
		err := &client.UnreachableError{URL: "http://daemon.example", Err: fmt.Errorf("read: %w", broken)}
		const want = "the connection to http://daemon.example was cut before the response was complete: is it a schedctl daemon? check its log, and the limits of a proxy in front of it"
		if err.Error() != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
}

func TestUnixSocket(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "sctl") // t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: &fake{answers: []answer{ok(apiv1.Me{Workspace: apiv1.Workspace{Name: "mine"}})}}}}
	server.Start()
	t.Cleanup(server.Close)
	me, err := newClient(t, client.Config{URL: "unix://" + path}).Me(t.Context())
	if err != nil || me.Workspace.Name != "mine" {
		t.Errorf("got %v and %v", me, err)
	}
}

// The key is meant for one place: it must not follow a redirect elsewhere.
func TestRedirects(t *testing.T) {
	t.Parallel()
	other := &fake{answers: []answer{ok(apiv1.Me{})}}
	elsewhere := httptest.NewServer(other)
	t.Cleanup(elsewhere.Close)

	_, c := serve(t, answer{status: http.StatusTemporaryRedirect, header: map[string]string{"Location": elsewhere.URL}})
	_, err := c.CreatePost(t.Context(), apiv1.CreatePost{Content: "Hello"})
	if err == nil || !strings.Contains(err.Error(), "redirect refused") {
		t.Errorf("got %v, want a refused redirect", err)
	}
	if seen := other.seen(); len(seen) > 0 {
		t.Errorf("the other host got %v", seen)
	}

	f, c := serve(t, answer{status: http.StatusTemporaryRedirect, header: map[string]string{"Location": "/api/v1/moved"}}, ok(apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1"}}))
	if p, err := c.CreatePost(t.Context(), apiv1.CreatePost{Content: "Hello"}); err != nil || p.ID != "post_1" {
		t.Errorf("on the same host: got %v and %v", p, err)
	}
	if seen := f.seen(); seen[1].Body != seen[0].Body || seen[1].Header.Get("Authorization") == "" {
		t.Errorf("the redirected request differs: %v", seen[1])
	}

	_, c = serve(t, answer{status: http.StatusFound, header: map[string]string{"Location": "/api/v1/me"}})
	if _, err := c.Me(t.Context()); err == nil || !strings.Contains(err.Error(), "more than 5") {
		t.Errorf("a redirect loop: got %v", err)
	}
}
