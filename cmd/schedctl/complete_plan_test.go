package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// Queues, series and calendar feeds are offered by name, and blackouts by id.
func TestCompletionOfPlans(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{
		"GET /queues": apiv1.QueueList{Results: []apiv1.Queue{{ID: "que_1", Name: "main", Times: []apiv1.QueueTime{{Days: []string{"mon"}, At: "09:00"}}}}},
		"GET /series": apiv1.SeriesList{Results: []apiv1.Series{
			{ID: "ser_1", Name: "tips", State: schedctl.SeriesActive, Timezone: "UTC", Start: "2026-12-01T09:00", Rule: "FREQ=DAILY"},
		}},
		"GET /series/ser_1/occurrences": apiv1.OccurrenceList{Results: []apiv1.Occurrence{
			{Occurrence: "2026-11-22T12:00", At: apiv1.Time{Time: noon.AddDate(0, 0, 1)}, State: "scheduled"},
		}},
		"GET /blackouts": apiv1.BlackoutList{Results: []apiv1.Blackout{
			{ID: "blk_1", From: "2026-12-24T00:00", To: ptr("2026-12-27T00:00"), Timezone: "UTC", Reason: ptr("holidays")},
			{ID: "blk_2", From: "2026-12-24T00:00", Timezone: "UTC"},
		}},
		"GET /calendar-feeds": apiv1.CalendarFeedList{Results: []apiv1.CalendarFeed{{ID: "cal_1", Name: "team"}}},
		"GET /posts": apiv1.PostList{Results: []apiv1.Post{
			{ID: "post_1", Status: schedctl.Scheduled, Content: "In a slot", Slot: &apiv1.Slot{}}, {ID: "post_2", Status: schedctl.Scheduled, Content: "Fixed"},
		}},
	})
	queue, series := []string{"main\tmon 09:00"}, []string{"tips\tactive, daily at 9:00 from 2026-12-01"}
	occurrence, post := []string{"2026-11-22T12:00\tscheduled, in 1 day"}, []string{"post_1\tscheduled: In a slot"}
	for _, tc := range []struct {
		want []string
		args []string
	}{
		{queue, []string{"queue", "show", ""}},
		{queue, []string{"queue", "slots", ""}},
		{queue, []string{"queue", "reflow", ""}},
		{queue, []string{"post", "create", "--queue", ""}},
		{queue, []string{"post", "edit", "post_1", "--queue", ""}},
		{queue, []string{"post", "list", "--queue", ""}},
		{series, []string{"series", "skip", ""}},
		{series, []string{"post", "list", "--series", ""}},
		{occurrence, []string{"series", "skip", "tips", ""}},
		{occurrence, []string{"series", "edit", "tips", "--from", ""}},
		{[]string{"blk_1\tholidays", "blk_2\tfrom Thu 24 Dec 2026 00:00 on (UTC)"}, []string{"blackout", "remove", ""}},
		{[]string{"team\tcal_1"}, []string{"calendar", "feed", "revoke", ""}},
		{post, []string{"queue", "move", ""}},
		{post, []string{"queue", "move", "post_3", "--before", ""}},
	} {
		if diff := cmp.Diff(tc.want, offered(t, m, tc.args...)); diff != "" {
			t.Errorf("%q: -want +got:\n%s", tc.args, diff)
		}
	}
}
