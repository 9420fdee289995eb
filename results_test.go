package schedctl_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
)

// TestReportedNumbersFillGaps checks that numbers of clients never replace those of a network.
func TestReportedNumbersFillGaps(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC)
	r := schedctl.Results{Latest: schedctl.Metrics{Reactions: new(int64(0)), Other: map[string]int64{"votes": 1}}}
	r.Report(at, schedctl.Metrics{Reactions: new(int64(9)), Clicks: new(int64(30))})
	r.Report(at.Add(time.Hour), schedctl.Metrics{Clicks: new(int64(31)), Views: new(int64(400))})
	want := schedctl.Metrics{Reactions: new(int64(0)), Clicks: new(int64(31)), Views: new(int64(400)), Other: map[string]int64{"votes": 1}}
	if diff := cmp.Diff(want, r.Known()); diff != "" {
		t.Error(diff)
	}
	if r.Latest.Clicks != nil || *r.Reported.Reactions != 9 || !r.ReportedAt.Equal(at.Add(time.Hour)) {
		t.Errorf("stored %+v", r)
	}
}

// TestRemovedPostFoundAgain checks readings after a removal, which only a person starts.
func TestRemovedPostFoundAgain(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC)
	var r schedctl.Results
	r.Miss(at)
	if !r.Miss(at.Add(schedctl.ResultsMissAgain)) || !r.RemovedAt.Equal(at) {
		t.Fatalf("not removed: %+v", r)
	}
	later := at.Add(time.Hour)
	r.Ask(later)
	if !r.NextAt.Equal(later) {
		t.Errorf("next reading %v", r.NextAt)
	}
	if r.Miss(later) || !r.RemovedAt.Equal(at) || !r.NextAt.IsZero() {
		t.Errorf("missed again: %+v", r)
	}
	if r.Add(later, schedctl.Metrics{}); !r.RemovedAt.IsZero() {
		t.Errorf("found, and still removed: %+v", r)
	}
}
