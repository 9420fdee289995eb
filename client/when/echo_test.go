package when_test

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl/client/when"
)

func TestEcho(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, local, want string }{
		{"2026-12-08 09:00", "Europe/Berlin", "Tue 8 Dec 2026 09:00 CET (08:00 UTC, in 17 days)"},
		{"2026-12-08 09:00", "UTC", "Tue 8 Dec 2026 09:00 UTC (in 17 days)"},
		{"2026-12-08 00:30", "Europe/Berlin", "Tue 8 Dec 2026 00:30 CET (Mon 7 Dec 23:30 UTC, in 17 days)"},
		{"2026-12-08 09:00 Europe/Berlin", "America/New_York", "Tue 8 Dec 2026 09:00 CET (03:00 EST, 08:00 UTC, in 17 days)"},
		{"2026-12-08 09:00:05", "America/Sao_Paulo", "Tue 8 Dec 2026 09:00:05 UTC-03:00 (12:00:05 UTC, in 17 days)"},
		{"in 90s", "UTC", "Sat 21 Nov 2026 09:31:30 UTC (in 1 minute 30 seconds)"},
		{"today 9am", "UTC", "Sat 21 Nov 2026 09:00 UTC (30 minutes ago)"},
	} {
		t.Run(tc.text+" "+tc.local, func(t *testing.T) {
			t.Parallel()
			loc := zone(t, tc.local)
			m, err := when.Parse(tc.text, now, loc)
			if err != nil {
				t.Fatal(err)
			}
			if got := m.Echo(now, loc); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestRelative(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		0:                               "now",
		400 * time.Millisecond:          "now",
		time.Second:                     "in 1 second",
		-time.Second:                    "1 second ago",
		59 * time.Second:                "in 59 seconds",
		60 * time.Second:                "in 1 minute",
		125 * time.Second:               "in 2 minutes 5 seconds",
		10*time.Minute + 5*time.Second:  "in 10 minutes",
		59*time.Minute + 40*time.Second: "in 1 hour",
		time.Hour:                       "in 1 hour",
		90 * time.Minute:                "in 1 hour 30 minutes",
		day - time.Second:               "in 1 day",
		day + time.Hour:                 "in 1 day 1 hour",
		-2 * day:                        "2 days ago",
		3*day + 11*time.Hour:            "in 3 days",
		400 * day:                       "in 400 days",
	} {
		if got := when.Relative(now.Add(d), now); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

// Distances beyond the range of time.Duration.
func TestRelativeFarAway(t *testing.T) {
	t.Parallel()
	for days, want := range map[int]string{100_001: "in 100001 days", 2_095_000: "in 2095000 days", -365_000: "365000 days ago"} {
		if got := when.Relative(now.AddDate(0, 0, days), now); got != want {
			t.Errorf("%d days: got %q, want %q", days, got, want)
		}
	}
}
