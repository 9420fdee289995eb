package main

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

func TestListByDay(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{
		"GET /social-accounts": twoAccounts,
		"GET /posts": apiv1.PostList{Results: []apiv1.Post{
			{ID: "post_1", Status: schedctl.Published, PublishAt: at(-48 * time.Hour), Content: "Old"},
			{ID: "post_2", Status: schedctl.Scheduled, PublishAt: at(time.Hour), Content: "Soon"},
			{ID: "post_3", Status: schedctl.Scheduled, PublishAt: at(11*time.Hour + 30*time.Minute), Content: "Late"},
			{ID: "post_4", Status: schedctl.Draft, Content: "Some day"},
		}},
	})
	m.want(t, 0, `2026-11-19	post_1	published	2026-11-19T12:00:00Z		Old
2026-11-21	post_2	scheduled	2026-11-21T13:00:00Z		Soon
2026-11-22	post_3	scheduled	2026-11-21T23:30:00Z		Late
	post_4	draft			Some day
`, "", "post", "list", "--group", "day", "--tz", "Europe/Berlin")
	m.want(t, 0, "post_1\npost_2\npost_3\npost_4\n", "", "post", "list", "--group", "day", "-q")
	m.want(t, 0, "4\n", "", "post", "list", "--group", "day", "--jq", "length")
	m.want(t, 2, "", "schedctl: --group \"week\" is not known; use day\n", "post", "list", "--group", "week")
	m.want(t, 2, "", "schedctl: --group day needs posts in publishing order: leave out --sort created_at\n", "post", "list", "--group", "day", "--sort", "created_at")
	m.terminals().noColorEnv()
	m.Width = 80
	m.Local = time.FixedZone("EET", 2*3600)
	m.want(t, 0, `ID      STATUS     WHEN              TO  TEXT
Thu 19 Nov 2026, 2 days ago
post_1  published  2026-11-19 14:00      Old
Sat 21 Nov 2026, today
post_2  scheduled  2026-11-21 15:00      Soon
Sun 22 Nov 2026, tomorrow
post_3  scheduled  2026-11-22 01:30      Late
No time
post_4  draft                            Some day
`, "", "post", "list", "--group", "day")
}
