package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// series creates a series.
func (f *fixture) series(b body) apiv1.Series {
	f.t.Helper()
	return f.do(nil, "POST", "/series", b).want(http.StatusCreated).series().Series
}

func (r *response) series() apiv1.SeriesEnvelope {
	r.t.Helper()
	return decodeAs[apiv1.SeriesEnvelope](r.t, r)
}

// weekly is the body of a series on Thursdays in 2036, with changes. One of its posts is
// made ahead.
func (f *fixture) weekly(changes body) body {
	b := body{"name": "news", "content": "text", "social_account_ids": []string{f.mine.account}, "timezone": "Europe/Rome", "start": "2036-06-05T09:00", "rule": "FREQ=WEEKLY;BYDAY=TH"}
	for name, value := range changes {
		b[name] = value
	}
	return b
}

// occurrences returns the occurrences of a series from its start on, as "time state".
func (f *fixture) occurrences(id, query string) (list []string) {
	f.t.Helper()
	page := decodeAs[apiv1.OccurrenceList](f.t, f.do(nil, "GET", "/series/"+id+"/occurrences?"+query, nil).want(200))
	for _, o := range page.Results {
		list = append(list, o.Occurrence+" "+string(o.State))
	}
	return list
}

func (f *fixture) wantOccurrences(id, query string, want ...string) {
	f.t.Helper()
	if got := f.occurrences(id, query); !slices.Equal(got, want) {
		f.t.Errorf("occurrences %q, want %q", got, want)
	}
}

func TestCreateSeries(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		r := f.do(key("k"), "POST", "/series", f.weekly(nil)).want(201)
		s := r.series().Series
		if s.State != schedctl.SeriesActive || s.Version != 1 || s.AheadDays != 14 || s.NextAt.String() != "2036-06-05T07:00:00Z" || r.header.Get("Location") != "/api/v1/series/"+s.ID {
			t.Errorf("%+v, Location %s", s, r.header.Get("Location"))
		}
		posts := decodeAs[apiv1.PostList](t, f.do(nil, "GET", "/posts?series_id="+s.ID, nil).want(200)).Results
		if len(posts) != 1 || *posts[0].SeriesID != s.ID || *posts[0].Occurrence != "2036-06-05T09:00" || posts[0].Status != schedctl.Scheduled {
			t.Errorf("posts %+v", posts)
		}
		if got := f.events(posts[0].ID); got != "post.created post.scheduled post.queued" {
			t.Errorf("events %s", got)
		}
		replays(t, r, f.do(key("k"), "POST", "/series", f.weekly(nil)))
		f.do(nil, "POST", "/series", f.weekly(nil)).refused(schedctl.NameTaken)
	})
}

func TestCreateSeriesRefuses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.limit(f.mine.account, 10)
	for name, test := range map[string]struct {
		change body
		code   schedctl.Code
		field  string
	}{
		"a rule":                  {body{"rule": "FREQ=HOURLY"}, schedctl.ValidationFailed, "rule"},
		"COUNT with UNTIL":        {body{"rule": "FREQ=DAILY;COUNT=3;UNTIL=20360701"}, schedctl.ValidationFailed, "rule"},
		"no occurrence":           {body{"rule": "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"}, schedctl.ValidationFailed, "rule"},
		"a zone":                  {body{"timezone": "Europe/Nowhere"}, schedctl.ValidationFailed, "timezone"},
		"a start":                 {body{"start": "2036-06-05"}, schedctl.ValidationFailed, "start"},
		"ahead_days":              {body{"ahead_days": 61}, schedctl.ValidationFailed, "ahead_days"},
		"a queue":                 {body{"queue_id": "que_0"}, schedctl.ValidationFailed, "queue_id"},
		"no account":              {body{"social_account_ids": []string{}}, schedctl.InvalidSocialAccounts, "social_account_ids"},
		"an account of another":   {body{"social_account_ids": []string{f.other.account}}, schedctl.InvalidSocialAccounts, "social_account_ids"},
		"no text":                 {body{"content": ""}, schedctl.ValidationFailed, "content"},
		"a text that is too long": {body{"content": "eleven char"}, schedctl.ContentTooLong, "content"},
		"a variant that is too long": {
			body{"variants": []string{"short", "eleven char"}}, schedctl.ContentTooLong, "variants[1]",
		},
		"an exdate": {body{"exdates": []string{"tomorrow"}}, schedctl.ValidationFailed, "exdates[0]"},
	} {
		e := f.do(nil, "POST", "/series", f.weekly(test.change)).refused(test.code)
		if len(e.Details) == 0 || e.Details[0].Field != test.field {
			t.Errorf("%s: details %+v, want the field %s", name, e.Details, test.field)
		}
	}
	if list := decodeAs[apiv1.SeriesList](t, f.do(nil, "GET", "/series", nil).want(200)); list.Count != 0 {
		t.Errorf("%d series were stored", list.Count)
	}
}

