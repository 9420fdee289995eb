package publishtest

import "testing"

// Snac is a running snac, a server of the Mastodon API.
type Snac struct {
	URL         string `json:"url"`
	User        string `json:"user"`
	Password    string `json:"password"` // of the user, for the login page
	AccessToken string `json:"access_token"`
}

// StartSnac starts a server with one user on loopback. It runs until the test ends.
// If snac is not installed, the test is skipped; with SCHEDCTL_REQUIRE_ALL=1 in the
// environment it fails.
func StartSnac(t *testing.T) Snac {
	t.Helper()
	requireServer(t, "snac")
	var s Snac
	startServer(t, "snac", 1, nil, &s)
	if s.AccessToken == "" {
		t.Fatal("up.sh snac printed no access token")
	}
	return s
}
