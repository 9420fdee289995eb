package api_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// slotDay is a day in the future, a Monday. Tests with slots start there, so that they do
// not depend on the time of day.
const slotDay = "2036-06-02"

// newQueue creates a queue in Rome, with one slot a day unless the body says otherwise.
func (f *fixture) newQueue(b body) apiv1.Queue {
	f.t.Helper()
	whole := body{"name": "daily", "timezone": "Europe/Rome", "times": []body{everyDay("09:00")}}
	for name, value := range b {
		whole[name] = value
	}
	return decodeAs[apiv1.QueueEnvelope](f.t, f.do(nil, "POST", "/queues", whole).want(201)).Queue
}

func everyDay(at string) body {
	return body{"days": []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}, "at": at}
}

// inSlot is the body of a post that takes a slot on or after slotDay.
func (f *fixture) inSlot(changes body) body {
	b := body{"content": "queued", "social_account_ids": []string{f.mine.account}, "publish_at": "next-slot", "not_before": slotDay + "T00:00:00Z"}
	for name, value := range changes {
		b[name] = value
	}
	return b
}

// wantSlot fails the test unless the post has the slot, in Rome in summer.
func wantSlot(t *testing.T, p apiv1.Post, queueID, local string) {
	t.Helper()
	at := schedctl.LocalTime(local).Civil().Add(-2 * time.Hour)
	if p.Slot == nil || *p.Slot != (apiv1.Slot{Local: local, Timezone: "Europe/Rome"}) || p.PublishAt == nil || !p.PublishAt.Equal(at) || p.QueueID == nil || *p.QueueID != queueID {
		t.Errorf("the post has the slot %+v at %v of %v, want %s of %s", p.Slot, p.PublishAt, p.QueueID, local, queueID)
	}
	if p.Status != schedctl.Scheduled || p.NotBefore == nil {
		t.Errorf("the post is %s, not before %v", p.Status, p.NotBefore)
	}
}

func wantNoSlot(t *testing.T, p apiv1.Post) {
	t.Helper()
	if p.Slot != nil || p.QueueID != nil || p.NotBefore != nil {
		t.Errorf("the post has the slot %v of %v, not before %v; want none", p.Slot, p.QueueID, p.NotBefore)
	}
}

func TestNextSlot(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		f.do(nil, "POST", "/posts", f.inSlot(nil)).refused(schedctl.NoQueue)
		q := f.newQueue(nil)
		first := f.create(f.inSlot(nil))
		wantSlot(t, first, q.ID, "2036-06-02T09:00")
		if got, want := f.events(first.ID), "post.created post.scheduled post.queued"; got != want {
			t.Errorf("events %s, want %s", got, want)
		}
		wantSlot(t, f.create(f.inSlot(body{"queue_id": q.ID})), q.ID, "2036-06-03T09:00")
		spare := f.newAccount(f.mine, "spare")
		wantSlot(t, f.create(f.inSlot(body{"social_account_ids": []string{spare}})), q.ID, "2036-06-02T09:00")
		wantSlot(t, f.create(f.inSlot(body{"social_account_ids": []string{f.mine.account, spare}})), q.ID, "2036-06-04T09:00")

		f.create(body{"content": "fixed", "social_account_ids": []string{spare}, "publish_at": "2036-06-03T07:00:00Z"})
		draft := f.create(body{"content": "draft", "social_account_ids": []string{spare}})
		scheduled := f.do(nil, "POST", "/posts/"+draft.ID+"/schedule", body{"publish_at": "next-slot", "not_before": "2036-06-03T00:00:00Z"}).want(200).post()
		wantSlot(t, scheduled, q.ID, "2036-06-05T09:00")
		moved := f.do(nil, "PATCH", "/posts/"+draft.ID, body{"publish_at": "next-slot", "not_before": "2036-06-08T00:00:00Z"}).want(200).post()
		wantSlot(t, moved, q.ID, "2036-06-08T09:00")
		if got := f.events(draft.ID); got != "post.created post.scheduled post.queued post.updated post.scheduled" {
			t.Errorf("events %s", got)
		}
		again := f.do(nil, "PATCH", "/posts/"+draft.ID, body{"publish_at": "next-slot", "not_before": "2036-06-08T00:00:00Z"}).want(200).post()
		if again.Version != moved.Version {
			t.Errorf("taking its own slot gives version %d after %d", again.Version, moved.Version)
		}
		wantSlot(t, f.create(f.inSlot(body{"not_before": "2036-06-08T07:00:00Z"})), q.ID, "2036-06-08T09:00") // the slot itself
	})
}

