package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/publish/mastodon"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// readBy publishes a post with my account, and stores readings of it. Each has the age of the
// post, and its reactions.
func (f *fixture) readBy(text string, published time.Duration, readings ...[2]int64) apiv1.Post {
	f.t.Helper()
	p := f.create(body{"content": text, "social_account_ids": []string{f.mine.account}, "publish_at": "now"})
	f.finish(p.ID, schedctl.Result{Receipt: &schedctl.Receipt{ID: p.ID, URL: "https://posts.example/" + p.ID}})
	f.update(func(tx storage.Tx) error {
		post, err := tx.Post(f.mine.workspace, p.ID)
		if err != nil {
			return err
		}
		t := &post.Targets[0]
		t.Platform, t.PublishedAt = "mastodon", schedctl.Millis(time.Now().Add(-published))
		v := schedctl.Results{TargetID: t.ID, WorkspaceID: post.WorkspaceID, PostID: post.ID, AccountID: t.AccountID, PublishedAt: t.PublishedAt, NextAt: time.Now().Add(time.Hour)}
		log, err := tx.AccountResults(post.WorkspaceID, t.AccountID)
		if err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
			return err
		}
		log.WorkspaceID, log.AccountID = post.WorkspaceID, t.AccountID
		for _, r := range readings {
			v.Add(t.PublishedAt.Add(time.Duration(r[0])*time.Minute), schedctl.Metrics{Reactions: new(r[1])})
			log.Gain(&v, time.Now())
		}
		if err := tx.PutAccountResults(log); err != nil {
			return err
		}
		if err := tx.PutPost(post); err != nil {
			return err
		}
		return tx.PutResults(v)
	})
	return p
}

// TestAnalyticsHaveAllKeys checks the keys that the client of the original service needs, and
// which of them may be null.
func TestAnalyticsHaveAllKeys(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.readBy("One\n two", time.Hour, [2]int64{15, 10}, [2]int64{60, 12})
	f.readBy("no reading", time.Minute)
	var ws map[string]any
	if err := json.Unmarshal(f.do(nil, "GET", "/analytics/workspace", nil).want(200).body, &ws); err != nil {
		t.Fatal(err)
	}
	row := map[string]string{
		"post_id": "string", "post_target_id": "string", "platform": "string", "account_label": "string", "preview": "string", "platform_url": "string?", "published_at": "string?",
		"analytics_status": "string", "status_label": "string", "last_refresh_at": "string?", "next_refresh_at": "string?", "views": "float64?", "clicks": "float64?",
		"engagements": "float64?", "engagement_rate": "float64?", "trend": "float64?",
	}
	wantKeys(t, "row", ws["posts"].([]any)[0], row)
	wantKeys(t, "top post", ws["top_post"], row)
	wantKeys(t, "workspace", ws["workspace"], map[string]string{"id": "string", "timezone": "string"})
	for _, name := range []string{"views", "clicks", "engagements"} {
		for _, window := range []string{"hour", "day"} {
			gain := ws["metrics"].(map[string]any)[name+"_last_"+window]
			wantKeys(t, name, gain, map[string]string{"value": "float64", "previous_value": "float64?"})
		}
	}
	days := ws["sparkline"].([]any)
	if len(days) != 14 || ws["count"] != 2.0 || ws["limit"] != 20.0 || ws["offset"] != 0.0 {
		t.Errorf("%d days, count %v, limit %v, offset %v", len(days), ws["count"], ws["limit"], ws["offset"])
	}
	sum := 0.0
	for _, day := range days {
		sum += day.(map[string]any)["value"].(float64)
	}
	if sum != 12 {
		t.Errorf("the days gained %v engagements, want 12", sum)
	}
	var post map[string]any
	if err := json.Unmarshal(f.do(nil, "GET", "/analytics/post/"+p.ID, nil).want(200).body, &post); err != nil {
		t.Fatal(err)
	}
	wantKeys(t, "post", post["post"], map[string]string{"id": "string", "title": "string?", "preview": "string", "status": "string", "published_targets": "float64"})
	wantKeys(t, "totals", post["totals"], map[string]string{"views": "float64", "clicks": "float64", "engagements": "float64", "engagement_rate": "float64?"})
	wantKeys(t, "target", post["targets"].([]any)[0], map[string]string{"social_account_id": "string", "platform_post_id": "string?", "analytics_status": "string", "views": "float64?"})
	if preview := post["post"].(map[string]any)["preview"]; preview != "One two" {
		t.Errorf("preview %q", preview)
	}
	draft := f.create(body{"content": "draft", "social_account_ids": []string{f.mine.account}})
	none := decodeAs[apiv1.AnalyticsPost](t, f.do(nil, "GET", "/analytics/post/"+draft.ID, nil).want(200))
	if none.Targets == nil || len(none.Targets) > 0 {
		t.Errorf("targets of a draft: %v", none.Targets)
	}
}

// wantKeys checks the types of the values of an object. A type with "?" may be null.
func wantKeys(t *testing.T, what string, object any, keys map[string]string) {
	t.Helper()
	values, _ := object.(map[string]any)
	for name, want := range keys {
		value, has := values[name]
		got := fmt.Sprintf("%T", value)
		if !has || got != want && (got+"?" != want) && (value != nil || want[len(want)-1] != '?') {
			t.Errorf("%s: %s is %v (%s), want %s", what, name, value, got, want)
		}
	}
}

// newReadFixture returns a fixture whose daemon can read results of mastodon.
func newReadFixture(t *testing.T) *fixture {
	t.Helper()
	return newFixtureOn(t, storagetest.NewMemory(), func(c *api.Config) {
		c.Publishers = maps.Clone(c.Publishers)
		c.Publishers["mastodon"] = mastodon.New(nil, "test")
	})
}

