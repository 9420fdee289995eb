package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// planned returns a post to accounts, at a time in UTC.
func planned(id, at string, status schedctl.Status, content string, to ...string) apiv1.Post {
	t, err := time.Parse("2006-01-02 15:04", at)
	if err != nil {
		panic(err)
	}
	p := apiv1.Post{ID: id, Content: content, Status: status, PublishAt: apiv1.NewTime(t), SocialAccountIDs: to}
	for i, acct := range to {
		p.Targets = append(p.Targets, apiv1.Target{ID: fmt.Sprintf("%s_%d", id, i), SocialAccountID: acct, Status: status, PublishAt: p.PublishAt})
	}
	return p
}

var (
	blog = apiv1.Account{ID: "acct_blog", Name: "blog", Platform: "feed", Status: schedctl.AccountConnected}
	team = apiv1.Account{ID: "acct_team", Name: "team-announcements", Platform: "slack", Status: schedctl.AccountConnected}
	gone = apiv1.Account{ID: "acct_gone", Name: "gone", Platform: "feed", Status: schedctl.AccountDisconnected}
)

// plans are around noon, which is a Saturday.
var plans = []apiv1.Post{
	planned("post_1", "2026-11-16 08:00", schedctl.Published, "The week starts: 日本語のテキスト for everybody", blog.ID, team.ID),
	planned("post_2", "2026-11-18 15:30", schedctl.Failed, "Did not work", team.ID),
	planned("post_3", "2026-11-21 11:55", schedctl.Publishing, "Going out", blog.ID),
	planned("post_4", "2026-11-21 18:00", schedctl.Scheduled, "Version 1.0 is out,\nand here is what is new", blog.ID, team.ID),
	planned("post_5", "2026-11-21 18:10", schedctl.Scheduled, "Too close", blog.ID),
	planned("post_6", "2026-11-22 23:30", schedctl.Scheduled, "In Berlin this is the day after", blog.ID),
	planned("post_7", "2026-11-21 18:05", schedctl.Canceled, "Will not go out", blog.ID),
	planned("post_8", "2026-11-28 09:00", schedctl.Scheduled, "Later", team.ID),
	planned("post_9", "2026-11-28 09:00", schedctl.Scheduled, "To an account that is not shown", gone.ID),
}

// calendarDaemon records the query it received.
func calendarDaemon(asked *string) routes {
	return routes{
		"GET /social-accounts": apiv1.AccountList{Results: []apiv1.Account{blog, team, gone}},
		"GET /posts": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			*asked = r.URL.RawQuery
			json.NewEncoder(w).Encode(apiv1.PostList{Results: plans})
		}),
	}
}

func TestCalendarForPrograms(t *testing.T) {
	t.Parallel()
	var asked string
	m := newMachine(t, calendarDaemon(&asked))
	m.want(t, 0, `2026-11-16	2026-11-16T08:00:00Z	blog	published		post_1	The week starts: 日本語のテキスト for everybody
2026-11-16	2026-11-16T08:00:00Z	team-announcements	published		post_1	The week starts: 日本語のテキスト for everybody
2026-11-18	2026-11-18T15:30:00Z	team-announcements	failed		post_2	Did not work
2026-11-21	2026-11-21T11:55:00Z	blog	publishing		post_3	Going out
2026-11-21	2026-11-21T18:00:00Z	blog	scheduled	clash	post_4	Version 1.0 is out, and here is what is new
2026-11-21	2026-11-21T18:00:00Z	team-announcements	scheduled		post_4	Version 1.0 is out, and here is what is new
2026-11-21	2026-11-21T18:10:00Z	blog	scheduled	clash	post_5	Too close
2026-11-22	2026-11-22T23:30:00Z	blog	scheduled		post_6	In Berlin this is the day after
`, "", "calendar")
	const want = "limit=100&proposed=true&publish_after=2026-11-16T00%3A00%3A00Z&publish_before=2026-11-23T00%3A00%3A00Z&sort=publish_at&status=scheduled&status=publishing&status=published&status=failed"
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	m.want(t, 0, "post_1\npost_2\npost_4\n", "", "calendar", "--account", "team-announcements", "-q", "--from", "2026-11-21")
}

func TestCalendarJSON(t *testing.T) {
	t.Parallel()
	var asked string
	m := newMachine(t, calendarDaemon(&asked))
	m.want(t, 0, `{"from":"2026-11-16","to":"2026-11-22","timezone":"UTC"}`+"\n", "", "calendar", "--json=from,to,timezone")
	m.want(t, 0, `[["2026-11-22","team-announcements"]]`+"\n", "", "calendar", "--jq", "[.days[] | .date as $d | .accounts[] | select(.gap) | [$d, .name]]")
	m.want(t, 0, `["post_4","post_5"]`+"\n", "", "calendar", "--jq", "[.days[].accounts[].posts[] | select(.clash) | .post_id]")
	m.want(t, 0, "[]\n", "", "calendar", "--apart", "5m", "--jq", "[.days[].accounts[].posts[] | select(.clash) | .post_id]")
	m.want(t, 0, "30 2026-11-01", "", "calendar", "--month", "--template", "{{len .days}} {{.from}}")
	if !strings.Contains(asked, "publish_after=2026-11-01T00%3A00%3A00Z&publish_before=2026-12-01T00%3A00%3A00Z") {
		t.Errorf("asked for %s", asked)
	}
}

func TestCalendarFlags(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil)
	m.want(t, 2, "", "schedctl: --week and --month exclude each other: give one\n", "calendar", "--week", "--month")
	m.want(t, 2, "", "schedctl: \"nonsense\" is not a valid time: try \"tomorrow 9am\", \"2026-12-08 09:00\" or \"in 2h\"\n", "calendar", "--from", "nonsense")
	m.want(t, 2, "", `{"error":{"code":"USAGE","message":"--json: unknown field \"\"; the fields are from, to, timezone, days","details":null,"request_id":""}}`+"\n", "calendar", "--json=")
	m.want(t, 2, "", "schedctl: unexpected argument \"x\": schedctl calendar takes none; see: schedctl calendar --help\n", "calendar", "x")
}