// TestSlotsOfCanceledPostsAreFree guards that a canceled post frees its slot at once, and
// that posts keep theirs.
func TestSlotsOfCanceledPostsAreFree(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		q := f.newQueue(nil)
		first, second := f.create(f.inSlot(nil)), f.create(f.inSlot(nil))
		canceled := f.do(nil, "POST", "/posts/"+first.ID+"/cancel", nil).want(200).post()
		if canceled.Slot == nil || canceled.QueueID == nil {
			t.Error("a canceled post does not show its slot")
		}
		wantSlot(t, f.do(nil, "GET", "/posts/"+second.ID, nil).want(200).post(), q.ID, "2036-06-03T09:00")
		wantSlot(t, f.create(f.inSlot(nil)), q.ID, "2036-06-02T09:00")
	})
}

// TestOtherTimesClearTheSlot guards that a post with a slot has the time of the slot.
func TestOtherTimesClearTheSlot(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		q := f.newQueue(nil)
		for name, send := range map[string]func(path string) *response{
			"a fixed time": func(path string) *response {
				return f.do(nil, "PATCH", path, body{"publish_at": "2036-07-01T00:00:00Z"})
			},
			"the time of the slot": func(path string) *response {
				return f.do(nil, "PATCH", path, body{"publish_at": "2036-06-02T07:00:00Z"})
			},
			"unschedule":  func(path string) *response { return f.do(nil, "POST", path+"/unschedule", nil) },
			"publish now": func(path string) *response { return f.do(nil, "POST", path+"/publish-now", nil) },
		} {
			p := f.create(f.inSlot(nil))
			wantSlot(t, p, q.ID, "2036-06-02T09:00")
			r := send("/posts/" + p.ID)
			if r.status != 200 && r.status != 202 {
				t.Fatalf("%s: %d %s", name, r.status, r.body)
			}
			wantNoSlot(t, r.post())
			wantNoSlot(t, f.do(nil, "GET", "/posts/"+p.ID, nil).want(200).post())
			if r.post().Status == schedctl.Scheduled {
				f.do(nil, "POST", "/posts/"+p.ID+"/cancel", nil).want(200)
			}
		}
		p := f.create(f.inSlot(nil))
		edited := f.do(nil, "PATCH", "/posts/"+p.ID, body{"content": "other text", "labels": []string{"x"}}).want(200).post()
		wantSlot(t, edited, q.ID, "2036-06-02T09:00")
	})
}

// TestRepeatedKeyReturnsTheSameSlot guards that a repeated request takes no second slot,
// also after its slot became free.
func TestRepeatedKeyReturnsTheSameSlot(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		q := f.newQueue(nil)
		first := f.do(key("one"), "POST", "/posts", f.inSlot(nil)).want(201)
		f.create(f.inSlot(nil))
		again := f.do(key("one"), "POST", "/posts", f.inSlot(nil)).want(201)
		if string(first.body) != string(again.body) {
			t.Errorf("two responses:\n%s\n%s", first.body, again.body)
		}
		path := "/posts/" + f.draft().ID + "/schedule"
		b := body{"publish_at": "next-slot", "not_before": slotDay + "T00:00:00Z"}
		scheduled := f.do(key("two"), "POST", path, b).want(200)
		wantSlot(t, scheduled.post(), q.ID, "2036-06-04T09:00")
		if again := f.do(key("two"), "POST", path, b).want(200); string(again.body) != string(scheduled.body) {
			t.Errorf("two responses:\n%s\n%s", scheduled.body, again.body)
		}
		f.do(nil, "DELETE", "/queues/"+q.ID, nil).want(204)
		if again := f.do(key("one"), "POST", "/posts", f.inSlot(nil)).want(201); string(again.body) != string(first.body) {
			t.Errorf("two responses:\n%s\n%s", first.body, again.body)
		}
		f.do(key("three"), "POST", "/posts", f.inSlot(nil)).refused(schedctl.NoQueue)
	})
}

