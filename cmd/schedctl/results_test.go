package main

import (
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// resultRows are targets with numbers, without, and removed.
func resultRows() []apiv1.AnalyticsRow {
	return []apiv1.AnalyticsRow{
		{
			PostID: "post_1", PostTargetID: "pt_1", AccountLabel: "blog", Platform: "mastodon", Preview: "The launch of version 2 is tomorrow, and everybody is invited",
			PublishedAt: at(-50 * time.Hour), AnalyticsStatus: apiv1.ResultsReady, LastRefreshAt: at(-2 * time.Hour), Views: new(int64(1204)), Reactions: new(int64(31)), Replies: new(int64(0)),
			Engagements: new(int64(31)), EngagementRate: new(0.0257), Growth: []int64{4, 18, 31},
		},
		{
			PostID: "post_2", PostTargetID: "pt_2", AccountLabel: "brand", Platform: "bluesky", Preview: "Gone", PublishedAt: at(-3 * time.Hour), AnalyticsStatus: apiv1.ResultsUnavailable,
			StatusLabel: "The network no longer has this post.", Reason: new(schedctl.ResultsRemoved), Reactions: new(int64(2)), Engagements: new(int64(2)), RemovedAt: at(-time.Hour), Estimated: true, Growth: []int64{2},
		},
		{PostID: "post_2", PostTargetID: "pt_3", AccountLabel: "chat", Platform: "telegram", Preview: "Gone", PublishedAt: at(-3 * time.Hour), AnalyticsStatus: apiv1.ResultsUnavailable, Reason: new(schedctl.ResultsUnsupported)},
	}
}

// TestResultsTable checks the table of targets in terminals of several widths.
func TestResultsTable(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"GET /results": apiv1.ResultsList{Results: resultRows()}})
	m.want(t, 0, `pt_1	blog	ready	1204	31	0					31	0.0257	2026-11-21T10:00:00Z				post_1	2026-11-19T10:00:00Z	The launch of version 2 is tomorrow, and everybody is invited
pt_2	brand	unavailable		2						2				2026-11-21T11:00:00Z	removed	post_2	2026-11-21T09:00:00Z	Gone
pt_3	chat	unavailable													unsupported	post_2	2026-11-21T09:00:00Z	Gone
`, "", "results")
	m.want(t, 0, "post_1\npost_2\n", "", "results", "-q")
	m.terminals().noColorEnv()
	for width, want := range map[int]string{
		120: `TEXT                                             ACCOUNT  AGE  VIEWS  REACTIONS  REPLIES  REPOSTS  CLICKS  RATE   GROWTH
The launch of version 2 is tomorrow, and every…  blog     2d   1,204  31         0        –        –       2.6 %  ▁▅█
✗ Gone                                           brand    3h   –      ~2         –        –        –       –      █
Gone                                             chat     3h   –      –          –        –        –       –
1 of 3 without numbers: 1 not given by the network
`,
		80: `TEXT                      ACCOUNT  AGE  VIEWS  REACTIONS  REPLIES  RATE   GROWTH
The launch of version 2…  blog     2d   1,204  31         0        2.6 %  ▁▅█
✗ Gone                    brand    3h   –      ~2         –        –      █
Gone                      chat     3h   –      –          –        –
1 of 3 without numbers: 1 not given by the network
`,
		40: `TEXT             ACCOUNT  AGE  REACTIONS
The launch of …  blog     2d   31
✗ Gone           brand    3h   ~2
Gone             chat     3h   –
1 of 3 without numbers: 1 not given by the network
`,
	} {
		m.Width = width
		m.want(t, 0, want, "", "results")
	}
}

// TestResultsOfOnePostTable checks the table of one post, in a locale of ASCII.
func TestResultsOfOnePostTable(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"GET /analytics/post/post_1": apiv1.AnalyticsPost{PostID: "post_1", Targets: resultRows()[:2]}})
	m.terminals().noColorEnv()
	m.env["LC_ALL"] = "C"
	m.Width = 80
	m.want(t, 0, `ACCOUNT  AGE  VIEWS  REACTIONS  REPLIES  REPOSTS  CLICKS  RATE   GROWTH
blog     2d   1,204  31         0        –        –       2.6 %  .-#
  read Sat 21 Nov 2026 10:00 UTC (2 hours ago)
✗ brand  3h   –      ~2         –        –        –       –      #
  missing since Sat 21 Nov 2026 11:00 UTC (1 hour ago)
`, "", "results", "post_1")
}

// TestResultsGroupsTable checks the table of groups and what it explains.
func TestResultsGroupsTable(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"GET /results/summary": apiv1.ResultsSummary{Groups: []apiv1.ResultsGroup{
		{
			Key: new("launch"), Posts: 12, Targets: 30, Engagements: apiv1.ResultsMeasure{Known: 28, Sum: new(1204.0), Median: new(40.5)},
			Views: apiv1.ResultsMeasure{Known: 9}, Rate: apiv1.ResultsMeasure{Known: 9},
		},
		{
			Posts: 2, Targets: 2, Few: true, Engagements: apiv1.ResultsMeasure{Known: 2, Sum: new(5.0), Median: new(2.5)},
			Views: apiv1.ResultsMeasure{Known: 2, Sum: new(100.0), Median: new(50.0)}, Rate: apiv1.ResultsMeasure{Known: 2, Sum: new(0.05), Median: new(0.05)},
		},
	}}})
	m.want(t, 0, "launch\t12\t30\t28\t1204\t40.5\t9\t\t\t9\t\t\n\t2\t2\t2\t5\t2.5\t2\t100\t50\t2\t0.05\t0.05\n", "", "results", "--by", "label", "--month")
	m.terminals().noColorEnv()
	m.want(t, 0, `SERIES  POSTS  ENGAGEMENTS  MEDIAN  VIEWS  MEDIAN  RATE
launch  12     1,204        40.5    –      –       –
(none)  2 ?    5            2.5     100    50      5.0 %
? fewer than 5 posts: the median says little
networks count views in different ways: use --by platform, or --platform or --account for one of them
2 of 32 without engagements
`, "of the last 30 days; give --after for a longer time\n", "results", "--by", "series")
}

// TestShowHasResults checks the line of each published target of a post.
func TestShowHasResults(t *testing.T) {
	t.Parallel()
	post := apiv1.Post{ID: "post_1", Status: schedctl.Published, Targets: []apiv1.Target{{ID: "pt_1", Status: schedctl.Published}}}
	m := newMachine(t, routes{
		"GET /social-accounts": twoAccounts, "GET /posts/post_1": apiv1.PostEnvelope{Post: post}, "GET /analytics/post/post_1": apiv1.AnalyticsPost{Targets: resultRows()},
	})
	m.terminals().noColorEnv()
	m.Width = 80
	if status := m.run(t, "post", "show", "post_1"); status != 0 {
		t.Fatalf("exit status %d: %s", status, &m.err)
	}
	const want = "\nblog: 1,204 views · 31 reactions · 0 replies (2 h ago)\n✗ brand: ~2 reactions · removed\nchat: no numbers: not given by the network\n"
	if !strings.Contains(m.out.String(), want) {
		t.Errorf("no %q in\n%s", want, &m.out)
	}
}
