package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/storage"
)

// waitingSeries returns a series that waits for an approval.
func (f *fixture) waitingSeries(change body) apiv1.Series {
	f.t.Helper()
	b := body{
		"name": "Tip of the day", "content": "every day", "variants": []string{"tip one", "tip two\u200b"}, "social_account_ids": []string{f.mine.account},
		"timezone": "Europe/Berlin", "start": "2036-06-01T09:00", "rule": "FREQ=DAILY;COUNT=7", "labels": []string{"tips"},
	}
	for k, v := range change {
		b[k] = v
	}
	one := f.do(nil, "POST", "/series", b).want(http.StatusCreated).series().Series
	return f.do(nil, "POST", "/series/"+one.ID+"/submit", body{"note": "please"}).want(http.StatusOK).series().Series
}

func (f *fixture) seriesNow(id string) apiv1.Series {
	f.t.Helper()
	return f.do(nil, "GET", "/series/"+id, nil).want(http.StatusOK).series().Series
}

// TestReviewPageOfASeries guards that a review shows a series that waits, with its texts, its
// rhythm and its next times, and that both decisions work there as they do for posts.
func TestReviewPageOfASeries(t *testing.T) {
	t.Parallel()
	onStores(t, func(t *testing.T, store storage.Store) {
		f := newFixtureOn(t, store)
		one := f.waitingSeries(nil)
		f.proposed(body{"content": "a post"})
		path := f.reviewer(body{"can": "decide"})
		at := path + "/" + one.ID
		b := &browser{f: f}
		list := b.get(path)
		if !list.says("1 post and 1 series") || !list.says("Tip of the day") || !list.says("repeats daily at 9:00 from 2036-06-01 7 times (Europe/Berlin), next ") || !list.says(one.ID) {
			t.Errorf("the list: %s", list.body)
		}
		shown := b.get(at)
		for _, text := range []string{"Tip of the day", "tip one", "tip two<mark>U+200B</mark>", "Next time", ">Sunday 1 June 2036, 09:00 CEST<", "Thursday 5 June", "fake account of mine", "please", "Approve all posts of the series"} {
			if !shown.says(text) {
				t.Errorf("the page lacks %q: %s", text, shown.body)
			}
		}
		if shown.says("Friday 6 June") || formFields(string(shown.body), "comment") != nil {
			t.Errorf("the page has too much: %s", shown.body)
		}
		comment := shown.fields("approve")
		comment.Set("action", "comment")
		comment.Set("text", "hello")
		b.send(sameOrigin, "POST", at, comment).want(http.StatusBadRequest)

		changes := shown.fields("changes")
		changes.Set("text", "other tips")
		for range 2 { // a second click has no effect
			b.send(sameOrigin, "POST", at, changes).want(http.StatusSeeOther)
		}
		now := f.seriesNow(one.ID)
		if a := now.Approval; a.State != schedctl.ApprovalChangesRequested || a.Note == nil || *a.Note != "other tips" || a.DecidedBy.Name != "Dana" || now.Version != one.Version+1 {
			t.Fatalf("after a request for changes: %+v", now)
		}
		if after := b.get(at); !after.says("changes requested") || !after.says("other tips") || after.says(`value="approve"`) {
			t.Errorf("the page after it: %s", after.body)
		}
		f.do(nil, "PATCH", "/series/"+one.ID, body{"variants": []string{"better tip"}}).want(http.StatusOK)
		f.do(nil, "POST", "/series/"+one.ID+"/submit", body{}).want(http.StatusOK)
		if late := b.send(sameOrigin, "POST", at, shown.fields("approve")).want(api.Status(schedctl.VersionMismatch)); !late.says("This series has changed since you opened it") {
			t.Errorf("an old form: %s", late.body)
		}
		again := b.get(at)
		if !again.says("Dana (with a share) asked for changes on ") || !again.says("better tip") {
			t.Errorf("the page of the series that was submitted again: %s", again.body)
		}
		b.send(sameOrigin, "POST", at, again.fields("approve")).want(http.StatusSeeOther)
		if a := f.seriesNow(one.ID).Approval; a.State != schedctl.ApprovalApproved {
			t.Errorf("after the approval: %+v", a)
		}
		if after := b.get(at); !after.says("Dana (with a share)") || !after.says("<dd>approved</dd>") || after.says(`value="approve"`) {
			t.Errorf("the page after the approval: %s", after.body)
		}
		if list := b.get(path); list.says("Tip of the day") {
			t.Errorf("the list after the approval: %s", list.body)
		}
	})
}

