package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/icalendar/icaltest"
)

// calendarFeed creates a calendar feed.
func (f *fixture) calendarFeed(o option, b body) apiv1.CalendarFeedAddress {
	f.t.Helper()
	return decodeAs[apiv1.CalendarFeedAddress](f.t, f.do(o, "POST", "/calendar-feeds", b).want(http.StatusCreated))
}

// readCalendar reads the address of a calendar feed without a login.
func (f *fixture) readCalendar(address string, options ...option) *response {
	f.t.Helper()
	_, path, _ := strings.Cut(strings.TrimPrefix(address, "http://"), "/")
	anonymous := func(r *http.Request) { r.Header.Del("Authorization") }
	return f.exchange(all(append([]option{anonymous}, options...)...), "GET", "/"+path, nil)
}

// TestCalendarFeedOpensInICalJS reads a feed with the parser of calendar programs, which
// shows the posts at the right local times of two zones, on both sides of a clock change.
func TestCalendarFeedOpensInICalJS(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	post := func(at, text string) apiv1.Post {
		return f.create(body{"content": text, "social_account_ids": []string{f.mine.account}, "publish_at": at})
	}
	summer := post("2036-07-01T07:00:00Z", "Zeile eins, mit Komma; und\nzwei \\ 😀")
	winter := post("2036-12-01T08:00:00Z", strings.Repeat("long words ", 20))
	canceled := post("2036-12-02T08:00:00Z", "canceled")
	f.do(nil, "POST", "/posts/"+canceled.ID+"/cancel", nil).want(200)
	forgotten := post("2036-12-03T08:00:00Z", "forgotten")
	f.do(nil, "POST", "/posts/"+forgotten.ID+"/cancel", nil).want(200)
	f.changeStored(forgotten.ID, func(p *schedctl.Post) { p.CanceledAt = p.CanceledAt.AddDate(0, 0, -31) })
	failed := post("2036-12-04T08:00:00Z", "not published")
	f.changeStored(failed.ID, func(p *schedctl.Post) { p.Targets[0].Status = schedctl.Failed })
	f.draft()
	got := icaltest.Read(t, string(f.readCalendar(f.calendarFeed(nil, body{"name": "phone"}).URL).want(200).body))
	event := func(p apiv1.Post, summary, status, berlin, newYork string) icaltest.Event {
		return icaltest.Event{
			UID: p.ID, Summary: summary, Description: p.Content + "\n\n" + map[string]string{"CANCELLED": "canceled", "CONFIRMED": "scheduled", "TENTATIVE": "failed"}[status] + ": " + p.ID,
			Sequence: int(p.Version), Status: status, At: p.PublishAt.Time, Berlin: berlin, NewYork: newYork,
		}
	}
	want := icaltest.Calendar{Name: "phone", RefreshSeconds: 900, TTL: "PT15M", Events: []icaltest.Event{
		event(summer, "Zeile eins, mit Komma; und", "CONFIRMED", "2036-07-01 09:00", "2036-07-01 03:00"),
		event(winter, strings.TrimSpace(strings.Repeat("long words ", 5))+" long…", "CONFIRMED", "2036-12-01 09:00", "2036-12-01 03:00"),
		event(canceled, "canceled", "CANCELLED", "2036-12-02 09:00", "2036-12-02 03:00"),
		event(failed, "Failed: not published", "TENTATIVE", "2036-12-04 09:00", "2036-12-04 03:00"),
	}}
	want.Events[2].Sequence++
	want.Events[3].Sequence++
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestCalendarFeedIsConditional guards the ETag, and the headers of the response.
func TestCalendarFeedIsConditional(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	feed := f.calendarFeed(nil, body{"name": "phone"})
	first := f.readCalendar(feed.URL).want(200)
	for name, want := range map[string]string{
		"Content-Type": "text/calendar; charset=utf-8", "Cache-Control": "private, no-cache", "X-Content-Type-Options": "nosniff",
		"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex",
	} {
		if got := first.header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if csp := first.header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") {
		t.Errorf("the policy is %q", csp)
	}
	same := header("If-None-Match", first.header.Get("ETag"))
	if r := f.readCalendar(feed.URL, same).want(304); len(r.body) > 0 {
		t.Errorf("304 with %q", r.body)
	}
	f.scheduled()
	if r := f.readCalendar(feed.URL, same).want(200); r.header.Get("ETag") == first.header.Get("ETag") {
		t.Error("another calendar has the same ETag")
	}
}

// TestCalendarFeedEnds guards that an address is not found after it was revoked, and after
// the end of its key, and that all such addresses look alike.
func TestCalendarFeedEnds(t *testing.T) {
	t.Parallel()
	onEveryEngineInBubble(t, func(t *testing.T, f *fixture) {
		revoked := f.calendarFeed(nil, body{"name": "revoked"})
		f.do(nil, "DELETE", "/calendar-feeds/"+revoked.CalendarFeed.ID, nil).want(204)
		secret := f.newKey(f.mine.workspace, func(*schedctl.APIKey) {})
		ended := f.calendarFeed(as(secret), body{"name": "ended"})
		f.readCalendar(ended.URL).want(200)
		f.do(nil, "DELETE", "/api-keys/"+f.keyOf(secret).ID, nil).want(204)
		expired := f.calendarFeed(as(f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.ExpiresAt = schedctl.Millis(time.Now().Add(time.Second)) })), body{"name": "expired"})
		time.Sleep(time.Until(expired.CalendarFeed.ExpiresAt.Time))
		running := f.calendarFeed(nil, body{"name": "running"})
		for what, address := range map[string]string{
			"revoked": revoked.URL, "of a revoked key": ended.URL, "expired": expired.URL, "mistyped": mistyped(running.URL),
			"without its extension": strings.TrimSuffix(running.URL, ".ics"),
		} {
			if e := f.readCalendar(address).refused(schedctl.NotFound); !strings.Contains(e.Message, "revoked") {
				t.Errorf("%s: %s", what, e.Message)
			}
		}
		f.readCalendar(running.URL).want(200)
		list := decodeAs[apiv1.CalendarFeedList](t, f.do(nil, "GET", "/calendar-feeds", nil).want(200))
		if list.Count != 1 || list.Results[0].ID != running.CalendarFeed.ID {
			t.Errorf("listed: %+v", list.Results)
		}
		if strings.Contains(f.logs.String(), "sctlcal_") {
			t.Error("the log has a token")
		}
		f.calendarFeed(nil, body{"name": "ended"}) // its name is free again
	})
}

