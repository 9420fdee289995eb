package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// series is what tests need of a series.
type series struct {
	ID, Name, Content, State, Rule, Start, Timezone, Approval string
	Version                                                   int64
}

func (a answer) series(t *testing.T) series {
	t.Helper()
	if a.Result.IsError || a.Error != nil {
		t.Fatalf("%+v", a.Result.Content)
	}
	var out struct{ Series series }
	if err := json.Unmarshal(a.Result.StructuredContent, &out); err != nil || out.Series.ID == "" {
		t.Fatalf("%v: %s", err, a.Result.StructuredContent)
	}
	return out.Series
}

// weekly are the arguments of a series, with changes.
func weekly(changes map[string]any) map[string]any {
	out := map[string]any{"name": "news", "content": "text", "social_account_ids": []string{"blog"}, "repeat": "weekly on tue,thu at 9:00 from 2090-01-01"}
	for name, v := range changes {
		out[name] = v
	}
	return out
}

// posts returns the number of posts of a series.
func (f *fixture) postsOf(id string) (n int) {
	f.t.Helper()
	for _, err := range f.client(f.publisher()).EachPost(f.t.Context(), client.PostQuery{SeriesID: id}) {
		f.ok(err)
		n++
	}
	return n
}

func TestSeriesInWords(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.inZone("Europe/Rome")
	key := f.publisher()
	a := f.call(key, "create_series", weekly(map[string]any{"options": map[string]any{"variants": []string{"a", "b"}, "ahead_days": 3, "queue_id": nil}}))
	s := a.series(t)
	if s.Rule != "FREQ=WEEKLY;BYDAY=TU,TH" || s.Start != "2090-01-03T09:00" || s.Timezone != "Europe/Rome" || s.Approval != "needs an approval, not submitted" {
		t.Errorf("%+v", s)
	}
	if text := a.Result.Content[0].Text; !strings.Contains(text, `"news"`) || !strings.Contains(text, "Tue 3 Jan 2090 09:00 CET") || !strings.Contains(text, "call submit_series") {
		t.Error(text)
	}
	if again := f.call(key, "create_series", weekly(map[string]any{"options": map[string]any{"variants": []string{"a", "b"}, "ahead_days": 3, "queue_id": nil}})); again.series(t) != s || again.object(t)["replayed"] != true {
		t.Errorf("%+v", again.Result)
	}
	other := f.call(key, "create_series", weekly(map[string]any{"name": "ny", "repeat": "FREQ=MONTHLY;BYDAY=1MO at 8:00 from 2090-01-01", "timezone": "America/New_York"})).series(t)
	if other.Timezone != "America/New_York" || other.Start != "2090-01-01T08:00" && other.Start != "2090-01-02T08:00" {
		t.Errorf("%+v", other)
	}
	// The words of an edit are in the zone of the series.
	moved := f.call(key, "edit_series", map[string]any{"id": "NY", "version": other.Version, "repeat": "daily at 7:00 from 2090-02-01", "options": map[string]any{"labels": []string{"x"}}}).series(t)
	if moved.Timezone != "America/New_York" || moved.Start != "2090-02-01T07:00" || moved.Rule != "FREQ=DAILY" || moved.Content != "text" {
		t.Errorf("%+v", moved)
	}
	from := f.call(key, "edit_series", map[string]any{"id": other.ID, "version": moved.Version, "occurrence": "2090-02-03T07:00", "content": "later"})
	if next := from.series(t); next.ID == other.ID || next.Start != "2090-02-03T07:00" || next.Content != "later" {
		t.Errorf("%+v", next)
	}
	for want, a := range map[string]answer{
		`repeat cannot be \"soonish\"`:   f.call(key, "create_series", weekly(map[string]any{"name": "x", "repeat": "soonish"})),
		"call list_series":               f.call(key, "edit_series", map[string]any{"id": s.ID, "version": 99, "content": "x"}),
		`no series \"nope\"; existing: `: f.call(key, "submit_series", map[string]any{"id": "nope", "version": 1}),
		`no queue \"daily\"`:             f.call(key, "create_series", weekly(map[string]any{"name": "x", "options": map[string]any{"queue_id": "daily"}})),
		`has no option \"external_id\"`:  f.call(key, "create_series", weekly(map[string]any{"options": map[string]any{"external_id": "x"}})),
		"NAME_TAKEN":                     f.call(key, "create_series", weekly(map[string]any{"content": "another"})),
		"note needs submit":              f.call(key, "create_series", weekly(map[string]any{"note": "please"})),
		"posts:write":                    f.call(f.agent(), "create_series", weekly(nil)),
	} {
		if text := a.message(t); !strings.Contains(text, want) || strings.Contains(text, "get_post") {
			t.Errorf("%q is not in %s", want, text)
		}
	}
}