// TestSeriesOfAShare guards which shares show a series, and what they can do with it.
func TestSeriesOfAShare(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	one := f.waitingSeries(nil)
	p := f.proposed(body{"content": "a post"})
	b := &browser{f: f}
	second := f.newAccount(f.mine, "second")
	for name, c := range map[string]struct {
		share body
		shown bool
	}{
		"all":             {body{}, true},
		"its account":     {body{"filter": body{"social_account_ids": []string{f.mine.account}}}, true},
		"another account": {body{"filter": body{"social_account_ids": []string{second}}}, false},
		"its label":       {body{"filter": body{"labels": []string{"tips"}}}, true},
		"another label":   {body{"filter": body{"labels": []string{"news"}}}, false},
		"another state":   {body{"filter": body{"approval": "approved"}}, false},
		"posts":           {body{"post_ids": []string{p.ID}}, false},
	} {
		path := f.reviewer(c.share)
		status := http.StatusNotFound
		if c.shown {
			status = http.StatusOK
		}
		if got := b.send(nil, "GET", path+"/"+one.ID, nil).status; got != status {
			t.Errorf("%s: the status of the page is %d", name, got)
		}
		if got := b.get(path).says("Tip of the day"); got != c.shown {
			t.Errorf("%s: the list has the series: %t", name, got)
		}
		if page := b.send(nil, "GET", path+"/"+one.ID, nil); strings.Contains(string(page.body), "<form") {
			t.Errorf("%s: a share that views has forms", name)
		}
	}
	calendar := pathOf(f.share(nil, body{"kind": "calendar", "name": "Client"}))
	b.send(nil, "GET", calendar+"/"+one.ID, nil).want(http.StatusNotFound)
	own := pathOf(f.share(nil, body{"kind": "review", "name": "Dana", "can": "decide"}))
	if seen := b.get(own + "/" + one.ID); strings.Contains(string(seen.body), "<form") || !seen.says("somebody else has to decide") {
		t.Errorf("a share of the author: %s", seen.body)
	}
	theirs := f.do(as(f.other.key), "POST", "/series", body{"name": "theirs", "content": "x", "social_account_ids": []string{f.other.account}, "timezone": "UTC", "start": "2036-06-01T09:00", "rule": "FREQ=DAILY"}).want(http.StatusCreated).series().Series
	f.do(as(f.other.key), "POST", "/series/"+theirs.ID+"/submit", body{}).want(http.StatusOK)
	all := f.reviewer(body{"can": "decide"})
	b.send(nil, "GET", all+"/"+theirs.ID, nil).want(http.StatusNotFound)
	f.do(nil, "POST", "/series/"+one.ID+"/end", nil).want(http.StatusOK)
	if b.get(all).says("Tip of the day") {
		t.Error("the list has a series that has ended")
	}
}

// TestReviewPages guards that each of many proposals is on one page of the list, the last one
// asked for first.
func TestReviewPages(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var want []string
	for i := range 60 {
		want = append(want, f.proposed(body{"content": fmt.Sprintf("post %d", i)}).ID)
	}
	asked := time.Now().Add(-90 * time.Minute) // "1 hour ago", however long the test takes
	for i, id := range want {
		f.changeStored(id, func(p *schedctl.Post) {
			p.Approval.RequestedAt = schedctl.Millis(asked.Add(time.Duration(i) * time.Second))
		})
	}
	slices.Reverse(want)
	path := f.reviewer(body{})
	b := &browser{f: f}
	var got []string
	next, pages := path, 0
	for next != "" {
		page := b.get(next)
		links := attributes(page.document(), "a", "href")
		next = ""
		for _, link := range links {
			switch id := link[strings.LastIndex(link, "/")+1:]; {
			case strings.HasPrefix(id, "post_"):
				got = append(got, id)
			case link == fmt.Sprintf("?page=%d", pages+2):
				next = path + link
			}
		}
		pages++
	}
	if !slices.Equal(got, want) || pages != 3 {
		t.Errorf("%d pages have %d posts: %q", pages, len(got), got)
	}
	last := b.get(path + "?page=3")
	for _, number := range []string{"4", "99999"} {
		if page := b.get(path + "?page=" + number); string(page.body) != string(last.body) {
			t.Errorf("page %s is not the last one: %s", number, page.body)
		}
	}
	first := b.get(path)
	for _, number := range []string{"0", "-1", "x", "99999999999999999999", ""} {
		if page := b.get(path + "?page=" + number); string(page.body) != string(first.body) {
			t.Errorf("page %q is not the first one", number)
		}
	}
}

