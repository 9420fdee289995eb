package all_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/all"
)

// TestEveryNetworkSaysWhatItReports guards that each network either reports results, or says
// why it does not, and that the documentation has it.
func TestEveryNetworkSaysWhatItReports(t *testing.T) {
	t.Parallel()
	docs, err := os.ReadFile("../../../docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]string{"googlechat": "google chat", "x": "x"}
	publishers := all.Publishers(all.Config{})
	for _, name := range slices.Sorted(maps.Keys(publishers)) {
		p := publishers[name]
		_, reads := p.(publish.ResultsReader)
		_, explains := p.(publish.NoResultsReader)
		if reads == explains {
			t.Errorf("%s: reads results: %v, says why not: %v", name, reads, explains)
		}
		if reason := publish.NoResults(p); explains && (!strings.HasSuffix(reason, ".") || len(reason) < 20) {
			t.Errorf("%s says %q", name, reason)
		}
		word := name
		if other := words[name]; other != "" {
			word = other
		}
		if !regexp.MustCompile(`(?im)^\| (?:[^|]*\b)?` + word + `\b[^|]*\|`).Match(docs) {
			t.Errorf("the table of docs/results.md has no %s", name)
		}
	}
}

// TestResultsRules checks the rules of all networks: their points, prices and permissions.
func TestResultsRules(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	organization := schedctl.Account{ProfileURL: "https://www.linkedin.com/company/5515715/"}
	daily := []time.Duration{day, 2 * day, 3 * day, 7 * day, 14 * day, 30 * day}
	publishers := all.Publishers(all.Config{})
	for _, tt := range []struct {
		platform string
		account  schedctl.Account
		batch    int
		points   []time.Duration
		scope    string
		window   time.Duration
		most     int64 // what a reading of one post may cost
		off      bool
	}{
		{"mastodon", schedctl.Account{Limits: schedctl.Limits{URLCharacters: 23}}, 20, nil, "read:statuses", 0, 0, false},
		{"bluesky", schedctl.Account{}, 25, nil, "", 0, 0, false},
		{"x", schedctl.Account{}, 1, []time.Duration{time.Hour, day, 3 * day, 7 * day, 28 * day}, "tweet.read", 30 * day, 25_000, true},
		{"x", schedctl.Account{Options: schedctl.Options{"own_app": true}}, 1, []time.Duration{time.Hour, day, 3 * day, 7 * day, 28 * day}, "tweet.read", 30 * day, 5_000, true},
		{"linkedin", organization, 20, nil, "rw_organization_admin", 365 * day, 0, false},
		{"linkedin", schedctl.Account{}, 1, daily, "r_member_postAnalytics", 0, 0, false},
		{"threads", schedctl.Account{}, 1, nil, "threads_manage_insights", 0, 0, false},
		{"instagram", schedctl.Account{}, 1, daily, "instagram_business_manage_insights", 730 * day, 0, false},
		{"facebook", schedctl.Account{}, 1, daily, "pages_read_engagement", 730 * day, 0, false},
		{"discord", schedctl.Account{}, 1, nil, "", 0, 0, false},
		{"slack", schedctl.Account{}, 1, nil, "channels:history", 0, 0, false},
		{"matrix", schedctl.Account{}, 1, nil, "", 0, 0, false},
		{"nostr", schedctl.Account{}, 10, nil, "", 0, 0, false},
		{"wordpress", schedctl.Account{}, 1, nil, "", 0, 0, false},
	} {
		r := publishers[tt.platform].(publish.ResultsReader).ResultsRules(tt.account)
		if r.Batch != tt.batch || !slices.Equal(r.Points, tt.points) || r.Scope != tt.scope || r.Window != tt.window || r.MostCost(1) != tt.most || r.Off != tt.off || r.Refused != "" {
			t.Errorf("%s: %+v", tt.platform, r)
		}
	}
}