// TestPostResults checks that a number that is not given is null, and each status.
func TestPostResults(t *testing.T) {
	t.Parallel()
	f := newReadFixture(t)
	p := f.readBy("read", time.Hour, [2]int64{15, 10}, [2]int64{60, 12})
	found := decodeAs[apiv1.PostResults](t, f.do(nil, "GET", "/posts/"+p.ID+"/results", nil).want(200))
	target := found.Targets[0]
	if target.Status != apiv1.ResultsReady || target.Reason != nil || target.Metrics.Views != nil || *target.Metrics.Reactions != 12 || *target.Engagements != 12 || target.EngagementRate != nil ||
		len(target.Points) != 2 || target.Points[0].AgeSeconds != 900 || found.Totals.Views != nil || *found.Totals.Engagements != 12 || found.Totals.Known.Engagements != 1 {
		t.Errorf("%+v", found)
	}
	for want, change := range map[string]func(*schedctl.Results, *schedctl.Account){
		"unavailable removed":             func(v *schedctl.Results, _ *schedctl.Account) { v.RemovedAt = time.Now() },
		"unavailable missing_scope":       func(v *schedctl.Results, _ *schedctl.Account) { v.Reason = schedctl.ResultsMissingScope },
		"reconnect_required disconnected": func(_ *schedctl.Results, a *schedctl.Account) { a.Status = schedctl.AccountError },
		"unavailable off":                 func(_ *schedctl.Results, a *schedctl.Account) { a.Options = schedctl.Options{"results": "off"} },
		"reconnect_required missing_scope": func(v *schedctl.Results, a *schedctl.Account) {
			v.Reason, a.Options = schedctl.ResultsMissingScope, schedctl.Options{"results": "on"}
		},
		"delayed budget": func(v *schedctl.Results, _ *schedctl.Account) {
			v.Reason, v.PublishedAt, v.ReadAt, v.NextAt = schedctl.ResultsBudget, time.Now().Add(-10*time.Hour), time.Now().Add(-7*time.Hour), time.Now().Add(48*time.Hour)
		},
		"failed refused":      func(v *schedctl.Results, _ *schedctl.Account) { v.Reason = schedctl.ResultsRefused },
		"collecting pending":  func(v *schedctl.Results, _ *schedctl.Account) { v.ReadAt = time.Time{} },
		"unavailable too_old": func(v *schedctl.Results, _ *schedctl.Account) { v.ReadAt, v.NextAt = time.Time{}, time.Time{} },
		"delayed rate_limited": func(v *schedctl.Results, _ *schedctl.Account) {
			v.Reason, v.PublishedAt, v.ReadAt = schedctl.ResultsRateLimited, time.Now().Add(-10*time.Hour), time.Now().Add(-7*time.Hour)
		},
		"ready complete": func(v *schedctl.Results, _ *schedctl.Account) { v.NextAt = time.Time{} },
	} {
		f := newReadFixture(t)
		p := f.readBy("read", 50*time.Minute, [2]int64{15, 10})
		f.update(func(tx storage.Tx) error {
			list, err := tx.Results(f.mine.workspace, []string{p.Targets[0].ID})
			if err != nil {
				return err
			}
			a, err := tx.Account(f.mine.workspace, f.mine.account)
			if err != nil {
				return err
			}
			a.Platform = "mastodon"
			change(&list[0], &a)
			if err := tx.PutAccount(a); err != nil {
				return err
			}
			return tx.PutResults(list[0])
		})
		found := decodeAs[apiv1.PostResults](t, f.do(nil, "GET", "/posts/"+p.ID+"/results", nil).want(200))
		got := string(found.Targets[0].Status) + " " + string(*found.Targets[0].Reason)
		if got != want || found.Targets[0].StatusLabel == "" {
			t.Errorf("%s (%s), want %s", got, found.Targets[0].StatusLabel, want)
		}
	}
}

// TestAnalyticsOfALimitedKey checks that a key that is limited to accounts sees nothing of others,
// and that pages follow each other.
func TestAnalyticsOfALimitedKey(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	spare := f.newAccount(f.mine, "spare")
	var ids []string
	for i := range 5 {
		ids = append(ids, f.readBy(fmt.Sprint(i), time.Duration(10-i)*time.Hour, [2]int64{60, int64(i)}).ID)
	}
	slices.Reverse(ids)
	var got []string
	for offset := 0; offset < 5; offset += 2 {
		list := decodeAs[apiv1.AnalyticsWorkspace](t, f.do(nil, "GET", fmt.Sprintf("/analytics/workspace?limit=2&offset=%d", offset), nil).want(200))
		for _, row := range list.Posts {
			got = append(got, row.PostID)
		}
	}
	if !slices.Equal(got, ids) {
		t.Errorf("posts %v, want %v", got, ids)
	}
	limited := f.limitedKey(spare)
	list := decodeAs[apiv1.AnalyticsWorkspace](t, f.do(as(limited), "GET", "/analytics/workspace", nil).want(200))
	if len(list.Posts) > 0 || list.TopPost != nil || list.Metrics.EngagementsLastDay.Value != 0 {
		t.Errorf("a key without posts sees %+v", list)
	}
}

// TestDocumentOfTheOriginalService checks the address at which the client of the original
// service looks for the document.
func TestDocumentOfTheOriginalService(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if r := f.exchange(header("Authorization", ""), "GET", "/api/docs/openapi", nil).want(200); !json.Valid(r.body) {
		t.Errorf("not a document: %.100s", r.body)
	}
}