func TestSeriesExternalIDIsUnique(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		managed := body{"collection": "site", "path": "a.md", "digest": "x"}
		first := f.series(f.weekly(body{"external_id": "a", "managed": managed}))
		r := f.do(nil, "POST", "/series", f.weekly(body{"name": "other", "external_id": "a"}))
		if e := r.refused(schedctl.ExternalIDExists); e.Details[0].Message != first.ID || r.header.Get("Location") != "/api/v1/series/"+first.ID {
			t.Errorf("%+v", e)
		}
		list := decodeAs[apiv1.SeriesList](t, f.do(nil, "GET", "/series?external_id=a", nil).want(200))
		if list.Count != 1 || list.Results[0].ID != first.ID || list.Results[0].Managed == nil {
			t.Errorf("%+v", list)
		}
		f.do(nil, "PATCH", "/series/"+first.ID, body{"external_id": "b"}).refused(schedctl.ValidationFailed)
		f.do(nil, "POST", "/series/"+first.ID+"/end", nil).want(200)
		if s := f.do(nil, "PATCH", "/series/"+first.ID, body{"managed": nil}).want(200).series().Series; s.Managed != nil || s.Version != 3 {
			t.Errorf("%+v", s)
		}
		f.do(nil, "PATCH", "/series/"+first.ID, body{"content": "new"}).refused(schedctl.SeriesIsOver)
	})
}

func TestEditSeriesAndItsPosts(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		s := f.series(f.weekly(nil))
		path := "/series/" + s.ID
		postID := schedctl.OccurrencePostID(s.ID, "2036-06-05T09:00")
		r := f.do(header("If-Match", `"1"`), "PATCH", path, body{"content": "new"}).want(200)
		if r.header.Get("ETag") != `"2"` || r.series().Series.Content != "new" {
			t.Errorf("%s %s", r.header.Get("ETag"), r.body)
		}
		f.do(header("If-Match", `"1"`), "PATCH", path, body{"content": "x"}).refused(schedctl.VersionMismatch)
		if same := f.do(nil, "PATCH", path, body{"content": "new"}).want(200).series(); same.Series.Version != 2 {
			t.Errorf("a request that changes nothing makes version %d", same.Series.Version)
		}
		// An empty comment and an empty poll remove those of the series.
		more := body{"first_comment": body{"content": "x"}, "poll": body{"options": []string{"a", "b"}, "expires_in_seconds": 3600}}
		f.do(nil, "PATCH", path, more).want(200)
		less := body{"first_comment": body{"content": "", "media": []string{}}, "poll": body{"options": []string{}}}
		if got := f.do(nil, "PATCH", path, less).want(200).series().Series; got.FirstComment != nil || got.Poll != nil {
			t.Errorf("%+v", got)
		}
		if p := f.do(nil, "GET", "/posts/"+postID, nil).want(200).post(); p.Content != "new" || p.Detached {
			t.Errorf("%+v", p)
		}
		if p := f.do(nil, "PATCH", "/posts/"+postID, body{"content": "alone"}).want(200).post(); !p.Detached {
			t.Error("an occurrence that is edited is not detached")
		}
		edited := f.do(nil, "PATCH", path, body{"content": "newer"}).want(200).series()
		if !slices.Equal(edited.Kept, []string{postID}) {
			t.Errorf("kept %v", edited.Kept)
		}
		next := f.do(nil, "PATCH", path+"?from=2036-06-12T09:00", body{"content": "later"}).want(200).series()
		if next.Previous == nil || next.Previous.ID != s.ID || *next.Series.PreviousID != s.ID || next.Series.Start != "2036-06-12T09:00" || next.Series.Content != "later" {
			t.Errorf("%+v", next)
		}
		f.do(nil, "PATCH", path+"?from=2036-06-13T09:00", body{"content": "x"}).refused(schedctl.ValidationFailed)
		f.do(nil, "PATCH", path+"?from=tomorrow", body{"content": "x"}).refused(schedctl.ValidationFailed)
	})
}

