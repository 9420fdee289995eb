package api_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/schedctl/schedctl/daemon/api"
)

// TestManyVisitsOfOneAddress guards that an address without a key cannot keep all others
// out of feeds, and that health checks are always served.
func TestManyVisitsOfOneAddress(t *testing.T) {
	t.Parallel()
	begun, end := make(chan struct{}), make(chan struct{})
	h := api.New(api.Config{Feeds: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		begun <- struct{}{}
		<-end
	})})
	get := func(path, remote string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		r.RemoteAddr = remote
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	const file = "/feeds/news/media/file"
	for range 64 {
		go get(file, "203.0.113.7:1")
		<-begun
	}
	refused := get(file, "203.0.113.7:2")
	if refused.Code != http.StatusTooManyRequests || refused.Header().Get("Retry-After") == "" {
		t.Errorf("one request more: %d, %v", refused.Code, refused.Header())
	}
	for _, path := range []string{"/healthz", "/readyz", "/openapi.json"} {
		if w := get(path, "203.0.113.7:3"); w.Code != http.StatusOK {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	other := make(chan int)
	go func() { other <- get(file, "203.0.113.8:1").Code }()
	<-begun
	close(end)
	if status := <-other; status != http.StatusOK {
		t.Errorf("another address: %d", status)
	}
}
