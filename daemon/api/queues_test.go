package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

func queueOf(t *testing.T, r *response) apiv1.QueueEnvelope {
	t.Helper()
	return decodeAs[apiv1.QueueEnvelope](t, r)
}

func TestQueues(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		made := f.do(nil, "POST", "/queues", body{
			"name": "weekdays", "timezone": "Europe/Rome", "gap": "1h30m", "times": []body{
				{"days": []string{"tue", "mon"}, "at": "17:30"}, {"days": []string{"mon"}, "at": "09:00"}, {"days": []string{"sat"}, "at": "17:30"},
			},
		}).want(201)
		q := queueOf(t, made).Queue
		want := apiv1.Queue{
			ID: q.ID, Name: "weekdays", Timezone: "Europe/Rome", SocialAccountIDs: []string{}, Gap: "1h30m", Default: true, Version: 1,
			Times: []apiv1.QueueTime{{Days: []string{"mon"}, At: "09:00"}, {Days: []string{"mon", "tue", "sat"}, At: "17:30"}},
		}
		ignored := cmpopts.IgnoreFields(apiv1.Queue{}, "CreatedAt", "UpdatedAt")
		if diff := cmp.Diff(want, q, ignored); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if got := made.header.Get("Location"); got != "/api/v1/queues/"+q.ID {
			t.Errorf("Location is %q", got)
		}
		path := "/queues/" + q.ID
		for _, read := range []apiv1.Queue{
			queueOf(t, f.do(nil, "GET", path, nil).want(200)).Queue,
			decodeAs[apiv1.QueueList](t, f.do(nil, "GET", "/queues", nil).want(200)).Results[0],
			queueOf(t, f.do(nil, "PATCH", path, body{"name": "weekdays", "gap": "90m"}).want(200)).Queue, // changes nothing
		} {
			if diff := cmp.Diff(q, read); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		}
		edited := queueOf(t, f.do(header("If-Match", `"1"`), "PATCH", path, body{
			"name": "releases", "timezone": "UTC", "times": []body{everyDay("08:00")}, "gap": "0s", "social_account_ids": []string{f.mine.account},
		}).want(200)).Queue
		want.Name, want.Timezone, want.Gap, want.Version, want.SocialAccountIDs = "releases", "UTC", "0s", 2, []string{f.mine.account}
		want.Times = []apiv1.QueueTime{{Days: []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}, At: "08:00"}}
		if diff := cmp.Diff(want, edited, ignored); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		f.do(header("If-Match", `"1"`), "PATCH", path, body{"gap": "1h"}).refused(schedctl.VersionMismatch)
		f.do(header("If-Match", `"1"`), "DELETE", path, nil).refused(schedctl.VersionMismatch)
		f.do(nil, "DELETE", path, nil).want(204)
		f.do(nil, "GET", path, nil).refused(schedctl.NotFound)
		f.do(nil, "DELETE", path, nil).refused(schedctl.NotFound)
	})
}

func TestQueuesRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.newQueue(nil)
	other := f.newQueue(body{"name": "other"})
	for name, tt := range map[string]struct {
		change body
		field  string
	}{
		"no name":            {body{"name": ""}, "name"},
		"a long name":        {body{"name": strings.Repeat("x", 81)}, "name"},
		"no zone":            {body{"timezone": ""}, "timezone"},
		"the machine's zone": {body{"timezone": "Local"}, "timezone"},
		"an unknown zone":    {body{"timezone": "Rome"}, "timezone"},
		"no times":           {body{"times": []body{}}, "times"},
		"no days":            {body{"times": []body{{"days": []string{}, "at": "09:00"}}}, "times[0].days"},
		"an unknown day":     {body{"times": []body{{"days": []string{"Monday"}, "at": "09:00"}}}, "times[0].days[0]"},
		"a day twice":        {body{"times": []body{{"days": []string{"mon", "mon"}, "at": "09:00"}}}, "times[0].days[1]"},
		"a time off the day": {body{"times": []body{everyDay("24:00")}}, "times[0].at"},
		"a short time":       {body{"times": []body{everyDay("9:00")}}, "times[0].at"},
		"no time of day":     {body{"times": []body{{"days": []string{"mon"}}}}, "times[0].at"},
		"a negative gap":     {body{"gap": "-1s"}, "gap"},
		"a gap over a day":   {body{"gap": "24h1s"}, "gap"},
		"a broken gap":       {body{"gap": "an hour"}, "gap"},
		"a gap of a moment":  {body{"gap": "1ms"}, "gap"},
		"an unknown field":   {body{"slots": 3}, "slots"},
	} {
		t.Run(name, func(t *testing.T) {
			whole := body{"name": "new", "timezone": "UTC", "times": []body{everyDay("09:00")}}
			for k, v := range tt.change {
				whole[k] = v
			}
			for _, r := range []*response{f.do(nil, "POST", "/queues", whole), f.do(nil, "PATCH", "/queues/"+other.ID, tt.change)} {
				e := r.refused(schedctl.ValidationFailed)
				if len(e.Details) == 0 || e.Details[0].Field != tt.field {
					t.Errorf("%s: the field is %+v, want %s", r.method, e.Details, tt.field)
				}
			}
		})
	}
	for _, missing := range []string{"name", "timezone", "times"} {
		whole := body{"name": "new", "timezone": "UTC", "times": []body{everyDay("09:00")}}
		delete(whole, missing)
		f.do(nil, "POST", "/queues", whole).refused(schedctl.ValidationFailed)
	}
	f.do(nil, "PATCH", "/queues/"+other.ID, body{}).refused(schedctl.ValidationFailed)
	twice := body{"times": []body{{"days": []string{"mon", "mon"}, "at": "09:00"}}}
	if e, want := f.do(nil, "PATCH", "/queues/"+other.ID, twice).refused(schedctl.ValidationFailed), "the weekday mon appears twice; name it once"; e.Message != want {
		t.Errorf("the message is %q, want %q", e.Message, want)
	}
	f.do(nil, "PATCH", "/queues/"+other.ID, body{"social_account_ids": []string{f.other.account}}).refused(schedctl.InvalidSocialAccounts)
	many := make([]body, 49)
	for i := range many {
		many[i] = everyDay(fmt.Sprintf("%02d:%02d", i/4, i%4))
	}
	f.do(nil, "PATCH", "/queues/"+other.ID, body{"times": many}).refused(schedctl.ValidationFailed)
	f.do(nil, "PATCH", "/queues/"+other.ID, body{"times": many[:48]}).want(200)
}

func TestOneDefaultQueue(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		first := f.newQueue(body{"default": false}) // the first one is the default in any case
		second := f.newQueue(body{"name": "second"})
		wantDefault := func(want string) {
			t.Helper()
			var got []string
			for _, q := range decodeAs[apiv1.QueueList](t, f.do(nil, "GET", "/queues", nil).want(200)).Results {
				if q.Default {
					got = append(got, q.ID)
				}
			}
			if !slices.Equal(got, []string{want}) {
				t.Errorf("default queues: %v, want %s", got, want)
			}
		}
		wantDefault(first.ID)
		f.do(nil, "PATCH", "/queues/"+first.ID, body{"default": false}).refused(schedctl.ValidationFailed)
		f.do(nil, "PATCH", "/queues/"+second.ID, body{"default": true}).want(200)
		wantDefault(second.ID)
		if q := queueOf(t, f.do(nil, "GET", "/queues/"+first.ID, nil)).Queue; q.Version != 2 {
			t.Errorf("the former default has version %d", q.Version)
		}
		third := f.newQueue(body{"name": "third", "default": true})
		wantDefault(third.ID)
	})
}