// TestSeriesNulls: null is accepted where a description says so, and means removed.
func TestSeriesNulls(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := f.publisher()
	s := f.call(key, "create_series", weekly(map[string]any{"submit": nil, "note": nil, "media": nil, "options": map[string]any{
		"content_warning": "w", "first_comment": map[string]any{"content": "c"}, "language": "en", "labels": []string{"l"}, "poll": nil,
	}})).series(t)
	s = f.call(key, "edit_series", map[string]any{"id": s.ID, "version": s.Version, "content": nil, "repeat": nil, "options": map[string]any{
		"content_warning": nil, "first_comment": nil, "language": nil, "queue_id": nil, "thread": nil,
	}}).series(t)
	after, err := f.client(key).Series(t.Context(), s.ID)
	f.ok(err)
	if after.Content != "text" || after.ContentWarning != nil || after.FirstComment != nil || after.Language != nil || len(after.Labels) != 1 {
		t.Errorf("%+v", after)
	}
}

// TestDeletedSeries: a repeated call whose series was deleted creates it again, once.
func TestDeletedSeries(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := f.publisher()
	first := f.call(key, "create_series", weekly(nil)).series(t)
	f.ok(f.client(key).DeleteSeries(t.Context(), first.ID))
	second := f.call(key, "create_series", weekly(nil))
	third := f.call(key, "create_series", weekly(nil))
	if second.series(t).ID == first.ID || second.object(t)["recreated"] != true || third.series(t) != second.series(t) || third.object(t)["replayed"] != true {
		t.Errorf("%+v, %s, %s", first, second.Result.StructuredContent, third.Result.StructuredContent)
	}
}

