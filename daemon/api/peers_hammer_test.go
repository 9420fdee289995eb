package api_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
)

// TestHammerOnSeveralDaemons lets clients send the same requests with the same
// Idempotency-Keys to two daemons at once. Each takes effect once. Each client that
// is not asked to wait gets the response of the request that took effect.
func TestHammerOnSeveralDaemons(t *testing.T) {
	t.Parallel()
	peers := newPeers(t, onPostgres(t, 2))
	const callers, keys = 3, 6 // on each daemon
	paths := map[string]body{
		"/posts":      {"content": "once", "social_account_ids": []string{peers[0].mine.account}, "publish_at": in(time.Hour)},
		"/api-keys":   {"name": "once"},
		"/workspaces": {"name": "once"},
		"/webhooks":   {"url": "https://hooks.example/x", "event_types": []string{"post.published"}},
	}
	before := peers[0].counts()
	for path, b := range paths {
		responses := make([][]*response, keys)
		start := make(chan struct{})
		var wg sync.WaitGroup
		for k := range keys {
			responses[k] = make([]*response, callers*len(peers))
			for i := range responses[k] {
				wg.Go(func() {
					<-start
					responses[k][i] = peers[i%len(peers)].untilAvailable(key(fmt.Sprint("hammer-", k)), "POST", path, b)
				})
			}
		}
		close(start)
		wg.Wait()
		for k := range responses {
			wantOneEffect(t, path, responses[k])
		}
	}
	after := peers[0].counts()
	want := before
	want.posts, want.keys, want.workspaces = want.posts+keys, want.keys+keys, want.workspaces+keys
	want.audit += len(paths) * keys
	if after != want {
		t.Errorf("there is %+v, want %+v", after, want)
	}
}

// wantOneEffect checks the responses to one request that was sent many times.
func wantOneEffect(t *testing.T, path string, responses []*response) {
	t.Helper()
	fresh := 0
	var first *response
	for _, r := range responses {
		if r.status == http.StatusConflict {
			r.refused(schedctl.IdempotencyRunning)
			continue
		}
		if r.header.Get("Idempotent-Replayed") != "true" {
			fresh++
		}
		if first == nil {
			first = r.want(http.StatusCreated)
		}
		if string(r.want(http.StatusCreated).body) != string(first.body) {
			t.Errorf("%s: two responses:\n%s\n%s", path, r.body, first.body)
		}
	}
	if fresh != 1 {
		t.Errorf("%s: %d responses are not replayed", path, fresh)
	}
}