func TestSkipPauseResumeEnd(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		s := f.series(f.weekly(nil))
		path := "/series/" + s.ID
		const window = "after=2036-06-01T00:00:00Z&before=2036-06-20T00:00:00Z"
		f.wantOccurrences(s.ID, window, "2036-06-05T09:00 scheduled", "2036-06-12T09:00 planned", "2036-06-19T09:00 planned")
		f.do(nil, "POST", path+"/skip", body{"occurrence": "2036-06-05T09:00"}).want(200)
		f.wantOccurrences(s.ID, window, "2036-06-05T09:00 skipped", "2036-06-12T09:00 scheduled", "2036-06-19T09:00 planned")
		f.do(nil, "PATCH", path, body{"exdates": []string{}}).want(200)
		f.wantOccurrences(s.ID, window, "2036-06-05T09:00 scheduled", "2036-06-12T09:00 scheduled", "2036-06-19T09:00 planned")
		if paused := f.do(nil, "POST", path+"/pause", nil).want(200).series().Series; paused.State != schedctl.SeriesPaused || paused.NextAt != nil {
			t.Errorf("%+v", paused)
		}
		f.wantOccurrences(s.ID, window)
		f.do(nil, "POST", path+"/resume", nil).want(200)
		f.wantOccurrences(s.ID, window, "2036-06-05T09:00 scheduled", "2036-06-12T09:00 planned", "2036-06-19T09:00 planned")
		f.do(nil, "POST", path+"/end", nil).want(200)
		f.do(nil, "POST", path+"/resume", nil).refused(schedctl.SeriesIsOver)
		f.wantOccurrences(s.ID, window)
		f.do(nil, "DELETE", path, nil).want(204)
		f.do(nil, "GET", path, nil).refused(schedctl.NotFound)
	})
}

// A canceled or deleted occurrence is among the exdates of its series afterwards, so that
// it never comes back.
func TestCanceledOccurrenceBecomesExdate(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		s := f.series(f.weekly(body{"rule": "FREQ=DAILY"}))
		path := "/series/" + s.ID
		first := "/posts/" + schedctl.OccurrencePostID(s.ID, "2036-06-05T09:00")
		f.do(nil, "POST", first+"/cancel", nil).want(200)
		f.do(nil, "PATCH", path, body{"content": "new"}).want(200)
		second := "/posts/" + schedctl.OccurrencePostID(s.ID, "2036-06-06T09:00")
		f.do(nil, "POST", second+"/unschedule", nil).want(200)
		f.do(nil, "DELETE", second, nil).want(204)
		got := f.do(nil, "PATCH", path, body{"content": "newer"}).want(200).series().Series
		if !slices.Equal(got.Exdates, []string{"2036-06-05T09:00", "2036-06-06T09:00"}) {
			t.Errorf("exdates %v", got.Exdates)
		}
		f.wantOccurrences(s.ID, "after=2036-06-01T00:00:00Z&before=2036-06-08T00:00:00Z", "2036-06-05T09:00 canceled", "2036-06-06T09:00 skipped", "2036-06-07T09:00 scheduled")
	})
}