// TestSeriesOfAgentsWait: with and without a policy, no series of an agent makes a post
// before a person approved it as it is.
func TestSeriesOfAgentsWait(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key, soon := f.publisher(), "daily at 9:00"
	approver := f.client(f.key(schedctl.ScopePostsRead, schedctl.ScopePostsApprove))
	wantPosts := func(what, id string, want bool) {
		t.Helper()
		if n := f.postsOf(id); (n > 0) != want {
			t.Errorf("%s: %d posts", what, n)
		}
	}
	s := f.call(key, "create_series", weekly(map[string]any{"repeat": soon})).series(t)
	wantPosts("created", s.ID, false)
	s = f.call(key, "edit_series", map[string]any{"id": "news", "version": s.Version, "content": "edited"}).series(t)
	wantPosts("edited", s.ID, false)
	s = f.call(key, "submit_series", map[string]any{"id": "news", "version": s.Version, "note": "please"}).series(t)
	wantPosts("submitted", s.ID, false)
	if s.Approval != "pending" {
		t.Errorf("%+v", s)
	}
	if code := f.call(key, "submit_series", map[string]any{"id": "news", "version": s.Version}).code(t); code != string(schedctl.ApprovalNotPending) {
		t.Errorf("submitted twice: %s", code)
	}
	if _, err := f.client(key).ApproveSeries(t.Context(), s.ID, apiv1.ApproveSeries{}, client.IfVersion(s.Version)); err == nil {
		t.Error("an agent approved a series")
	}
	// An approval of an older version is refused.
	edited := f.call(key, "edit_series", map[string]any{"id": "news", "version": s.Version, "content": "raced"}).series(t)
	if _, err := approver.ApproveSeries(t.Context(), s.ID, apiv1.ApproveSeries{}, client.IfVersion(s.Version)); schedctl.CodeOf(err) != schedctl.VersionMismatch {
		t.Errorf("approved what nobody saw: %v", err)
	}
	wantPosts("raced", s.ID, false)
	done, err := approver.ApproveSeries(t.Context(), s.ID, apiv1.ApproveSeries{}, client.IfVersion(edited.Version))
	f.ok(err)
	wantPosts("approved", s.ID, true)
	// Approved, an agent changes no times, and another text waits again.
	for _, change := range []map[string]any{{"repeat": "daily at 10:00"}, {"timezone": "Europe/Rome"}, {"options": map[string]any{"exdates": []string{"2090-01-01T09:00"}}}, {"options": map[string]any{"ahead_days": 1}}} {
		change["id"], change["version"] = s.ID, done.Series.Version
		if text := f.call(key, "edit_series", change).message(t); !strings.Contains(text, "APPROVAL_REQUIRED") || !strings.Contains(text, "a person") {
			t.Errorf("%v: %s", change, text)
		}
	}
	after := f.call(key, "edit_series", map[string]any{"id": s.ID, "version": done.Series.Version, "content": "sneaked in"}).series(t)
	if after.Approval != "pending" {
		t.Errorf("%+v", after)
	}
	for p, err := range f.client(key).EachPost(t.Context(), client.PostQuery{SeriesID: s.ID}) {
		if f.ok(err); p.Status == schedctl.Scheduled && p.Content != "raced" {
			t.Errorf("scheduled without an approval: %+v", p)
		}
	}
	// The series of others are read only.
	theirs := f.call(f.publisher(), "create_series", weekly(map[string]any{"name": "theirs"})).series(t)
	if code := f.call(key, "edit_series", map[string]any{"id": theirs.ID, "version": 1, "content": "x"}).code(t); code != string(schedctl.KeyNotAllowed) {
		t.Errorf("the series of another key: %s", code)
	}
}

// TestSubmitWithSeries: one call creates a series and submits it, also when an earlier one
// ended between both.
func TestSubmitWithSeries(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := f.publisher()
	arguments := weekly(map[string]any{"submit": true, "note": "please"})
	s := f.call(key, "create_series", arguments).series(t)
	if again := f.call(key, "create_series", arguments); s.Approval != "pending" || again.series(t) != s || again.object(t)["replayed"] != true {
		t.Errorf("%+v, %+v", s, again.Result)
	}
	one, err := f.client(key).Series(t.Context(), s.ID)
	f.ok(err)
	if fmt.Sprint(*one.Approval.Note) != "please" {
		t.Errorf("%+v", one.Approval)
	}
}

// TestSeriesRaces: of an edit and an approval of the same version, one is refused, and posts
// have only the text that was approved.
func TestSeriesRaces(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := f.publisher()
	approver := f.client(f.key(schedctl.ScopePostsRead, schedctl.ScopePostsApprove))
	for i := range 20 {
		name := fmt.Sprint("race ", i)
		s := f.call(key, "create_series", weekly(map[string]any{"name": name, "content": name, "repeat": "daily at 9:00", "submit": true})).series(t)
		var running sync.WaitGroup
		var approval error
		var edit answer
		running.Go(func() {
			_, approval = approver.ApproveSeries(t.Context(), s.ID, apiv1.ApproveSeries{}, client.IfVersion(s.Version))
		})
		running.Go(func() {
			edit = f.call(key, "edit_series", map[string]any{"id": s.ID, "version": s.Version, "content": "not approved"})
		})
		running.Wait()
		if (approval == nil) == (edit.code(t) == "") {
			t.Errorf("approval %v, edit %+v", approval, edit.Result)
		}
		for p, err := range f.client(key).EachPost(t.Context(), client.PostQuery{SeriesID: s.ID}) {
			if f.ok(err); p.Content != name {
				t.Errorf("a post without an approval: %+v", p)
			}
		}
	}
}