func TestNumberOfQueues(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for n := range schedctl.MaxQueues {
		f.newQueue(body{"name": fmt.Sprint("queue ", n)})
	}
	f.do(nil, "POST", "/queues", body{"name": "more", "timezone": "UTC", "times": []body{everyDay("09:00")}}).refused(schedctl.ValidationFailed)
}

// TestDeletedQueueLeavesItsPosts deletes a queue with more posts than one transaction
// changes.
func TestDeletedQueueLeavesItsPosts(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		clocks := make([]body, 48)
		for i := range clocks {
			clocks[i] = everyDay(fmt.Sprintf("%02d:%02d", i/2, i%2*30))
		}
		q, other := f.newQueue(body{"times": clocks}), f.newQueue(body{"name": "other"})
		var posts []apiv1.Post
		for range 203 {
			posts = append(posts, f.create(f.inSlot(nil)))
		}
		canceled := posts[7].ID
		f.do(nil, "POST", "/posts/"+canceled+"/cancel", nil).want(200)
		stays := f.create(f.inSlot(body{"queue_id": other.ID}))
		f.do(key("delete"), "DELETE", "/queues/"+q.ID, nil).want(204)
		f.do(key("delete"), "DELETE", "/queues/"+q.ID, nil).want(204)
		f.do(nil, "GET", "/queues/"+q.ID, nil).refused(schedctl.NotFound)
		for _, was := range posts {
			p := f.do(nil, "GET", "/posts/"+was.ID, nil).want(200).post()
			if p.QueueID != nil || p.Slot == nil || *p.Slot != *was.Slot || !p.PublishAt.Equal(was.PublishAt.Time) {
				t.Fatalf("the post has queue %v, slot %v at %v; want no queue, %v at %v", p.QueueID, p.Slot, p.PublishAt, was.Slot, was.PublishAt)
			}
		}
		if got := *f.do(nil, "GET", "/posts/"+stays.ID, nil).post().QueueID; got != other.ID {
			t.Errorf("a post of the other queue has %s", got)
		}
		// Its slots are still taken.
		again := f.newQueue(body{"name": "again", "times": clocks})
		p := f.create(f.inSlot(body{"queue_id": again.ID}))
		if *p.Slot != *posts[7].Slot {
			t.Errorf("the slot is %v, want that of the canceled post, %v", p.Slot, posts[7].Slot)
		}
	})
}