// TestCalendarShowsEveryPost guards that each post of a day is on one page of that day, and
// that the month leads there.
func TestCalendarShowsEveryPost(t *testing.T) {
	t.Parallel()
	onStores(t, func(t *testing.T, store storage.Store) {
		f := newFixtureOn(t, store)
		at := time.Date(2036, 12, 8, 0, 0, 0, 0, time.UTC)
		second := f.newAccount(f.mine, "second")
		want := map[string]bool{}
		for i := range 130 {
			p := f.create(body{"content": fmt.Sprintf("plan %d", i), "social_account_ids": []string{f.mine.account}, "publish_at": at.Add(time.Duration(i/2) * time.Minute)}) // in pairs at one time
			want[p.ID] = true
			if i%10 == 0 { // a proposal between the others
				draft := f.create(body{"content": fmt.Sprintf("idea %d", i), "social_account_ids": []string{f.mine.account}})
				f.do(nil, "POST", "/posts/"+draft.ID+"/submit", body{"proposed_at": at.Add(time.Duration(i/2) * time.Minute)}).want(http.StatusOK)
				want[draft.ID] = true
			}
		}
		f.create(body{"content": "other", "social_account_ids": []string{second}, "publish_at": at.Add(24 * time.Hour)})
		path := pathOf(f.share(nil, body{"kind": "calendar", "name": "Client"}))
		b := &browser{f: f}
		month := b.get(path + "?view=month&date=2036-12-01&account=" + f.mine.account)
		next := ""
		for _, link := range attributes(month.document(), "a", "href") {
			if strings.Contains(link, "view=day") && strings.Contains(link, "date=2036-12-08") {
				next = path + link
			}
		}
		if !month.says("and 140 more") || next == "" {
			t.Fatalf("the month has no link to the day: %s", month.body)
		}
		pages, seen := 0, map[string]bool{}
		for ; next != "" && pages < 10; pages++ {
			page := b.get(next)
			next = ""
			if n := len(page.body); n > 60<<10 {
				t.Errorf("a page of the day has %d bytes", n)
			}
			if pages > 0 != page.says("Start of the day") || page.says("other") || !page.says("Monday 8 December 2036") {
				t.Errorf("a page of the day: %s", page.body)
			}
			for _, link := range attributes(page.document(), "a", "href") {
				id := link[strings.LastIndex(link, "/")+1:]
				switch {
				case want[id] && seen[id]:
					t.Errorf("%s is on two pages", id)
				case strings.HasPrefix(id, "post_"):
					seen[id] = true
				case strings.Contains(link, "after="):
					next = path + link
				}
			}
		}
		if len(seen) != len(want) || pages != 3 {
			t.Errorf("%d pages show %d posts of %d", pages, len(seen), len(want))
		}
		if empty := b.get(path + "?view=day&date=2036-12-24"); !empty.says("No posts on this day.") {
			t.Errorf("an empty day: %s", empty.body)
		}
	})
}

// TestLimitedCalendarsHideAccounts guards that a calendar that is limited to accounts answers
// alike for an account outside of it and one that does not exist.
func TestLimitedCalendarsHideAccounts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	hidden := f.newAccount(f.mine, "hidden")
	f.create(body{"content": "plan", "social_account_ids": []string{hidden, f.mine.account}, "publish_at": "2036-12-08T09:00:00Z"})
	path := pathOf(f.share(nil, body{"kind": "calendar", "name": "Client", "filter": body{"social_account_ids": []string{f.mine.account}}}))
	b := &browser{f: f}
	unknown := schedctl.NewID(schedctl.AccountPrefix, time.Now())
	for _, names := range [][2]string{{hidden, unknown}, {"hidden", "absent"}} {
		page := func(name string) string {
			return strings.ReplaceAll(string(b.get(path+"?date=2036-12-01&account="+name).body), name, "NAME")
		}
		if got, want := page(names[0]), page(names[1]); got != want || !strings.Contains(got, "There is no account") {
			t.Errorf("an account outside of the calendar: %s\none that does not exist: %s", got, want)
		}
	}
	if page := b.get(path + "?date=2036-12-01&account=" + f.mine.account); !page.says("Only the account") || !page.says("plan") {
		t.Errorf("its own account: %s", page.body)
	}
}
