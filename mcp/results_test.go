package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage"
)

// counting is a network whose posts have results. Nothing may read it.
type counting struct {
	*publishtest.Fake
	t *testing.T
}

func (counting) ResultsRules(schedctl.Account) publish.ResultsRules {
	return publish.ResultsRules{Batch: 20, Scope: "read:statuses"}
}

func (n counting) Results(context.Context, publish.ResultsRequest) (publish.ResultsReading, error) {
	n.t.Error("a tool read a network")
	return publish.ResultsReading{}, nil
}

// newResultsFixture returns a fixture with the network mastodon next to the fake one, which
// has no results.
func newResultsFixture(t *testing.T) *fixture {
	t.Helper()
	return newFixture(t, func(c *api.Config) {
		c.Publishers = publish.NewRegistry(publishtest.NewFake("fake"), counting{publishtest.NewFake("mastodon"), t})
	})
}

// published stores a post that some accounts published some time ago, half a minute more, and
// its results. Each reading changes the results of the account with its index; nil leaves them
// without a reading.
func (f *fixture) published(text string, ago time.Duration, accounts []string, readings ...func(*schedctl.Results)) string {
	f.t.Helper()
	now := schedctl.Millis(time.Now())
	at := now.Add(-ago - 30*time.Second)
	p := schedctl.Post{ID: schedctl.NewID(schedctl.PostPrefix, now), WorkspaceID: f.workspace, PublishAt: at, CreatedAt: at, UpdatedAt: now, Version: 1}
	p.Content.Text = text
	for _, id := range accounts {
		p.Targets = append(p.Targets, schedctl.Target{ID: schedctl.NewID(schedctl.TargetPrefix, now), AccountID: id, Status: schedctl.Published, PublishedAt: at})
	}
	f.update(func(tx storage.Tx) error {
		for i := range p.Targets {
			target := &p.Targets[i]
			a, err := tx.Account(f.workspace, target.AccountID)
			if err != nil {
				return err
			}
			target.Platform = a.Platform
			v := schedctl.Results{TargetID: target.ID, WorkspaceID: f.workspace, PostID: p.ID, AccountID: a.ID, PublishedAt: at, NextAt: now.Add(time.Hour)}
			if i < len(readings) && readings[i] != nil {
				readings[i](&v)
			}
			if err := tx.PutResults(v); err != nil {
				return err
			}
		}
		return tx.PutPost(p)
	})
	return p.ID
}

// onMastodon stores an account with results.
func (f *fixture) onMastodon(name string) (id string) {
	f.t.Helper()
	id = f.connect(name, schedctl.AccountConnected)
	f.update(func(tx storage.Tx) error {
		a, err := tx.Account(f.workspace, id)
		if err != nil {
			return err
		}
		a.Platform = "mastodon"
		return tx.PutAccount(a)
	})
	return id
}

// read is a reading half a minute ago.
func read(m schedctl.Metrics) func(*schedctl.Results) {
	return func(v *schedctl.Results) { v.Add(schedctl.Millis(time.Now().Add(-30*time.Second)), m) }
}

// removed is a reading, and that the network has not had the post for three hours.
func removed(m schedctl.Metrics) func(*schedctl.Results) {
	return func(v *schedctl.Results) {
		read(m)(v)
		v.RemovedAt, v.NextAt = schedctl.Millis(time.Now().Add(-3*time.Hour-time.Minute)), time.Time{}
	}
}