func TestListSlots(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		a, b := f.mine.account, f.newAccount(f.mine, "b")
		q := f.newQueue(body{"times": []body{everyDay("02:30"), everyDay("09:00")}, "gap": "30m"})
		list := func(o option, query string) (lines []string) {
			t.Helper()
			got := decodeAs[apiv1.QueueSlots](t, f.do(o, "GET", "/queues/"+q.ID+"/slots?"+query, nil).want(200))
			for _, s := range got.Results {
				id := "-"
				if s.PostID != nil {
					id = *s.PostID
				}
				lines = append(lines, strings.TrimSpace(fmt.Sprint(s.At, " ", s.Local[8:], " ", s.State, " ", id, " ", s.Note)))
			}
			if got.Count != len(lines) {
				t.Errorf("count is %d of %d", got.Count, len(lines))
			}
			return lines
		}
		want := func(got []string, want ...string) {
			t.Helper()
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		}
		taken := f.create(f.inSlot(nil))
		near := f.create(body{"content": "near", "social_account_ids": []string{b}, "publish_at": "2036-06-02T07:29:00Z"})
		f.changeAccount(b, func(a *schedctl.Account) {
			a.Blackouts = []schedctl.AccountBlackout{{
				ID: schedctl.NewID(schedctl.BlackoutPrefix, time.Now()), Mode: schedctl.BlackoutAvoid,
				From: time.Date(2036, 6, 3, 1, 0, 0, 0, time.UTC), To: time.Date(2036, 6, 3, 7, 0, 0, 0, time.UTC),
			}}
		})
		period := "after=2036-06-02T00:30:00Z&before=2036-06-03T07:00:00.001Z"
		want(list(nil, period),
			"2036-06-02T00:30:00Z 02T02:30 taken "+taken.ID, "2036-06-02T07:00:00Z 02T09:00 taken "+near.ID,
			"2036-06-03T00:30:00Z 03T02:30 free -", "2036-06-03T07:00:00Z 03T09:00 free -")
		want(list(nil, period+"&limit=1"), "2036-06-02T00:30:00Z 02T02:30 taken "+taken.ID)
		want(list(nil, period+"&social_account_id="+b),
			"2036-06-02T00:30:00Z 02T02:30 free -", "2036-06-02T07:00:00Z 02T09:00 taken "+near.ID,
			"2036-06-03T00:30:00Z 03T02:30 free -", "2036-06-03T07:00:00Z 03T09:00 free -")
		want(list(nil, "after=2036-10-25T12:00:00Z&before=2036-10-26T12:00:00Z"),
			"2036-10-26T00:30:00Z 26T02:30 free - repeated", "2036-10-26T08:00:00Z 26T09:00 free -")
		want(list(nil, "after=2036-03-29T12:00:00Z&before=2036-03-30T12:00:00Z"),
			"2036-03-30T01:00:00Z 30T02:30 free - skipped", "2036-03-30T07:00:00Z 30T09:00 free -")
		f.do(nil, "PATCH", "/queues/"+q.ID, body{"times": []body{everyDay("05:00")}}).want(200)
		want(list(nil, "after=2036-06-03T00:00:00Z&before=2036-06-04T00:00:00Z&social_account_id="+a), "2036-06-03T03:00:00Z 03T05:00 free -")
		want(list(nil, "after=2036-06-03T00:00:00Z&before=2036-06-04T00:00:00Z"), "2036-06-03T03:00:00Z 03T05:00 blocked -")

		limited := as(f.limitedKey(a))
		f.create(f.inSlot(body{"social_account_ids": []string{a, b}, "not_before": "2036-06-05T00:00:00Z"}))
		want(list(limited, "after=2036-06-05T00:00:00Z&before=2036-06-06T00:00:00Z"), "2036-06-05T03:00:00Z 05T05:00 taken -")
		want(list(limited, "after=2036-06-03T00:00:00Z&before=2036-06-04T00:00:00Z&social_account_id="+a), "2036-06-03T03:00:00Z 03T05:00 free -")
		f.do(limited, "GET", "/queues/"+q.ID+"/slots?social_account_id="+b, nil).refused(schedctl.AccountNotAllowed)
		if n := len(list(nil, "")); n != 100 {
			t.Errorf("%d slots by default", n)
		}
		for _, query := range []string{"limit=1001", "after=tomorrow", "after=2036-01-01T00:00:00Z&before=2037-01-02T00:00:00.001Z", "cursor=x"} {
			f.do(nil, "GET", "/queues/"+q.ID+"/slots?"+query, nil).refused(schedctl.ValidationFailed)
		}
		f.do(nil, "GET", "/queues/"+q.ID+"/slots?social_account_id="+f.other.account, nil).refused(schedctl.InvalidSocialAccounts)
	})
}

