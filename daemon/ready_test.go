package daemon

import (
	"testing"
	"time"
)

func TestTicking(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 8, 9, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name string
		last time.Time
		want string
	}{
		{"never", time.Time{}, "the timer loop has not started yet"},
		{"just now", now, ""},
		{"as long ago as may be", now.Add(-90 * time.Second), ""},
		{"too long ago", now.Add(-2 * time.Minute), "the timer loop has not ticked for 2m0s"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if err := ticking("timer loop", test.last, now); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
