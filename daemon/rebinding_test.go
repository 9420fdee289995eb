package daemon_test

import (
	"net/http"
	"testing"

	"github.com/schedctl/schedctl/daemon"
)

// A web page cannot read metrics by DNS rebinding. Programs on this machine can, and all
// clients can when the daemon listens on more than loopback.
func TestMetricsAreNotForWebPages(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]map[string]int{
		"127.0.0.1:0": {
			"127.0.0.1:7733": 200, "localhost:7733": 200, "LOCALHOST.": 200, "[::1]:7733": 200, "::1": 200,
			"evil.example": 421, "evil.example:7733": 421, "localhost.evil.example": 421, "127.0.0.1.evil.example:7733": 421,
		},
		"0.0.0.0:0": {"metrics.example": 200},
	} {
		r := start(t, func(c *daemon.Config) { c.Listen = listen })
		for host, status := range want {
			req, err := http.NewRequest("GET", r.url+"/metrics", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Host = host
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != status {
				t.Errorf("%s as %s: %d, want %d", listen, host, resp.StatusCode, status)
			}
		}
		r.end()
	}
}