// TestAccountsOfAPostInASlot changes the accounts of a post without its time.
func TestAccountsOfAPostInASlot(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		busy, free, foreign := f.newAccount(f.mine, "busy"), f.newAccount(f.mine, "free"), f.newAccount(f.mine, "foreign")
		q := f.newQueue(body{"gap": "30m", "social_account_ids": []string{f.mine.account, busy, free}})
		p := f.create(f.inSlot(nil))
		near := f.create(body{"content": "near", "social_account_ids": []string{busy}, "publish_at": "2036-06-02T06:31:00Z"})
		edit := func(accounts ...string) *response {
			return f.do(nil, "PATCH", "/posts/"+p.ID, body{"social_account_ids": accounts})
		}
		edit(f.mine.account, busy).refused(schedctl.SlotTaken)
		edit(busy).refused(schedctl.SlotTaken)
		edit(f.mine.account, foreign).refused(schedctl.ValidationFailed)
		wantSlot(t, edit(free, f.mine.account).want(200).post(), q.ID, "2036-06-02T09:00")
		f.do(nil, "POST", "/posts/"+near.ID+"/cancel", nil).want(200)
		wantSlot(t, edit(busy).want(200).post(), q.ID, "2036-06-02T09:00")
		wantSlot(t, f.create(f.inSlot(nil)), q.ID, "2036-06-02T09:00") // that account is free again
		// Accounts that stay are not checked: a fixed time may be nearer than the gap.
		f.create(body{"content": "near", "social_account_ids": []string{busy}, "publish_at": "2036-06-02T07:01:00Z"})
		wantSlot(t, edit(busy, free).want(200).post(), q.ID, "2036-06-02T09:00")

		f.changeAccount(foreign, func(a *schedctl.Account) {
			a.Blackouts = []schedctl.AccountBlackout{{
				ID: schedctl.NewID(schedctl.BlackoutPrefix, time.Now()), Mode: schedctl.BlackoutAvoid,
				From: time.Date(2036, 6, 2, 0, 0, 0, 0, time.UTC), To: time.Date(2036, 6, 3, 0, 0, 0, 0, time.UTC),
			}}
		})
		f.do(nil, "PATCH", "/queues/"+q.ID, body{"social_account_ids": []string{}}).want(200)
		edit(busy, foreign).refused(schedctl.SlotTaken)
	})
}

func TestWhichQueue(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		a, b, c := f.mine.account, f.newAccount(f.mine, "b"), f.newAccount(f.mine, "c")
		all := f.newQueue(nil)
		first := f.newQueue(body{"name": "first", "social_account_ids": []string{a, b}, "times": []body{everyDay("10:00")}})
		second := f.newQueue(body{"name": "second", "social_account_ids": []string{b}, "times": []body{everyDay("11:00")}})
		take := func(changes body) *response { return f.do(nil, "POST", "/posts", f.inSlot(changes)) }
		wantSlot(t, take(nil).want(201).post(), first.ID, "2036-06-02T10:00")
		wantSlot(t, take(body{"social_account_ids": []string{c}}).want(201).post(), all.ID, "2036-06-02T09:00")
		for name, changes := range map[string]body{
			"an account in two queues":     {"social_account_ids": []string{b}},
			"accounts of different queues": {"social_account_ids": []string{a, c}},
			"a queue without the account":  {"queue_id": second.ID},
			"an unknown queue":             {"queue_id": "que_01K2M4N6P8QARCTDVEWFXGYHZ1"},
			"not an id":                    {"queue_id": "first"},
			"not a time":                   {"not_before": "tomorrow"},
			"a queue for a fixed time":     {"queue_id": all.ID, "publish_at": "2036-06-02T06:31:00Z", "not_before": nil},
			"a limit for a fixed time":     {"publish_at": "2036-06-02T06:31:00Z"},
			"a limit for a draft":          {"publish_at": nil},
			"a limit for publishing now":   {"publish_at": "now"},
		} {
			if e := take(changes).refused(schedctl.ValidationFailed); e.Message == "" {
				t.Errorf("%s: no message", name)
			}
		}
		take(body{"social_account_ids": []string{}}).refused(schedctl.InvalidSocialAccounts)
		take(body{"social_account_ids": []string{}, "queue_id": all.ID}).refused(schedctl.InvalidSocialAccounts)
		wantSlot(t, take(body{"social_account_ids": []string{b}, "queue_id": second.ID}).want(201).post(), second.ID, "2036-06-02T11:00")
		f.do(nil, "DELETE", "/queues/"+all.ID, nil).want(204)
		take(body{"social_account_ids": []string{c}}).refused(schedctl.NoQueue)
	})
}

