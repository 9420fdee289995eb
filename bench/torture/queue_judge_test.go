package main

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// TestQueueJudge breaks each promise of a queue once.
func TestQueueJudge(t *testing.T) {
	t.Parallel()
	day := time.Date(2027, 6, 7, 0, 0, 0, 0, time.UTC)
	post := func(id, local string, accounts ...string) apiv1.Post {
		at := schedctl.LocalTime(local).Civil()
		return apiv1.Post{
			ID: id, SocialAccountIDs: accounts, Status: schedctl.Scheduled, Slot: &apiv1.Slot{Local: local, Timezone: "UTC"},
			PublishAt: apiv1.NewTime(at), NotBefore: apiv1.NewTime(day),
		}
	}
	a, b := post("post_1", "2027-06-07T09:00", "a"), post("post_2", "2027-06-08T09:00", "a", "b")
	for name, tt := range map[string]struct {
		change func(c *queueClient, stored map[string]apiv1.Post)
		want   violation // empty for none
	}{
		"nothing":     {func(*queueClient, map[string]apiv1.Post) {}, ""},
		"a lost post": {func(_ *queueClient, stored map[string]apiv1.Post) { delete(stored, "post_1") }, lostRecord},
		"another slot": {func(_ *queueClient, stored map[string]apiv1.Post) {
			stored["post_1"] = post("post_1", "2027-06-09T09:00", "a")
		}, lostRecord},
		"an unknown post": {func(_ *queueClient, stored map[string]apiv1.Post) {
			stored["post_3"] = post("post_3", "2027-06-09T09:00", "a")
		}, doneTwice},
		"a canceled post": {func(c *queueClient, _ map[string]apiv1.Post) { c.canceled, c.live = []string{"post_1"}, c.live[1:] }, lostRecord},
		"two in one slot": {func(c *queueClient, stored map[string]apiv1.Post) {
			c.live[0] = post("post_1", "2027-06-08T09:00", "a")
			stored["post_1"] = c.live[0]
		}, doneTwice},
		"a skipped slot": {func(c *queueClient, _ map[string]apiv1.Post) { c.held = nil }, wrongStatus},
		"a slot that others had": {func(c *queueClient, stored map[string]apiv1.Post) {
			c.held = []heldSlot{{"b", "2027-06-07T09:00"}, {"a", "2027-06-08T09:00"}}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &world{judged: new(verdictCollector)}
			q := &queueWorld{world: w, queue: schedctl.Queue{Timezone: "UTC", Times: []schedctl.QueueTime{{Days: schedctl.EveryDay, Minute: 9 * 60}}}}
			c := &queueClient{queueWorld: q, live: []apiv1.Post{a, b}, held: []heldSlot{{"a", "2027-06-07T09:00"}}}
			q.clients = []*queueClient{c}
			stored := map[string]apiv1.Post{a.ID: a, b.ID: b}
			tt.change(c, stored)
			q.judgePosts(stored)
			if err := q.judgeSkipped(); err != nil {
				t.Fatal(err)
			}
			if tt.want == "" && len(w.judged.violations) > 0 || tt.want != "" && w.judged.violations[tt.want] == 0 {
				t.Errorf("violations: %v, want %q", w.judged.violations, tt.want)
			}
		})
	}
}
