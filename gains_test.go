package schedctl_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
)

// readAt adds a reading with a number of reactions to results.
func readAt(r *schedctl.Results, g *schedctl.GainHours, age time.Duration, reactions int64) {
	r.Add(r.PublishedAt.Add(age), schedctl.Metrics{Reactions: &reactions})
	g.AddReading(r)
}

func sumOf(g schedctl.GainHours) (sum int64) {
	for i := range g {
		sum += g[i].Engagements.Value
	}
	return sum
}

// TestGains spreads the readings of one target over hours.
func TestGains(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 2, 10, 30, 0, 0, time.UTC)
	hour := at.Truncate(time.Hour).UnixMilli() / 3_600_000
	r := schedctl.Results{PublishedAt: at}
	var g schedctl.GainHours
	readAt(&r, &g, 15*time.Minute, 6)
	readAt(&r, &g, time.Hour, 9)
	readAt(&r, &g, 3*time.Hour, 8)
	want := schedctl.GainHours{
		{Hour: hour, Engagements: schedctl.Gain{Value: 6 + 1, Targets: 1, Started: 1, Apart: 1}},
		{Hour: hour + 1, Engagements: schedctl.Gain{Value: 2 + 0, Targets: 1, Apart: 2}},
		{Hour: hour + 2, Engagements: schedctl.Gain{Value: -1, Targets: 1, Apart: 2}},
		{Hour: hour + 3, Engagements: schedctl.Gain{Value: 0, Targets: 1, Apart: 2}},
	}
	if diff := cmp.Diff(want, g); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var again schedctl.GainHours
	again.AddReadings(&r)
	if diff := cmp.Diff(want, again); diff != "" {
		t.Errorf("all readings at once (-want +got):\n%s", diff)
	}
}

// TestGainsAddUp checks for random readings that the hours of a target add up to its number,
// that each of its hours counts it once, and that packing loses nothing.
func TestGainsAddUp(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		r := schedctl.Results{PublishedAt: time.UnixMilli(1_790_000_000_000 + random.Int64N(1e9)).UTC()}
		var g schedctl.GainHours
		age, last := time.Duration(0), int64(0)
		for range 1 + random.IntN(6) {
			age += time.Duration(random.Int64N(int64(40 * time.Hour)))
			last = random.Int64N(1 << 40)
			readAt(&r, &g, age.Truncate(time.Millisecond), last)
		}
		if got := sumOf(g); got != last {
			t.Fatalf("the hours add up to %d, want %d", got, last)
		}
		for i, h := range g {
			if h.Engagements.Targets != 1 || h.Engagements.Started != int64(b2i(i == 0)) || i > 0 && h.Hour != g[i-1].Hour+1 {
				t.Fatalf("hour %d: %+v", i, h)
			}
		}
		unpacked, err := schedctl.UnpackGains(g.Pack())
		if diff := cmp.Diff(g, unpacked); err != nil || diff != "" {
			t.Fatalf("unpacked: %v\n%s", err, diff)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestOldGainsAreDropped keeps 60 days.
func TestOldGainsAreDropped(t *testing.T) {
	t.Parallel()
	r := schedctl.Results{PublishedAt: time.UnixMilli(1_790_000_000_000).UTC()}
	var g schedctl.GainHours
	readAt(&r, &g, 100*24*time.Hour, 2400)
	if n := len(g); n != 60*24+1 {
		t.Errorf("%d hours of a reading after 100 days, want 1441", n)
	}
	if sum := sumOf(g); sum < 1438 || sum > 1442 {
		t.Errorf("gain %d, want that of 60 days: 1440", sum)
	}
	g.Keep(r.ReadAt.Add(30 * 24 * time.Hour))
	if n := len(g); n < 30*24 || n > 30*24+1 {
		t.Errorf("%d hours after 30 days more", n)
	}
}

// TestGainsMerge adds accounts.
func TestGainsMerge(t *testing.T) {
	t.Parallel()
	a := schedctl.GainHours{{Hour: 5, Views: schedctl.Gain{Value: 1, Targets: 1, Started: 1, Apart: 2}}, {Hour: 7, Clicks: schedctl.Gain{Value: 3, Targets: 1}}}
	b := schedctl.GainHours{{Hour: 4, Views: schedctl.Gain{Value: 9}}, {Hour: 7, Clicks: schedctl.Gain{Value: -1, Targets: 1, Apart: 8}}, {Hour: 9}}
	want := schedctl.GainHours{{Hour: 4, Views: schedctl.Gain{Value: 9}}, a[0], {Hour: 7, Clicks: schedctl.Gain{Value: 2, Targets: 2, Apart: 8}}, {Hour: 9}}
	got := slices.Clone(a)
	got.Merge(b)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestDamagedGains refuses bytes that no gains pack to.
func TestDamagedGains(t *testing.T) {
	t.Parallel()
	good := schedctl.GainHours{{Hour: 500_000, Views: schedctl.Gain{Value: 300, Targets: 1}}, {Hour: 500_001}}.Pack()
	for n := 1; n < len(good); n++ {
		if g, err := schedctl.UnpackGains(good[:n]); err == nil && len(g) == 2 {
			t.Errorf("%d of %d bytes: %v", n, len(good), g)
		}
	}
	for _, bad := range [][]byte{{1, 8}, {1, 0, 0, 0}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0}} {
		if _, err := schedctl.UnpackGains(bad); err == nil {
			t.Errorf("%v was read", bad)
		}
	}
}

// TestAccountResults counts requests and money.
func TestAccountResults(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 23, 30, 0, 0, time.UTC)
	var a schedctl.AccountResults
	a.CountRequests(2, now.Add(-26*time.Hour))
	a.CountRequests(3, now.Add(-time.Hour))
	a.CountRequests(1, now)
	a.CountRequests(1, now)
	if n, hour := a.RequestsSince(now.Add(-24*time.Hour)), a.RequestsSince(now.Truncate(time.Hour)); n != 5 || hour != 2 || len(a.Requests) != 2 {
		t.Errorf("%d requests, %d in the hour: %+v", n, hour, a.Requests)
	}
	a.Spend(25_000, now)
	a.Spend(-20_000, now)
	if got := a.SpentIn(now); got != 5_000 {
		t.Errorf("spent %d", got)
	}
	if got := a.SpentIn(now.Add(time.Hour)); got != 0 {
		t.Errorf("spent %d in the next month", got)
	}
	a.Drop([]string{"clicks"}, now)
	a.Drop([]string{"saved"}, now.Add(time.Hour))
	if got := a.DroppedAt(now.Add(schedctl.DroppedMetricAge)); !slices.Equal(got, []string{"saved"}) {
		t.Errorf("dropped %q", got)
	}
}