func TestQueueIsFull(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	q := f.newQueue(body{"times": []body{{"days": []string{"mon"}, "at": "09:00"}}})
	f.changeAccount(f.mine.account, func(a *schedctl.Account) {
		a.Blackouts = []schedctl.AccountBlackout{{
			ID: schedctl.NewID(schedctl.BlackoutPrefix, time.Now()), Mode: schedctl.BlackoutHold,
			From: time.Date(2036, 1, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2037, 1, 1, 0, 0, 0, 0, time.UTC),
		}}
	})
	for _, send := range []func() *response{
		func() *response { return f.do(nil, "POST", "/posts", f.inSlot(nil)) },
		func() *response {
			return f.do(nil, "POST", "/posts/"+f.draft().ID+"/schedule", body{"publish_at": "next-slot", "not_before": slotDay + "T00:00:00Z"})
		},
		func() *response {
			return f.do(nil, "PATCH", "/posts/"+f.scheduled().ID, body{"publish_at": "next-slot", "not_before": slotDay + "T00:00:00Z"})
		},
	} {
		if e := send().refused(schedctl.QueueFull); !strings.Contains(e.Message, `"daily"`) || !strings.Contains(e.Message, "180 days") {
			t.Errorf("the message is %q", e.Message)
		}
	}
	f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Blackouts = nil })
	wantSlot(t, f.create(f.inSlot(nil)), q.ID, "2036-06-02T09:00")
}

// TestSlotsNeedPostsWrite guards that a key for drafts takes no slot.
func TestSlotsNeedPostsWrite(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.newQueue(nil)
	drafts := as(f.scoped(schedctl.ScopePostsDraft, schedctl.ScopePostsRead))
	f.do(drafts, "POST", "/posts", f.inSlot(nil)).refused(schedctl.InsufficientScope)
	path := "/posts/" + f.draft().ID
	f.do(drafts, "PATCH", path, body{"publish_at": "next-slot"}).refused(schedctl.InsufficientScope)
	f.do(drafts, "POST", path+"/schedule", body{"publish_at": "next-slot"}).refused(schedctl.InsufficientScope)
}

func TestListPostsOfAQueue(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		one, two := f.newQueue(nil), f.newQueue(body{"name": "two"})
		series := schedctl.NewID(schedctl.SeriesPrefix, time.Now())
		f.scheduled()
		var want []string
		for range 3 {
			want = append(want, f.create(f.inSlot(body{"queue_id": one.ID})).ID)
			f.changeStored(f.create(f.inSlot(body{"queue_id": two.ID})).ID, func(p *schedctl.Post) { p.SeriesID, p.Occurrence = series, "2036-06-02T09:00" })
		}
		list := func(query string) (ids []string) {
			for query += "&sort=publish_at&limit=2"; ; {
				page := decodeAs[apiv1.PostList](t, f.do(nil, "GET", "/posts?"+query, nil).want(200))
				for _, p := range page.Results {
					ids = append(ids, p.ID)
				}
				if page.NextCursor == nil {
					return ids
				}
				f.do(nil, "GET", "/posts?sort=publish_at&limit=2&cursor="+*page.NextCursor, nil).refused(schedctl.InvalidCursor)
				query, _, _ = strings.Cut(query, "&cursor=")
				query += "&cursor=" + *page.NextCursor
			}
		}
		if got := list("queue_id=" + one.ID); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		if got := list("series_id=" + series); len(got) != 3 || slices.Contains(got, want[0]) {
			t.Errorf("posts of the series: %v", got)
		}
		if got := list("series_id=" + series + "&queue_id=" + one.ID); len(got) != 0 {
			t.Errorf("posts of both: %v", got)
		}
		for _, query := range []string{"queue_id=daily", "queue_id=" + series, "series_id=" + one.ID} {
			f.do(nil, "GET", "/posts?"+query, nil).refused(schedctl.ValidationFailed)
		}
	})
}

