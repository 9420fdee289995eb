package daemon_test

import (
	"net/http"
	"testing"

	"github.com/schedctl/schedctl/daemon"
)

// A page that had its name pointed at this machine reads no metrics; programs
// here do, and so does everybody when the daemon listens to everybody.
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
