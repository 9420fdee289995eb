package client_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/client"
)

func TestRawPaths(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/posts":                        "/api/v1/posts",
		"/api/v1/posts":                 "/api/v1/posts",
		"/api/v1/posts/post_1/schedule": "/api/v1/posts/post_1/schedule",
		"/posts?status=draft&limit=1":   "/api/v1/posts?status=draft&limit=1",
		"/api/v10/posts":                "/api/v1/api/v10/posts",
		"/posts/a%2Fb":                  "/api/v1/posts/a%2Fb",
		"/readyz":                       "/readyz",
		"/metrics":                      "/metrics",
		"/openapi.json":                 "/openapi.json",
		"/feeds/blog.atom":              "/feeds/blog.atom",
		"/feedsx":                       "/api/v1/feedsx",
	} {
		f, c := serve(t, answer{status: 200, body: "{}"})
		if _, err := c.Raw(t.Context(), http.MethodGet, path, nil); err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		seen := f.only(t)
		got := seen.Path
		if seen.Query != "" {
			got += "?" + seen.Query
		}
		if got != want {
			t.Errorf("%s: called %s, want %s", path, got, want)
		}
		if key := seen.Header.Get("Idempotency-Key"); key != "" {
			t.Errorf("%s: a read carries the idempotency key %s", path, key)
		}
	}
}

// The key goes to the daemon and nowhere else.
func TestRawStaysWithTheDaemon(t *testing.T) {
	t.Parallel()
	f, c := serve(t, answer{status: 200})
	for _, path := range []string{"", "posts", "http://elsewhere.test/posts", "//elsewhere.test/posts", "/posts#part", "/%zz", "https:posts"} {
		if _, err := c.Raw(t.Context(), http.MethodGet, path, nil); !errors.Is(err, client.ErrPath) {
			t.Errorf("%q: got %v", path, err)
		}
	}
	if seen := f.seen(); len(seen) > 0 {
		t.Errorf("%d requests were made", len(seen))
	}
}

func TestRawAnswers(t *testing.T) {
	t.Parallel()
	f, c := serve(t, answer{status: 201, header: map[string]string{"ETag": `"1"`}, body: `{"b": 1, "a":2}`})
	got, err := c.Raw(t.Context(), http.MethodPost, "/posts", []byte(`{"content": "x"}`))
	if err != nil || got.Status != 201 || string(got.Body) != `{"b": 1, "a":2}` || got.Header.Get("ETag") != `"1"` {
		t.Errorf("got %+v (%v)", got, err)
	}
	seen := f.only(t)
	if diff := cmp.Diff(`{"content": "x"}`, seen.Body); diff != "" || seen.Header.Get("Idempotency-Key") == "" || seen.Header.Get("Content-Type") != "application/json" {
		t.Errorf("sent %+v", seen)
	}
	f, c = serve(t, refusal(http.StatusConflict, "POST_NOT_EDITABLE", nil))
	got, err = c.Raw(t.Context(), http.MethodPatch, "/posts/post_1", []byte(`{}`), client.IdempotencyKey("mine"))
	var refused *client.Error
	if !errors.As(err, &refused) || refused.API.Code != "POST_NOT_EDITABLE" || got.Status != http.StatusConflict || len(got.Body) == 0 {
		t.Errorf("got %+v (%v)", got, err)
	}
	if key := f.only(t).Header.Get("Idempotency-Key"); key != "mine" {
		t.Errorf("the idempotency key is %q", key)
	}
}