// TestMoves orders the posts of a queue, changes its times, and reflows it.
func TestMoves(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		q := f.newQueue(nil)
		path := "/queues/" + q.ID
		var ids []string
		for range 3 {
			ids = append(ids, f.create(f.inSlot(nil)).ID)
		}
		wantLocal := func(want ...string) {
			t.Helper()
			for i, id := range ids {
				wantSlot(t, f.do(nil, "GET", "/posts/"+id, nil).want(200).post(), q.ID, want[i])
			}
		}
		moves := func(r *response) apiv1.QueueMoves {
			t.Helper()
			return decodeAs[apiv1.QueueMoves](t, r.want(200))
		}
		ordered := moves(f.do(key("order"), "POST", path+"/order", body{"post_ids": []string{ids[2], ids[0]}}))
		if len(ordered.Moves) != 2 || ordered.Moves[0].PostID != ids[2] || ordered.Moves[0].From.Day() != 4 || ordered.Moves[0].To.Day() != 2 {
			t.Errorf("moves: %+v", ordered.Moves)
		}
		wantLocal("2036-06-04T09:00", "2036-06-03T09:00", "2036-06-02T09:00")
		f.do(key("order"), "POST", path+"/order", body{"post_ids": []string{ids[2], ids[0]}}).want(200)
		wantLocal("2036-06-04T09:00", "2036-06-03T09:00", "2036-06-02T09:00")
		if got := f.events(ids[0]); got != "post.created post.scheduled post.queued post.updated post.scheduled" {
			t.Errorf("events %s", got)
		}
		fixed := f.scheduled()
		canceled := f.create(f.inSlot(nil))
		f.do(nil, "POST", "/posts/"+canceled.ID+"/cancel", nil).want(200)
		for name, list := range map[string][]string{
			"a fixed time": {ids[0], fixed.ID}, "a canceled post": {ids[0], canceled.ID}, "an unknown post": {ids[0], "post_1"}, "a post twice": {ids[0], ids[1], ids[0]},
			"one post": {ids[0]}, "no post": {},
		} {
			if e := f.do(nil, "POST", path+"/order", body{"post_ids": list}).refused(schedctl.ValidationFailed); e.Message == "" {
				t.Errorf("%s: no message", name)
			}
		}

		edited := queueOf(t, f.do(nil, "PATCH", path, body{"times": []body{everyDay("10:00")}}).want(200))
		inOrder := []string{ids[2], ids[1], ids[0]}
		if !slices.Equal(edited.Displaced, inOrder) || !slices.Equal(queueOf(t, f.do(nil, "GET", path, nil)).Displaced, inOrder) {
			t.Errorf("displaced are %v, want %v", edited.Displaced, inOrder)
		}
		wantLocal("2036-06-04T09:00", "2036-06-03T09:00", "2036-06-02T09:00")
		f.do(nil, "POST", path+"/reflow", body{}).refused(schedctl.ValidationFailed)
		before := f.counts()
		preview := moves(f.do(nil, "POST", path+"/reflow", body{"dry_run": true}))
		if f.counts() != before || len(preview.Moves) != 3 {
			t.Errorf("a preview writes, or has the moves %+v", preview.Moves)
		}
		wantLocal("2036-06-04T09:00", "2036-06-03T09:00", "2036-06-02T09:00")
		f.do(nil, "POST", "/posts/"+ids[1]+"/cancel", nil).want(200)
		f.do(nil, "POST", path+"/reflow", body{"digest": preview.Digest}).refused(schedctl.VersionMismatch)
		preview = moves(f.do(nil, "POST", path+"/reflow", body{"dry_run": true}))
		done := moves(f.do(key("reflow"), "POST", path+"/reflow", body{"digest": preview.Digest}))
		if diff := cmp.Diff(preview, done); diff != "" {
			t.Errorf("-preview +done:\n%s", diff)
		}
		ids = []string{ids[2], ids[0]}
		wantLocal("2036-06-02T10:00", "2036-06-03T10:00")
		moves(f.do(key("reflow"), "POST", path+"/reflow", body{"digest": preview.Digest}))
		f.do(nil, "POST", path+"/reflow", body{"digest": preview.Digest}).refused(schedctl.VersionMismatch)
		// The queue itself has not changed since the edit, but its response has.
		unchanged := header("If-None-Match", `"2"`)
		if left := queueOf(t, f.do(unchanged, "GET", path, nil).want(200)).Displaced; len(left) != 0 {
			t.Errorf("displaced are %v", left)
		}
	})
}

