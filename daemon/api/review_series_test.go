package api_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// seriesBy creates a series with a key.
func (w *reviewing) seriesBy(o option, name string) apiv1.Series {
	w.t.Helper()
	return w.do(o, "POST", "/series", body{
		"name": name, "content": "every day", "variants": []string{"one", "two"}, "social_account_ids": []string{w.mine.account},
		"timezone": "UTC", "start": "2036-06-01T09:00", "rule": "FREQ=DAILY;COUNT=5",
	}).want(201).series().Series
}

// occurrences returns the posts of a series, and fails the test unless each is approved or
// none is.
func (w *reviewing) occurrences(id string, approved bool) (posts []apiv1.Post) {
	w.t.Helper()
	posts = decodeAs[apiv1.PostList](w.t, w.do(nil, "GET", "/posts?sort=publish_at&series_id="+id, nil).want(200)).Results
	for _, p := range posts {
		err := w.store.View(w.t.Context(), func(r storage.Reader) error {
			stored, err := r.Post(w.mine.workspace, p.ID)
			if err == nil && stored.Approved() != approved {
				w.t.Errorf("the occurrence %s is approved: %t", p.Content, stored.Approved())
			}
			return err
		})
		if err != nil {
			w.t.Error(err)
		}
	}
	return posts
}

func TestReviewOfASeries(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		w.policy("all")
		one := w.seriesBy(w.author, "daily")
		path := "/series/" + one.ID
		if one.Approval != nil || len(w.occurrences(one.ID, false)) > 0 {
			t.Errorf("a series without an approval has posts: %+v", one)
		}
		step := func(o option, verb string, b body, want schedctl.ApprovalState) apiv1.Series {
			t.Helper()
			next := w.do(o, "POST", path+"/"+verb, orNone(b)).want(200).series().Series
			if next.Approval == nil || next.Approval.State != want || next.Version != one.Version+1 {
				t.Errorf("after %s: version %d after %d, approval %+v", verb, next.Version, one.Version, next.Approval)
			}
			one = next
			return next
		}
		w.do(w.approver, "POST", path+"/approve", nil).refused(schedctl.ApprovalNotPending)
		w.do(w.author, "POST", path+"/withdraw", nil).refused(schedctl.ApprovalNotPending)
		step(w.author, "submit", body{"note": "please"}, schedctl.ApprovalPending)
		w.do(w.author, "POST", path+"/submit", nil).refused(schedctl.ApprovalNotPending)
		w.do(w.author, "POST", path+"/approve", nil).refused(schedctl.InsufficientScope)
		w.do(w.approver, "POST", path+"/request-changes", body{"note": ""}).refused(schedctl.ValidationFailed)
		step(w.approver, "request-changes", body{"note": "no"}, schedctl.ApprovalChangesRequested)
		step(w.author, "withdraw", nil, schedctl.ApprovalWithdrawn)
		step(w.author, "submit", nil, schedctl.ApprovalPending)
		w.do(all(w.approver, header("If-Match", `"1"`)), "POST", path+"/approve", nil).refused(schedctl.VersionMismatch)
		if n := len(w.occurrences(one.ID, false)); n > 0 {
			t.Errorf("a pending series has %d posts", n)
		}
		step(w.approver, "approve", nil, schedctl.ApprovalApproved)
		made := w.occurrences(one.ID, true)
		if len(made) == 0 || made[0].Content != "one" || made[0].Status != schedctl.Scheduled {
			t.Fatalf("an approved series has the posts %+v", made)
		}
		if e := w.auditPage("?limit=1").Results[0]; e.Action != "approveSeries" || e.Detail == nil || *e.Detail != "requested by "+w.keyOf(w.secrets["author"]).ID {
			t.Errorf("audit entry %+v", e)
		}

		// Times do not ask again, and texts and the rule do.
		w.do(w.author, "PATCH", path, body{"ahead_days": 20, "name": "every day"}).want(200)
		if n := len(w.occurrences(one.ID, true)); n == 0 {
			t.Error("another number of days removes the posts")
		}
		for _, change := range []body{{"variants": []string{"uno", "due"}}, {"rule": "FREQ=DAILY;COUNT=6"}, {"target_overrides": []body{override(w.mine.account, "own", nil)}}} {
			got := w.do(w.author, "PATCH", path, change).want(200).series().Series
			if got.Approval.State != schedctl.ApprovalPending || len(w.occurrences(one.ID, false)) > 0 {
				t.Errorf("after %v the approval is %s, with %d posts", change, got.Approval.State, len(w.occurrences(one.ID, false)))
			}
			w.do(w.approver, "POST", path+"/approve", nil).want(200)
			if len(w.occurrences(one.ID, true)) == 0 {
				t.Errorf("after %v and an approval there are no posts", change)
			}
		}
		kept := w.do(w.editor, "PATCH", path, body{"variants": []string{"by another approver"}}).want(200).series().Series
		if kept.Approval.State != schedctl.ApprovalApproved || kept.Approval.DecidedBy.Name != "editor" {
			t.Errorf("an edit of another approver gives %+v", kept.Approval)
		}
		if p := w.occurrences(one.ID, true); len(p) == 0 || p[0].Content != "own" && p[0].Content != "by another approver" {
			t.Errorf("the posts are %+v", p)
		}
		w.do(w.author, "POST", path+"/end", nil).want(200)
		w.do(w.author, "POST", path+"/submit", nil).refused(schedctl.SeriesIsOver)
	})
}

