package resulttext_test

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/resulttext"
)

var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// row returns a target that was read two hours ago.
func row(views, reactions, replies *int64) apiv1.AnalyticsRow {
	m := schedctl.Metrics{Views: views, Reactions: reactions, Replies: replies}
	return apiv1.AnalyticsRow{Views: views, Reactions: reactions, Replies: replies, Engagements: m.Engagements(), LastRefreshAt: apiv1.NewTime(now.Add(-2 * time.Hour))}
}

func n(v int64) *int64 { return &v }

// TestLine checks the line of a target: null is left out, 0 is shown.
func TestLine(t *testing.T) {
	t.Parallel()
	removed := row(n(5), nil, nil)
	removed.RemovedAt = apiv1.NewTime(now)
	estimated := row(n(500), nil, nil)
	estimated.Estimated = true
	unread := apiv1.AnalyticsRow{Reason: new(schedctl.ResultsUnsupported)}
	future := apiv1.AnalyticsRow{Reason: new(schedctl.ResultsReason("moon_phase"))}
	for want, r := range map[string]apiv1.AnalyticsRow{
		"1,204 views · 31 reactions · 4 replies (2 h ago)": row(n(1204), n(31), n(4)),
		"1 view · 0 reactions · 1 reply (2 h ago)":         row(n(1), n(0), n(1)),
		"5 views (2 h ago) · removed":                      removed,
		"~500 views (2 h ago)":                             estimated,
		"no numbers: not given by the network":             unread,
		"no numbers: moon phase":                           future,
		"no numbers: not read yet":                         {},
	} {
		if got := resulttext.Line(&r, now); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestNumber checks commas and the sign for no number.
func TestNumber(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]*int64{"–": nil, "0": n(0), "999": n(999), "1,000": n(1000), "-12,345": n(-12345), "1,234,567": n(1234567)} {
		if got := resulttext.Number(v); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := resulttext.Percent(new(0.0254)) + resulttext.Percent(nil); got != "2.5 %–" {
		t.Error(got)
	}
}

// TestSparkline checks both sets of signs, and values that fall below 0.
func TestSparkline(t *testing.T) {
	t.Parallel()
	values := []int64{0, 1, 4, 7, -3}
	if got := resulttext.Sparkline(values, false) + resulttext.Sparkline(values, true); got != "▁▂▅█▁..-#." {
		t.Error(got)
	}
	if got := resulttext.Sparkline(nil, false) + resulttext.Sparkline([]int64{0, 0}, false) + resulttext.Sparkline([]int64{1 << 62}, false); got != "▁▁█" {
		t.Error(got)
	}
}

// TestMissing checks the count of targets without numbers.
func TestMissing(t *testing.T) {
	t.Parallel()
	unread, silent := apiv1.AnalyticsRow{}, apiv1.AnalyticsRow{Reason: new(schedctl.ResultsUnsupported)}
	rows := []apiv1.AnalyticsRow{row(n(1), nil, nil), unread, silent, silent, row(nil, n(0), nil)}
	if got, want := resulttext.Missing(rows), "3 of 5 without numbers: 2 not given by the network, 1 not read yet"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := resulttext.Missing(rows[:1]); got != "" {
		t.Error(got)
	}
}

// TestReasons checks that every reason has words.
func TestReasons(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range schedctl.ResultsReasons() {
		text := resulttext.Reason(&r)
		if seen[text] || text == string(r) && r != schedctl.ResultsRemoved {
			t.Errorf("%s: %q", r, text)
		}
		seen[text] = true
	}
}