// mistyped returns the address of a calendar feed with another last character in its token.
func mistyped(address string) string {
	token, _ := strings.CutSuffix(address, ".ics")
	last := "0"
	if strings.HasSuffix(token, last) {
		last = "1"
	}
	return token[:len(token)-1] + last + ".ics"
}

// TestCalendarFeedLimits guards names, the number of feeds, scopes and the limit of
// requests for addresses that do not exist.
func TestCalendarFeedLimits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for n := range schedctl.MaxCalendarFeeds {
		f.calendarFeed(nil, body{"name": fmt.Sprint("feed ", n)})
	}
	f.do(nil, "POST", "/calendar-feeds", body{"name": "feed 1"}).refused(schedctl.NameTaken)
	f.do(nil, "POST", "/calendar-feeds", body{"name": "another"}).refused(schedctl.ValidationFailed)
	f.do(nil, "POST", "/calendar-feeds", body{"name": ""}).refused(schedctl.ValidationFailed)
	f.do(as(f.scoped(schedctl.ScopePostsWrite)), "POST", "/calendar-feeds", body{"name": "x"}).refused(schedctl.InsufficientScope)
	f.do(as(f.scoped(schedctl.ScopePostsRead)), "POST", "/calendar-feeds", body{"name": "x"}).refused(schedctl.InsufficientScope)
	var last *response
	for range 30 {
		last = f.readCalendar("http://x/calendar/guess.ics")
	}
	last.refused(schedctl.RateLimited)
}

// TestCalendarFeedOfALimitedKey guards that a feed shows what its key may see.
func TestCalendarFeedOfALimitedKey(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	other := f.newAccount(f.mine, "second")
	post := func(text string, ids ...string) string {
		return f.create(body{"content": text, "social_account_ids": ids, "publish_at": in(time.Hour)}).ID
	}
	mine, both, theirs := post("mine", f.mine.account), post("both", f.mine.account, other), post("theirs", other)
	limited := as(f.limitedKey(f.mine.account))
	shows := func(address apiv1.CalendarFeedAddress, want ...string) {
		t.Helper()
		text := string(f.readCalendar(address.URL).want(200).body)
		for _, id := range []string{mine, both, theirs} {
			wanted := false
			for _, w := range want {
				wanted = wanted || w == id
			}
			if strings.Contains(text, id) != wanted {
				t.Errorf("feed %s: post %s is shown: %v", address.CalendarFeed.Name, id, !wanted)
			}
		}
	}
	own := f.calendarFeed(limited, body{"name": "limited"})
	shows(own, mine)
	some := f.calendarFeed(nil, body{"name": "some", "social_account_ids": []string{f.mine.account}})
	shows(some, mine, both)
	shows(f.calendarFeed(nil, body{"name": "all"}), mine, both, theirs)
	titles := f.calendarFeed(nil, body{"name": "titles", "titles_only": true})
	long := post(strings.Repeat("long ", 50)+"secret", other)
	if text := string(f.readCalendar(titles.URL).want(200).body); strings.Contains(text, "secret") || !strings.Contains(text, long) {
		t.Error(text)
	}
	post("Headline\nand the rest", other)
	if text := string(f.readCalendar(titles.URL).want(200).body); !strings.Contains(text, "SUMMARY:Headline\r\n") || strings.Contains(text, "rest") {
		t.Error(text)
	}
	f.do(limited, "POST", "/calendar-feeds", body{"name": "x", "social_account_ids": []string{other}}).refused(schedctl.AccountNotAllowed)
	list := decodeAs[apiv1.CalendarFeedList](t, f.do(limited, "GET", "/calendar-feeds", nil).want(200))
	if list.Count != 2 || list.Results[0].ID != own.CalendarFeed.ID || list.Results[1].ID != some.CalendarFeed.ID {
		t.Errorf("a limited key sees %+v", list.Results)
	}
}