// TestSeriesKeepsTheLastRequest guards that the reason of a request for changes stays after the
// series was submitted again, until its approval, and that its posts do not have it.
func TestSeriesKeepsTheLastRequest(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		one := w.seriesBy(w.author, "daily")
		step := func(by option, verb string, b any, want string) {
			t.Helper()
			w.do(by, "POST", "/series/"+one.ID+"/"+verb, b).want(200)
			a := w.do(nil, "GET", "/series/"+one.ID, nil).want(200).series().Series.Approval
			got := ""
			if a.LastChanges != nil {
				got = a.LastChanges.By.Name + ": " + a.LastChanges.Reason
			}
			if got != want {
				t.Errorf("after %s, the last request is %q, want %q", verb, got, want)
			}
		}
		step(w.author, "submit", nil, "")
		step(w.approver, "request-changes", body{"note": "shorter"}, "approver: shorter")
		step(w.author, "submit", body{"note": "done"}, "approver: shorter")
		w.do(w.author, "PATCH", "/series/"+one.ID, body{"ahead_days": 20}).want(200)
		for _, p := range w.occurrences(one.ID, false) {
			if p.Approval != nil {
				t.Errorf("a post of the series has the approval %+v", p.Approval)
			}
		}
		step(w.author, "withdraw", nil, "approver: shorter")
		step(w.author, "submit", nil, "approver: shorter")
		step(w.approver, "approve", body{"note": "good"}, "")
		step(w.approver, "request-changes", body{"note": "wait"}, "approver: wait")
	})
}

