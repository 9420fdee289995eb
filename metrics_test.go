package schedctl_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
)

func TestEngagements(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		metrics     schedctl.Metrics
		engagements *int64
		rate        *float64
	}{
		"nothing given":       {schedctl.Metrics{}, nil, nil},
		"clicks do not count": {schedctl.Metrics{Clicks: new(int64(7)), Views: new(int64(9))}, nil, nil},
		"given: none":         {schedctl.Metrics{Reactions: new(int64(0)), Views: new(int64(9))}, new(int64(0)), new(0.0)},
		"all kinds": {
			schedctl.Metrics{Reactions: new(int64(1)), Reposts: new(int64(2)), Quotes: new(int64(4)), Replies: new(int64(8)), Saves: new(int64(16)), Views: new(int64(300))},
			new(int64(31)), new(0.1033),
		},
		"no views":          {schedctl.Metrics{Replies: new(int64(3)), Views: new(int64(0))}, new(int64(3)), nil},
		"views not given":   {schedctl.Metrics{Replies: new(int64(3)), Reach: new(int64(30))}, new(int64(3)), nil},
		"only one is known": {schedctl.Metrics{Quotes: new(int64(3)), Views: new(int64(3))}, new(int64(3)), new(1.0)},
	} {
		if diff := cmp.Diff(tt.engagements, tt.metrics.Engagements()); diff != "" {
			t.Errorf("%s: engagements (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(tt.rate, tt.metrics.EngagementRate()); diff != "" {
			t.Errorf("%s: rate (-want +got):\n%s", name, diff)
		}
	}
}

func TestMetricsCloneSharesNothing(t *testing.T) {
	t.Parallel()
	m := schedctl.Metrics{Other: map[string]int64{"shares": 1}}
	for i, n := range m.Named() {
		*n.Value = new(int64(i))
	}
	c := m.Clone()
	if diff := cmp.Diff(m, c); diff != "" {
		t.Fatalf("clone (-want +got):\n%s", diff)
	}
	for _, n := range c.Named() {
		**n.Value = 99
	}
	c.Other["shares"] = 99
	for i, n := range m.Named() {
		if **n.Value != int64(i) {
			t.Errorf("%s is shared", n.Name)
		}
	}
	if m.Other["shares"] != 1 || !m.Given() || (schedctl.Metrics{}).Given() {
		t.Error("the other numbers are shared, or Told is wrong")
	}
}