func TestResultsSayWhatIsNotGiven(t *testing.T) {
	t.Parallel()
	const none, silent = "not given", ": not given" + " by mastodon"
	f := newResultsFixture(t)
	agent := f.agent()
	if a := f.call(agent, "results", nil); a.Result.Content[0].Text != "Results of 0 posts." {
		t.Errorf("%+v", a.Result)
	}
	social := f.onMastodon("social")
	all := schedctl.Metrics{Views: new(int64(1000)), Reactions: new(int64(31)), Replies: new(int64(4)), Reposts: new(int64(0)), Clicks: new(int64(17))}
	some := schedctl.Metrics{Reactions: new(int64(0)), Replies: new(int64(2))}
	gone := f.published("gone", 3*24*time.Hour, []string{social}, removed(some))
	ids := []string{
		f.published("some", 50*time.Minute, []string{social}, read(some)),
		f.published("waits", 10*time.Minute, []string{social, f.account}),
	}
	a := f.call(agent, "results", nil)
	want := map[string]any{
		"columns": []any{"account", "age", "read", "views", "reactions", "replies", "reposts", "clicks", "engagements", "rate", "note"},
		"results": []any{
			map[string]any{"id": ids[1], "text": "waits", "rows": []any{
				[]any{"social", "10m", "no numbers: The post has not been read yet."}, []any{"blog", "10m", "no numbers: schedctl reads no numbers from this network."},
			}},
			map[string]any{"id": ids[0], "text": "some", "rows": []any{[]any{"social", "50m", "0m ago", none, 0.0, 2.0, none, none, 2.0, none}}},
			map[string]any{"id": gone, "text": "gone", "rows": []any{[]any{"social", "3d", "0m ago", none, 0.0, 2.0, none, none, 2.0, none, "removed: missing for 3h"}}},
		},
		"not_given": []any{"views" + silent, "reposts" + silent, "clicks" + silent, "rate" + silent},
	}
	got := a.object(t)
	rows := got["results"].([]any)[0].(map[string]any)["rows"].([]any) // of one time: in the order of their ids
	if len(rows) == 2 && rows[0].([]any)[0] == "blog" {
		rows[0], rows[1] = rows[1], rows[0]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	text := a.Result.Content[0].Text
	for _, part := range []string{ids[0] + ` "some"` + "\n" + `"social", 50m, 0m ago, ` + strings.Join([]string{none, "0", "2", none, none, "2", none}, ", "), "views" + silent, "removed: missing for 3h"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in %q", part, text)
		}
	}

	late := f.published("late", 20*time.Hour, []string{social}, func(v *schedctl.Results) {
		v.Add(schedctl.Millis(time.Now().Add(-15*time.Hour-time.Minute)), some)
		v.Reason = schedctl.ResultsRateLimited
	})
	if text := f.call(agent, "results", map[string]any{"id": late}).Result.Content[0].Text; !strings.Contains(text, `"social", 20h, 15h ago, `+none+", 0, 2,") || !strings.Contains(text, none+", delayed: rate limited") {
		t.Errorf("%q", text)
	}

	full := f.published("all\u2028of \"it\"", time.Minute, []string{social}, read(all))
	a = f.call(agent, "results", map[string]any{"id": full})
	row := a.object(t)["results"].([]any)[0].(map[string]any)["rows"].([]any)[0]
	if diff := cmp.Diff([]any{"social", "1m", "0m ago", 1000.0, 31.0, 4.0, 0.0, 17.0, 35.0, 0.035}, row); diff != "" || a.object(t)["not_given"] != nil {
		t.Errorf("%s%+v", diff, a.object(t))
	}
	if text := a.Result.Content[0].Text; !strings.Contains(text, full+` "all of \"it\""`+"\n") {
		t.Errorf("%q", text)
	}
	// Another post has them now, so that only cells say what is missing.
	if a := f.call(agent, "results", map[string]any{"limit": 50}).object(t); a["not_given"] != nil || a["more"] != nil || len(a["results"].([]any)) != 5 {
		t.Errorf("%+v", a)
	}
}