func TestSeriesOfAgents(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		w.policy("agents")
		byPerson := w.seriesBy(w.author, "by a person")
		if len(w.occurrences(byPerson.ID, false)) == 0 {
			t.Error("the series of a person makes no posts")
		}
		byAgent := w.seriesBy(w.agent, "by an agent")
		if n := len(w.occurrences(byAgent.ID, false)); n > 0 {
			t.Errorf("the series of an agent has %d posts", n)
		}
		path := "/series/" + byAgent.ID
		w.do(w.author, "PATCH", path, body{"name": "renamed", "variants": []string{"by a person"}}).want(200)
		if n := len(w.occurrences(byAgent.ID, false)); n > 0 {
			t.Errorf("the edited series of an agent has %d posts", n)
		}
		w.do(w.agent, "POST", path+"/submit", nil).want(200)
		w.do(w.approver, "POST", path+"/approve", nil).want(200)
		if len(w.occurrences(byAgent.ID, true)) == 0 {
			t.Error("the approved series has no posts")
		}

		// An agent changes and resumes only its own series.
		w.do(w.author, "POST", "/series/"+byPerson.ID+"/pause", nil).want(200)
		w.do(w.agent, "POST", "/series/"+byPerson.ID+"/resume", nil).refused(schedctl.KeyNotAllowed)
		if n := len(w.occurrences(byPerson.ID, false)); n > 0 {
			t.Errorf("an agent resumed %d posts", n)
		}

		// Without a policy too, the series of an agent waits for its approval.
		w.policy("off")
		alone := w.seriesBy(w.agent, "by an agent alone")
		if got := alone.Waits(); alone.NextAt != nil || got != "needs an approval, not submitted" {
			t.Errorf("the series of an agent waits for %q, and its next post is at %v", got, alone.NextAt)
		}
		w.do(w.agent, "POST", "/series/"+alone.ID+"/pause", nil).want(200)
		w.do(w.agent, "POST", "/series/"+alone.ID+"/resume", nil).want(200)
		if n := len(w.occurrences(alone.ID, false)); n > 0 {
			t.Errorf("the series of an agent without an approval has %d posts", n)
		}
		w.do(w.agent, "POST", "/series/"+alone.ID+"/submit", nil).want(200)
		w.do(w.approver, "POST", "/series/"+alone.ID+"/approve", nil).want(200)
		if len(w.occurrences(alone.ID, true)) == 0 {
			t.Error("the approved series has no posts")
		}

		// A policy that comes later, and an approval after it.
		early := w.seriesBy(w.author, "early")
		w.oldPolicy(schedctl.ApprovalsAll)
		w.do(w.author, "POST", "/series/"+early.ID+"/submit", nil).want(200)
		w.do(w.approver, "POST", "/series/"+early.ID+"/approve", nil).want(200)
		if len(w.occurrences(early.ID, true)) == 0 {
			t.Error("the approved series has lost its posts")
		}
		from := w.occurrences(early.ID, true)[0].Occurrence
		next := w.do(w.author, "PATCH", "/series/"+early.ID+"?from=2036-06-03T09:00", body{"content": "later"}).want(200).series()
		if next.Series.Approval == nil || next.Series.Approval.State != schedctl.ApprovalPending || len(w.occurrences(next.Series.ID, false)) > 0 {
			t.Errorf("the continued series: %+v", next.Series.Approval)
		}
		if left := w.occurrences(early.ID, true); len(left) == 0 || *left[0].Occurrence != *from {
			t.Errorf("the posts before the edit: %+v", left)
		}
	})
}

func TestListSeriesByApproval(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		w.policy("all")
		list := func(query string) apiv1.SeriesList {
			t.Helper()
			return decodeAs[apiv1.SeriesList](t, w.do(w.approver, "GET", "/series?"+query, nil).want(200))
		}
		want := func(query string, names ...string) {
			t.Helper()
			got := []string{}
			for _, s := range list(query).Results {
				got = append(got, s.Name)
			}
			if diff := cmp.Diff(append([]string{}, names...), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", query, diff)
			}
		}
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			one := w.seriesBy(w.author, name)
			if name != "e" {
				w.do(w.author, "POST", "/series/"+one.ID+"/submit", nil).want(200)
			}
			switch name {
			case "b":
				w.do(w.approver, "POST", "/series/"+one.ID+"/request-changes", body{"note": "no"}).want(200)
			case "d":
				w.do(w.approver, "POST", "/series/"+one.ID+"/approve", nil).want(200)
			}
		}
		want("approval=pending", "c", "a")
		want("approval=approved", "d")
		want("approval=changes_requested", "b")
		want("approval=withdrawn")
		want("external_id=none&approval=pending")
		w.do(w.approver, "GET", "/series?approval=maybe", nil).refused(schedctl.ValidationFailed)

		first := list("approval=pending&limit=1")
		if first.Count != 1 || first.NextCursor == nil {
			t.Fatalf("the first page is %+v", first)
		}
		second := list("approval=pending&limit=1&cursor=" + *first.NextCursor)
		if second.Count != 1 || second.Results[0].Name != "a" || second.NextCursor != nil {
			t.Errorf("the second page is %+v", second)
		}
	})
}
