package client

import (
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
)

type brokenNetwork struct{ calls int }

func (n *brokenNetwork) RoundTrip(*http.Request) (*http.Response, error) {
	n.calls++
	return nil, io.ErrUnexpectedEOF
}

// No method makes a write without a key; if one ever did, it would not be
// repeated.
func TestWritesWithoutAKeyAreNotRepeated(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		method, key string
		tries       int
	}{
		{http.MethodGet, "", maxTries},
		{http.MethodHead, "", maxTries},
		{http.MethodPost, "", 1},
		{http.MethodPatch, "", 1},
		{http.MethodDelete, "", 1},
		{http.MethodPost, "once", maxTries},
		{http.MethodDelete, "once", maxTries},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := &brokenNetwork{}
			c, err := New(Config{URL: "http://daemon.example", Transport: n})
			if err != nil {
				t.Fatal(err)
			}
			r := apiRequest{method: tc.method, path: "/posts", header: http.Header{}}
			if tc.key != "" {
				r.header.Set("Idempotency-Key", tc.key)
			}
			var unreachable *UnreachableError
			if err := c.call(t.Context(), r, nil); !errors.As(err, &unreachable) || n.calls != tc.tries {
				t.Errorf("%s with key %q: %d tries, want %d: %v", tc.method, tc.key, n.calls, tc.tries, err)
			}
		})
	}
}