func TestResultsOfOnePostAndLimits(t *testing.T) {
	t.Parallel()
	f := newResultsFixture(t)
	agent := f.agent()
	draft := f.call(agent, "create_draft", map[string]any{"content": "x"}).post(t).Post.ID
	if a := f.call(agent, "results", map[string]any{"id": draft}); !strings.Contains(a.Result.Content[0].Text, draft+" is draft: no account that you see has published it.") {
		t.Errorf("%+v", a.Result)
	}
	social, other := f.onMastodon("social"), f.onMastodon("other")
	both := f.published("both", time.Hour, []string{social, other}, read(schedctl.Metrics{Reactions: new(int64(1))}), read(schedctl.Metrics{Reactions: new(int64(2))}))
	alone := f.published("alone", 2*time.Hour, []string{other}, read(schedctl.Metrics{Reactions: new(int64(3))}))
	secret, hash := schedctl.NewKeySecret()
	now := schedctl.Millis(time.Now())
	f.update(func(tx storage.Tx) error {
		return tx.PutKey(schedctl.APIKey{
			ID: schedctl.NewID(schedctl.KeyPrefix, now), WorkspaceID: f.workspace, Name: "limited", Hash: hash, Scopes: []schedctl.Scope{schedctl.ScopePostsRead},
			AccountIDs: []string{social}, Agent: true, CreatedAt: now, ExpiresAt: now.Add(time.Hour),
		})
	})
	own := f.published("own", 5*time.Hour, []string{social}, read(schedctl.Metrics{Reactions: new(int64(5))}))
	for _, arguments := range []map[string]any{nil, {"id": own}} {
		a := f.call(secret, "results", arguments)
		if list := a.object(t)["results"].([]any); len(list) != 1 || list[0].(map[string]any)["id"] != own || !strings.Contains(a.Result.Content[0].Text, `"social", 5h`) {
			t.Errorf("%v: %+v", arguments, list)
		}
	}
	for _, id := range []string{both, alone} {
		if code := f.call(secret, "results", map[string]any{"id": id}).code(t); code != "NOT_FOUND" {
			t.Errorf("a post of another account: %q", code)
		}
	}
	if list := f.call(agent, "results", map[string]any{"id": both}).object(t)["results"].([]any); len(list) != 1 || len(list[0].(map[string]any)["rows"].([]any)) != 2 {
		t.Errorf("%+v", list)
	}
	if a := f.call(agent, "results", map[string]any{"limit": 2}).object(t); a["more"] != true || len(a["results"].([]any)) != 1 {
		t.Errorf("%+v", a)
	}
	if text := f.call(agent, "results", map[string]any{"limit": 51}).message(t); !strings.Contains(text, "limit") {
		t.Error(text)
	}
	if text := f.call(f.key(schedctl.ScopePostsDraft), "results", nil).message(t); !strings.Contains(text, "posts:read") {
		t.Error(text)
	}
}

// TestResultsOfAWindow checks windows, orders and groups.
func TestResultsOfAWindow(t *testing.T) {
	t.Parallel()
	f := newResultsFixture(t)
	agent, social := f.agent(), f.onMastodon("social")
	var ids []string
	for i, n := range []int64{3, 9, 1} {
		ids = append(ids, f.published(fmt.Sprint("post ", i), time.Duration(i*10+1)*24*time.Hour, []string{social}, read(schedctl.Metrics{Reactions: new(n), Views: new(10 * n)})))
	}
	for arguments, want := range map[string][]string{
		`{"sort":"engagements"}`: {ids[1], ids[0], ids[2]}, `{"sort":"rate","days":15}`: {ids[0], ids[1]}, `{"days":5}`: {ids[0]}, `{"sort":"views","limit":1}`: {ids[1]},
	} {
		var in map[string]any
		f.ok(json.Unmarshal([]byte(arguments), &in))
		var got []string
		for _, view := range f.call(agent, "results", in).object(t)["results"].([]any) {
			got = append(got, view.(map[string]any)["id"].(string))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", arguments, diff)
		}
	}
	a := f.call(agent, "results", map[string]any{"by": "account", "days": 15})
	want := []any{[]any{"social", 2.0, 2.0, 6.0, 12.0, 60.0, 120.0, 0.1, "few posts: says little"}}
	if diff := cmp.Diff(want, a.object(t)["rows"]); diff != "" || !strings.Contains(a.Result.Content[0].Text, "\n\"social\", 2, 2, 6, 12, 60, 120, 0.1, few posts") {
		t.Errorf("%s%+v", diff, a.Result)
	}
	if a := f.call(agent, "results", map[string]any{"by": "label"}); !strings.Contains(a.Result.Content[0].Text, "\n\"none\", 3, 3, 3, 13, 30, 130, 0.1") {
		t.Errorf("%+v", a.Result)
	}
	for _, arguments := range []map[string]any{{"id": ids[0], "by": "hour"}, {"days": 367}, {"by": "moon"}, {"sort": "moon"}} {
		f.call(agent, "results", arguments).message(t)
	}
}

// manyResults stores posts with all numbers, and one of many accounts.
func (f *fixture) manyResults() (one string) {
	f.t.Helper()
	var accounts []string
	var readings []func(*schedctl.Results)
	for i := range 20 {
		accounts = append(accounts, f.onMastodon(fmt.Sprintf("mastodon %d", i)))
		n := int64(100 + i)
		readings = append(readings, read(schedctl.Metrics{Views: new(57 * n), Reactions: new(4 * n), Replies: new(n), Reposts: new(2 * n), Clicks: new(3 * n)}))
	}
	for i := range 50 {
		f.published(f.longPost(i).Content, time.Duration(i+1)*time.Hour, accounts[i%20:i%20+1], readings[i%20])
	}
	return f.published(f.longPost(0).Content, time.Hour, accounts, readings...)
}
