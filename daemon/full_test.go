package daemon_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// A full disk is reported by readiness checks and by failed writes. The log does not grow
// with requests.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	var store *storagetest.Faulty
	r := start(t, func(c *daemon.Config) {
		store = storagetest.NewFaulty(c.Store)
		c.Store = store
	})
	before := r.log.String()
	store.SetFull()
	for range 3 {
		if status, body := r.do("GET", "/readyz", "", nil); status != http.StatusServiceUnavailable || !strings.Contains(body, "disk of the daemon is full") || strings.Contains(body, "/full") {
			t.Errorf("/readyz: %d %s", status, body)
		}
		if status, body := r.do("POST", "/api/v1/posts", `{"content":"x"}`, nil); status != http.StatusInsufficientStorage || !strings.Contains(body, "no space left in /full on the daemon's machine") {
			t.Errorf("writing: %d %s", status, body)
		}
		if status, _ := r.do("GET", "/api/v1/posts", "", nil); status != http.StatusOK {
			t.Errorf("reading: %d", status)
		}
	}
	if status, body := r.do("GET", "/metrics", "", nil); status != http.StatusOK || !strings.Contains(body, "\nschedctl_store_full 1\n") {
		t.Errorf("metrics: %d %s", status, body)
	}
	if said := strings.TrimPrefix(r.log.String(), before); said != "" {
		t.Errorf("logged:\n%s", said)
	}
	store.SetWritable()
	if status, body := r.do("POST", "/api/v1/posts", `{"content":"x"}`, nil); status != http.StatusCreated {
		t.Errorf("writing, with room: %d %s", status, body)
	}
	if status, _ := r.do("GET", "/readyz", "", nil); status != http.StatusOK {
		t.Errorf("/readyz, with room: %d", status)
	}
	r.end()
}