// TestLimitedKeysAndQueues guards what keys that are limited to accounts see and change.
func TestLimitedKeysAndQueues(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		a, b := f.mine.account, f.newAccount(f.mine, "b")
		limited := as(f.limitedKey(a))
		all := f.newQueue(nil)
		mine := f.newQueue(body{"name": "mine", "social_account_ids": []string{a}})
		both := f.newQueue(body{"name": "both", "social_account_ids": []string{a, b}})
		var seen []string
		for _, q := range decodeAs[apiv1.QueueList](t, f.do(limited, "GET", "/queues", nil).want(200)).Results {
			seen = append(seen, q.ID)
		}
		if !slices.Equal(seen, []string{all.ID, mine.ID}) {
			t.Errorf("it sees %v", seen)
		}
		for _, r := range []*response{
			f.do(limited, "GET", "/queues/"+both.ID, nil), f.do(limited, "PATCH", "/queues/"+both.ID, body{"gap": "1h"}), f.do(limited, "DELETE", "/queues/"+both.ID, nil),
			f.do(limited, "GET", "/queues/"+both.ID+"/slots", nil), f.do(limited, "POST", "/queues/"+both.ID+"/reflow", body{"dry_run": true}),
			f.do(limited, "POST", "/queues/"+both.ID+"/order", body{"post_ids": []string{"post_1", "post_2"}}),
		} {
			r.refused(schedctl.NotFound)
		}
		f.do(limited, "GET", "/queues/"+all.ID, nil).want(200)
		for _, r := range []*response{
			f.do(limited, "PATCH", "/queues/"+all.ID, body{"gap": "1h"}), f.do(limited, "DELETE", "/queues/"+all.ID, nil),
			f.do(limited, "POST", "/queues/"+all.ID+"/reflow", body{"dry_run": true}),
			f.do(limited, "POST", "/queues/"+all.ID+"/order", body{"post_ids": []string{"post_1", "post_2"}}),
			f.do(limited, "POST", "/queues", body{"name": "new", "timezone": "UTC", "times": []body{everyDay("09:00")}}),
			f.do(limited, "POST", "/queues", body{"name": "new", "timezone": "UTC", "times": []body{everyDay("09:00")}, "social_account_ids": []string{a, b}}),
			f.do(limited, "PATCH", "/queues/"+mine.ID, body{"social_account_ids": []string{}}),
			f.do(limited, "PATCH", "/queues/"+mine.ID, body{"social_account_ids": []string{a, b}}),
			f.do(limited, "PATCH", "/queues/"+mine.ID, body{"default": true}),
		} {
			r.refused(schedctl.AccountNotAllowed)
		}
		f.do(limited, "PATCH", "/queues/"+mine.ID, body{"gap": "1h"}).want(200)
		p := f.do(limited, "POST", "/posts", f.inSlot(body{"queue_id": all.ID})).want(201).post()
		wantSlot(t, p, all.ID, "2036-06-02T09:00")
		f.do(limited, "POST", "/posts", f.inSlot(body{"queue_id": both.ID})).refused(schedctl.ValidationFailed)
		f.do(limited, "POST", "/posts", f.inSlot(body{"queue_id": all.ID, "social_account_ids": []string{b}})).refused(schedctl.AccountNotAllowed)

		// A post on another account is not displaced for the key, and does not move.
		f.do(nil, "PATCH", "/queues/"+mine.ID, body{"social_account_ids": []string{a, b}, "gap": "0s"}).want(200)
		own := f.create(f.inSlot(body{"queue_id": mine.ID}))
		f.create(f.inSlot(body{"queue_id": mine.ID, "social_account_ids": []string{b}}))
		f.do(nil, "PATCH", "/queues/"+mine.ID, body{"social_account_ids": []string{a}, "times": []body{everyDay("10:00")}}).want(200)
		if got := queueOf(t, f.do(limited, "GET", "/queues/"+mine.ID, nil).want(200)).Displaced; !slices.Equal(got, []string{own.ID}) {
			t.Errorf("displaced for the key are %v", got)
		}
	})
}