func TestOccurrencePages(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		s := f.series(f.weekly(body{"rule": "FREQ=DAILY;COUNT=25"}))
		path := "/series/" + s.ID + "/occurrences?limit=10"
		var all []string
		for cursor := ""; ; {
			page := decodeAs[apiv1.OccurrenceList](t, f.do(nil, "GET", path+cursor, nil).want(200))
			for _, o := range page.Results {
				all = append(all, o.Occurrence)
			}
			if page.NextCursor == nil {
				break
			}
			cursor = "&cursor=" + *page.NextCursor
		}
		if len(all) != 25 || !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != 25 {
			t.Errorf("%d occurrences: %v", len(all), all)
		}
		f.do(nil, "GET", path+"&cursor=x", nil).refused(schedctl.InvalidCursor)
		other := f.series(f.weekly(body{"name": "other"}))
		page := decodeAs[apiv1.OccurrenceList](t, f.do(nil, "GET", path, nil).want(200))
		f.do(nil, "GET", "/series/"+other.ID+"/occurrences?cursor="+*page.NextCursor, nil).refused(schedctl.InvalidCursor)
	})
}

// A post that was moved to another day, and is no occurrence of a new rule, is listed.
func TestOccurrencesOfOldRules(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		s := f.series(f.weekly(nil))
		f.do(nil, "PATCH", "/posts/"+schedctl.OccurrencePostID(s.ID, "2036-06-05T09:00"), body{"content": "alone"}).want(200)
		f.do(nil, "PATCH", "/series/"+s.ID, body{"rule": "FREQ=WEEKLY;BYDAY=FR"}).want(200)
		f.wantOccurrences(s.ID, "after=2036-06-01T00:00:00Z&before=2036-06-14T00:00:00Z", "2036-06-05T09:00 scheduled", "2036-06-06T09:00 planned", "2036-06-13T09:00 planned")
	})
}

func TestBlockedOccurrences(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		b := f.blackout(body{"from": "2036-06-05T00:00", "to": "2036-06-06T00:00", "timezone": "Europe/Rome", "mode": "avoid"})
		s := f.series(f.weekly(nil))
		const window = "after=2036-06-01T00:00:00Z&before=2036-06-14T00:00:00Z"
		f.wantOccurrences(s.ID, window, "2036-06-05T09:00 blocked", "2036-06-12T09:00 scheduled")
		f.do(nil, "DELETE", "/blackouts/"+b.ID, nil).want(204)
		f.wantOccurrences(s.ID, window, "2036-06-05T09:00 planned", "2036-06-12T09:00 scheduled")
	})
}

func TestLimitedKeysAndSeries(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		hidden := f.newAccount(f.mine, "hidden")
		own := f.series(f.weekly(nil))
		both := f.series(f.weekly(body{"name": "both", "external_id": "secret", "social_account_ids": []string{f.mine.account, hidden}}))
		limited := as(f.limitedKey(f.mine.account))
		list := decodeAs[apiv1.SeriesList](t, f.do(limited, "GET", "/series", nil).want(200))
		if list.Count != 1 || list.Results[0].ID != own.ID {
			t.Errorf("it sees %+v", list)
		}
		for _, path := range []string{"", "/occurrences"} {
			f.do(limited, "GET", "/series/"+both.ID+path, nil).refused(schedctl.NotFound)
		}
		f.do(limited, "POST", "/series/"+both.ID+"/end", nil).refused(schedctl.NotFound)
		f.do(limited, "PATCH", "/series/"+own.ID, body{"social_account_ids": []string{f.mine.account, hidden}}).refused(schedctl.AccountNotAllowed)
		r := f.do(limited, "POST", "/series", f.weekly(body{"name": "x", "external_id": "secret"}))
		r.refused(schedctl.ExternalIDExists)
		if strings.Contains(string(r.body), both.ID) || r.header.Get("Location") != "" {
			t.Errorf("it is shown a series of other accounts: %s", r.body)
		}
		f.do(limited, "POST", "/series/"+own.ID+"/pause", nil).want(200)
	})
}

func TestPreviewSeries(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.do(nil, "POST", "/series/preview", body{"timezone": "Europe/Rome", "start": "2036-03-29T02:30", "rule": "FREQ=DAILY", "exdates": []string{"2036-03-31T02:30"}}).want(200)
	p := decodeAs[apiv1.SeriesPreview](t, r)
	if len(p.Results) != 10 || p.Results[0].Occurrence != "2036-03-29T02:30" || p.Results[1].Note != schedctl.LocalSkipped || p.Results[1].At.String() != "2036-03-30T01:00:00Z" || p.Results[2].Occurrence != "2036-04-01T02:30" {
		t.Errorf("%s", r.body)
	}
}
