package api_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// changePost changes the stored post and its only target.
func (f *fixture) changePost(p apiv1.Post, change func(*schedctl.Post, *schedctl.Target)) {
	f.t.Helper()
	f.update(func(tx storage.Tx) error {
		post, err := tx.Post(f.mine.workspace, p.ID)
		if err != nil {
			return err
		}
		change(&post, &post.Targets[0])
		return tx.PutPost(post)
	})
}

// TestResultsSummary checks the groups, sums and medians of each grouping.
func TestResultsSummary(t *testing.T) {
	t.Parallel()
	f := newReadFixture(t)
	f.update(func(tx storage.Tx) error {
		ws, err := tx.Workspace(f.mine.workspace)
		ws.Timezone = "Asia/Kolkata"
		if err != nil {
			return err
		}
		return tx.PutWorkspace(ws)
	})
	first := time.Date(2026, 6, 1, 20, 0, 0, 0, time.UTC) // Tuesday, 1:30 in Kolkata
	queue, series := schedctl.NewID(schedctl.QueuePrefix, first), schedctl.NewID(schedctl.SeriesPrefix, first)
	for i, n := range []int64{3, 9, 100, 1, 6, 50} {
		p := f.readBy(fmt.Sprint(i), time.Hour, [2]int64{60, n})
		at := first.Add(time.Duration(i%2) * 24 * time.Hour)
		f.changePost(p, func(p *schedctl.Post, t *schedctl.Target) {
			if t.PublishedAt = at; i == 0 {
				p.Labels, p.QueueID = []string{"a", "b"}, queue
			}
			if i == 1 {
				p.SeriesID, p.Occurrence, p.Labels = series, "2026-06-01T08:30", []string{"a"}
			}
		})
		f.changeResults(p, func(v *schedctl.Results) {
			if v.PublishedAt = at; i == 5 {
				v.RemovedAt = at
			}
			if i < 2 {
				v.Latest.Views = new(10 * n)
			}
		})
	}
	type group struct {
		Key            any
		Posts          int
		Few            bool
		Sum, Median    float64
		Views, Viewing any // the median, and how many targets give it
	}
	const window = "&after=2026-05-01T00:00:00Z&before=2026-07-01T00:00:00Z"
	for by, want := range map[string][]group{
		"account":           {{f.mine.account, 5, false, 119, 6, 60.0, 2.0}},
		"platform":          {{"mastodon", 5, false, 119, 6, 60.0, 2.0}},
		"label":             {{nil, 3, true, 107, 6, nil, 0.0}, {"a", 2, true, 12, 6, 60.0, 2.0}, {"b", 1, true, 3, 3, 30.0, 1.0}},
		"series":            {{series, 1, true, 9, 9, 90.0, 1.0}, {nil, 4, true, 110, 4.5, 30.0, 1.0}},
		"queue":             {{nil, 4, true, 116, 7.5, 90.0, 1.0}, {queue, 1, true, 3, 3, 30.0, 1.0}},
		"weekday":           {{"tuesday", 3, true, 109, 6, 30.0, 1.0}, {"wednesday", 2, true, 10, 5, 90.0, 1.0}},
		"hour":              {{"01", 5, false, 119, 6, 60.0, 2.0}},
		"media":             {{"none", 5, false, 119, 6, 60.0, 2.0}},
		"platform&label=b":  {{"mastodon", 1, true, 3, 3, 30.0, 1.0}},
		"platform&label=no": {},
	} {
		var found map[string]any
		if err := json.Unmarshal(f.do(nil, "GET", "/results/summary?by="+by+window, nil).want(200).body, &found); err != nil {
			t.Fatal(err)
		}
		got := []group{}
		for _, g := range found["groups"].([]any) {
			g := g.(map[string]any)
			e, v := g["engagements"].(map[string]any), g["views"].(map[string]any)
			got = append(got, group{g["key"], int(g["posts"].(float64)), g["few"].(bool), e["sum"].(float64), e["median"].(float64), v["median"], v["known"]})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("by %s (-want +got):\n%s", by, diff)
		}
	}
	for _, path := range []string{"", "?by=moon" + window, "?by=hour", "?by=hour&after=2020-01-01T00:00:00Z", "?by=hour&removed=true" + window, "?by=hour&limit=2" + window} {
		f.do(nil, "GET", "/results/summary"+path, nil).refused(schedctl.ValidationFailed)
	}
}

// TestResultsSummaryOfSeveralPlatforms checks that views of several platforms are not added.
func TestResultsSummaryOfSeveralPlatforms(t *testing.T) {
	t.Parallel()
	f := newReadFixture(t)
	for i, platform := range []string{"mastodon", "http"} {
		p := f.readBy(fmt.Sprint(i), time.Hour, [2]int64{60, 5})
		f.changePost(p, func(_ *schedctl.Post, t *schedctl.Target) { t.Platform = platform })
		f.changeResults(p, func(v *schedctl.Results) { v.Latest.Views = new(int64(10)) })
	}
	after := "&after=" + time.Now().Add(-24*time.Hour).UTC().Format(time.RFC3339)
	all := decodeAs[apiv1.ResultsSummary](t, f.do(nil, "GET", "/results/summary?by=media"+after, nil).want(200)).Groups[0]
	if all.Views.Known != 2 || all.Views.Sum != nil || all.Rate.Median != nil || *all.Engagements.Sum != 10 {
		t.Errorf("%+v", all)
	}
	for _, g := range decodeAs[apiv1.ResultsSummary](t, f.do(nil, "GET", "/results/summary?by=platform"+after, nil).want(200)).Groups {
		if *g.Views.Sum != 10 || *g.Rate.Sum != 0.5 || *g.Rate.Median != 0.5 {
			t.Errorf("%+v", g)
		}
	}
}
