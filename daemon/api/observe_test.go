package api_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// Every exchange is reported once, with its route: found or not, rejected, handled
// by a handler of the daemon, or cut.
func TestExchangesAreObserved(t *testing.T) {
	t.Parallel()
	var seen []api.Exchange
	f := newFixtureOn(t, storagetest.NewMemory(), func(c *api.Config) {
		c.Observe = func(e api.Exchange) { seen = append(seen, e) }
		c.Metrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "metrics") })
		c.Feeds = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	})
	for _, test := range []struct {
		method, path string
		want         api.Exchange
	}{
		{"GET", "/api/v1/me", api.Exchange{Pattern: "GET /api/v1/me", Method: "GET", Status: 200}},
		{"HEAD", "/api/v1/posts/post_1", api.Exchange{Pattern: "GET /api/v1/posts/{id}", Method: "HEAD", Status: 404}},
		{"GET", "/metrics", api.Exchange{Pattern: "GET /metrics", Method: "GET", Status: 200}},
		{"POST", "/metrics", api.Exchange{Pattern: "/", Method: "POST", Status: 405}},
		{"GET", "/nothing/here", api.Exchange{Pattern: "/", Method: "GET", Status: 404}},
		{"GET", "/api/v1//me", api.Exchange{Method: "GET", Status: 404}},
		{"GET", "/feeds/cut.atom", api.Exchange{Pattern: "GET /feeds/", Method: "GET"}},
	} {
		seen = nil
		func() {
			defer func() { recover() }() // what net/http does with a handler that cuts the connection
			r := httptest.NewRequest(test.method, test.path, nil)
			r.Header.Set("Authorization", "Bearer "+f.mine.key)
			f.handler.ServeHTTP(httptest.NewRecorder(), r)
		}()
		if len(seen) != 1 {
			t.Errorf("%s %s was observed %d times", test.method, test.path, len(seen))
			continue
		}
		if seen[0].Took <= 0 {
			t.Errorf("%s %s took %s", test.method, test.path, seen[0].Took)
		}
		if seen[0].Took = 0; seen[0] != test.want {
			t.Errorf("%s %s: %+v, want %+v", test.method, test.path, seen[0], test.want)
		}
	}
}