func TestValidateNextSlot(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	validate := func(changes body) (codes []string) {
		v := decodeAs[apiv1.Validation](t, f.do(nil, "POST", "/posts/validate", f.inSlot(changes)).want(200))
		for _, p := range v.Problems {
			codes = append(codes, p.Field+" "+p.Code)
		}
		if v.Allowed != (len(codes) == 0) {
			t.Errorf("allowed is %v with the problems %v", v.Allowed, codes)
		}
		return codes
	}
	check := func(changes body, want ...string) {
		t.Helper()
		if got := validate(changes); !slices.Equal(got, want) {
			t.Errorf("%v: problems %v, want %v", changes, got, want)
		}
	}
	check(nil, "queue_id NO_QUEUE")
	check(body{"social_account_ids": []string{}}, "social_account_ids INVALID_SOCIAL_ACCOUNTS")
	check(body{"social_account_ids": []string{f.other.account}}, "social_account_ids INVALID_SOCIAL_ACCOUNTS")
	f.newQueue(nil)
	check(nil)
	check(body{"queue_id": "que_01K2M4N6P8QARCTDVEWFXGYHZ1"}, "queue_id VALIDATION_FAILED")
	before := f.counts()
	check(nil)
	if diff := cmp.Diff(fmt.Sprint(before), fmt.Sprint(f.counts())); diff != "" {
		t.Errorf("it stores something: %s", diff)
	}
	// The duplicate guard counts from the slot.
	f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Options = schedctl.Options{"duplicate_guard": "1h"} })
	f.create(body{"content": "queued", "social_account_ids": []string{f.mine.account}, "publish_at": "2036-06-02T07:30:00Z"})
	v := decodeAs[apiv1.Validation](t, f.do(nil, "POST", "/posts/validate", f.inSlot(nil)).want(200))
	if v.Allowed || len(v.Accounts) != 1 || len(v.Accounts[0].Problems) != 1 || v.Accounts[0].Problems[0].Code != "DUPLICATE_CONTENT" {
		t.Errorf("the duplicate is not found: %+v", v)
	}
	f.do(nil, "POST", "/posts", f.inSlot(nil)).refused(schedctl.DuplicateContent)
}

// interruptedStore calls a function once, before the next transaction.
type interruptedStore struct {
	storage.Store
	before func()
}

func (s *interruptedStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if before := s.before; before != nil {
		s.before = nil
		before()
	}
	return s.Store.Update(ctx, fn)
}

// TestQueueIsDeletedMeanwhile deletes the queue between the choice of a request and its
// transaction: the request takes a slot of the queue that it would choose now.
func TestQueueIsDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	store := &interruptedStore{Store: storagetest.NewMemory()}
	f := newFixtureOn(t, store)
	spare := f.newQueue(nil)
	draft, scheduled := f.draft(), f.scheduled()
	later := body{"publish_at": "next-slot", "not_before": slotDay + "T00:00:00Z"}
	for name, send := range map[string]func() *response{
		"create":   func() *response { return f.do(nil, "POST", "/posts", f.inSlot(nil)) },
		"schedule": func() *response { return f.do(nil, "POST", "/posts/"+draft.ID+"/schedule", later) },
		"edit":     func() *response { return f.do(nil, "PATCH", "/posts/"+scheduled.ID, later) },
	} {
		named := f.newQueue(body{"name": "named " + name, "social_account_ids": []string{f.mine.account}, "times": []body{everyDay("10:00")}})
		store.before = func() {
			f.update(func(tx storage.Tx) error { return tx.DeleteQueue(f.mine.workspace, named.ID) })
		}
		r := send()
		if r.status >= 300 || store.before != nil {
			t.Fatalf("%s: %d: %s", name, r.status, r.body)
		}
		if p := r.post(); p.QueueID == nil || *p.QueueID != spare.ID {
			t.Errorf("%s: the queue is %v, want %s", name, p.QueueID, spare.ID)
		}
	}
}
