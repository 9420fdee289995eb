package api_test

import (
	"context"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// measured is a network that reports results, of which no request reads any.
type measured struct{ *network }

func (measured) ResultsRules(schedctl.Account) publish.ResultsRules {
	return publish.ResultsRules{Batch: 20, Price: 1000}
}

func (measured) Results(context.Context, publish.ResultsRequest) (publish.ResultsReading, error) {
	panic("a request read results")
}

// onCounted publishes a post on the network measured.
func (f *fixture) onCounted(text string) apiv1.Post {
	f.t.Helper()
	p := f.readBy(text, time.Hour, [2]int64{15, 1})
	f.changePost(p, func(_ *schedctl.Post, t *schedctl.Target) { t.Platform = "http" })
	f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Platform = "http" })
	return p
}

// onNetwork makes the account of the fixture one of mastodon, which reports results.
func (f *fixture) onNetwork() *fixture {
	f.t.Helper()
	f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Platform = "mastodon" })
	return f
}

// storedResults returns the results of the only target of a post.
func (f *fixture) storedResults(p apiv1.Post) (v schedctl.Results) {
	f.t.Helper()
	f.update(func(tx storage.Tx) error {
		list, err := tx.Results(f.mine.workspace, []string{p.Targets[0].ID})
		if err == nil && len(list) > 0 {
			v = list[0]
		}
		return err
	})
	return v
}

// TestRefreshResults checks that a post is read at once, but an account once a minute.
func TestRefreshResults(t *testing.T) {
	t.Parallel()
	f := newReadFixture(t).onNetwork()
	p, other := f.readBy("one", 40*24*time.Hour, [2]int64{60, 5}), f.readBy("two", time.Hour)
	f.changeResults(p, func(v *schedctl.Results) { v.NextAt, v.RemovedAt = time.Time{}, time.Now() })
	path := "/posts/" + p.ID + "/results/refresh"
	done := decodeAs[apiv1.ResultsRefresh](t, f.do(nil, "POST", path, body{"target_ids": []string{p.Targets[0].ID}}).want(202))
	if len(done.TargetIDs) != 1 || done.TargetIDs[0] != p.Targets[0].ID || done.CostUSDAtMost != 0 {
		t.Errorf("%+v", done)
	}
	if v := f.storedResults(p); v.NextAt.IsZero() || v.NextAt.After(time.Now().Add(time.Second)) || v.RemovedAt.IsZero() {
		t.Errorf("stored %+v", v)
	}
	f.do(nil, "POST", path, nil).refused(schedctl.RateLimited)
	f.do(nil, "POST", "/posts/"+other.ID+"/results/refresh", nil).refused(schedctl.RateLimited)
	f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.ResultsAskedAt = a.ResultsAskedAt.Add(-2 * time.Minute) })
	f.do(nil, "POST", "/posts/"+other.ID+"/results/refresh", nil).want(202)
	audit := decodeAs[apiv1.AuditList](t, f.do(nil, "GET", "/audit?action=refreshResults", nil).want(200))
	if len(audit.Results) != 2 || *audit.Results[1].ResourceID != p.ID {
		t.Errorf("audit %+v", audit.Results)
	}
}

// TestRefreshResultsSaysWhatItCosts checks the price of a network that charges.
func TestRefreshResultsSaysWhatItCosts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.onCounted("one")
	if done := decodeAs[apiv1.ResultsRefresh](t, f.do(nil, "POST", "/posts/"+p.ID+"/results/refresh", nil).want(202)); done.CostUSDAtMost != 0.001 {
		t.Errorf("%+v", done)
	}
}

// TestRefreshResultsRefusals checks what cannot be read.
func TestRefreshResultsRefusals(t *testing.T) {
	t.Parallel()
	f := newReadFixture(t)
	draft := f.create(body{"content": "draft", "social_account_ids": []string{f.mine.account}})
	silent := f.readBy("no results", time.Hour)
	f.changePost(silent, func(_ *schedctl.Post, t *schedctl.Target) { t.Platform = "fake" })
	for _, id := range []string{draft.ID, silent.ID} {
		f.do(nil, "POST", "/posts/"+id+"/results/refresh", nil).refused(schedctl.ResultsUnavailable)
	}
	f.do(nil, "POST", "/posts/"+silent.ID+"/results/refresh", body{"target_ids": []string{draft.Targets[0].ID}}).refused(schedctl.NotFound)
	for _, bad := range []any{body{"target_ids": []string{"x"}}, body{"target_ids": []string{}}, body{"x": 1}} {
		f.do(nil, "POST", "/posts/"+silent.ID+"/results/refresh", bad).refused(schedctl.ValidationFailed)
	}
}

// TestReportResults checks that reported numbers count where the network gives none.
func TestReportResults(t *testing.T) {
	t.Parallel()
	f := newReadFixture(t).onNetwork()
	p := f.readBy("one", time.Hour, [2]int64{15, 5})
	path := "/posts/" + p.ID + "/results"
	report := func(metrics body) body { return body{"target_id": p.Targets[0].ID, "metrics": metrics} }
	f.do(nil, "PUT", path, report(body{"clicks": 30, "reactions": 9})).want(200)
	found := decodeAs[apiv1.PostResults](t, f.do(nil, "PUT", path, report(body{"clicks": 31})).want(200)).Targets[0]
	if *found.Metrics.Clicks != 31 || *found.Metrics.Reactions != 5 || found.Reported == nil || *found.Reported.Metrics.Reactions != 9 || found.Metrics.Views != nil {
		t.Errorf("%+v %+v", found.Metrics, found.Reported)
	}
	row := decodeAs[apiv1.ResultsList](t, f.do(nil, "GET", "/results", nil).want(200)).Results[0]
	if *row.Clicks != 31 {
		t.Errorf("%+v", row)
	}
	for field, bad := range map[string]body{
		"metrics": report(body{}), "metrics.clicks": report(body{"clicks": -1}), "target_id": {"target_id": "x", "metrics": body{"clicks": 1}},
		"at": {"target_id": p.Targets[0].ID, "metrics": body{"clicks": 1}, "at": "2090-01-01T00:00:00Z"}, "metrics.likes": report(body{"likes": 1}),
	} {
		e := f.do(nil, "PUT", path, bad).refused(schedctl.ValidationFailed)
		if len(e.Details) != 1 || e.Details[0].Field != field {
			t.Errorf("%s: %+v", field, e.Details)
		}
	}
	draft := f.create(body{"content": "draft", "social_account_ids": []string{f.mine.account}})
	f.do(nil, "PUT", path, body{"target_id": draft.Targets[0].ID, "metrics": body{"clicks": 1}}).refused(schedctl.NotFound)
	f.do(nil, "PUT", "/posts/"+draft.ID+"/results", body{"target_id": draft.Targets[0].ID, "metrics": body{"clicks": 1}}).refused(schedctl.ResultsUnavailable)
	fresh := f.readBy("unread", time.Hour)
	f.do(nil, "PUT", "/posts/"+fresh.ID+"/results", body{"target_id": fresh.Targets[0].ID, "metrics": body{"views": 0}, "at": "2026-01-01T00:00:00Z"}).want(200)
	if v := f.storedResults(fresh); *v.Reported.Views != 0 || v.NextAt.IsZero() || v.ReportedAt.Year() != 2026 {
		t.Errorf("%+v", v)
	}
}
