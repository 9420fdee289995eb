package when_test

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/scripts/cost"
	_ "github.com/schedctl/schedctl/scripts/testsize"
)

// zones have changes of an hour, half an hour, twenty minutes and a day, on
// both sides of the date line, at and around midnight.
var zones = []string{
	"Europe/Berlin", "Europe/London", "Europe/Dublin", "America/New_York", "America/St_Johns", "America/Sao_Paulo",
	"America/Havana", "America/Santiago", "America/Nuuk", "Africa/Casablanca", "Africa/Cairo",
	"Asia/Beirut", "Asia/Gaza", "Asia/Tehran", "Asia/Kathmandu", "Asia/Pyongyang", "Australia/Lord_Howe",
	"Australia/Sydney", "Pacific/Apia", "Pacific/Chatham", "Pacific/Kwajalein", "Antarctica/Troll", "Asia/Kolkata", "UTC",
}

const wallLayout = "2006-01-02 15:04:05"

// Around every clock change since 1970, a time of day resolves to the earliest
// instant that shows it. If none shows it, it resolves to the first instant after
// the gap.
func TestParseAroundEveryClockChange(t *testing.T) {
	t.Parallel()
	for _, name := range zones {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loc := zone(t, name)
			for _, change := range changes(loc) {
				for _, minutes := range []int{-1441, -61, -31, -30, -1, 0, 1, 29, 30, 31, 59, 60, 61, 90, 720, 1439, 1440} {
					checkWall(t, loc, wallAt(change.Add(-time.Second)).Add(time.Second+time.Duration(minutes)*time.Minute))
				}
			}
		})
	}
}

func TestParseAnyWallClock(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		loc, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		checkWall(t, loc, time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "wall"), 0).UTC())
	})
}

// ZoneBounds takes every year to have 365 days, which once made resolve run for ever on
// the last days of leap years.
func TestParseLastDaysOfLeapYears(t *testing.T) {
	t.Parallel()
	for _, name := range zones {
		loc, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, year := range []int{2028, 2036, 2096} {
			for day := time.Date(year, time.December, 29, 9, 0, 0, 0, time.UTC); day.Before(time.Date(year+1, time.January, 3, 0, 0, 0, 0, time.UTC)); day = day.Add(13 * time.Hour) {
				checkWall(t, loc, day)
			}
		}
	}
}

// changes returns the instants from 1970 to 2040 at which the offset changes.
func changes(loc *time.Location) []time.Time {
	var out []time.Time
	for t := time.Unix(0, 0).In(loc); t.Year() < 2040; {
		_, end := t.ZoneBounds()
		if end.IsZero() {
			return out
		}
		t = end
		out = append(out, t)
	}
	return out
}

// wallAt returns the wall clock at an instant as if it were UTC.
func wallAt(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

// checkWall compares the result with a search over all instants that could show the
// wall clock. Since 1970 every offset of these zones is a multiple of 15 minutes.
func checkWall(t fataler, loc *time.Location, wall time.Time) {
	t.Helper()
	text := wall.Format(wallLayout)
	m, err := when.Parse(text, wall, loc)
	if err != nil {
		t.Fatalf("%s in %s: %v", text, loc, err)
	}
	var shown []time.Time
	const step = 15 * time.Minute
	for at := wall.Add(-15 * time.Hour); at.Before(wall.Add(15 * time.Hour)); at = at.Add(step) {
		if local := at.In(loc); wallAt(local).Equal(wall) {
			shown = append(shown, local)
		}
	}
	switch {
	case len(shown) > 0 && !m.Time.Equal(shown[0]):
		t.Fatalf("%s in %s: got %v, want the first of %v", text, loc, m.Time, shown)
	case len(shown) == 0 && (!wallAt(m.Time).After(wall) || !wallAt(m.Time.Add(-time.Second)).Before(wall)):
		t.Fatalf("%s in %s: got %v, want the first instant after the gap", text, loc, m.Time)
	case (len(shown) != 1) != (m.Note != ""):
		t.Fatalf("%s in %s is shown %d times, and the note is %q", text, loc, len(shown), m.Note)
	}
}

// An RFC 3339 time is one instant, in any zone and even in a repeated hour.
func TestParseReadsRFC3339OfAnyInstant(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		loc, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		at := time.UnixMilli(rapid.Int64Range(0, 4e12).Draw(t, "instant")).In(loc)
		m, err := when.Parse(at.Format(time.RFC3339Nano), now, time.UTC)
		if err != nil || !m.Time.Equal(at) {
			t.Fatalf("%v: got %v and %v", at, m.Time, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"tomorrow 9am", "2026-12-08T09:00:00Z", "+2h30m", "in 2 weeks", "@1796720400", "next mon 21:00 Europe/Berlin",
		"Mar 10, 2027 9:30pm", "03/04/2027 9am", "noon", "", "in 1d", "9",
	} {
		f.Add(seed, int64(1795253400), uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, unix int64, z uint8) {
		defer cost.Check(t, len(text))()
		loc := zone(t, zones[int(z)%len(zones)])
		now := time.Unix(unix%4e9, 0)
		m, err := when.Parse(text, now, loc)
		var e *when.Error
		switch {
		case err == nil:
			if again, err := when.Parse(m.Time.UTC().Format(time.RFC3339Nano), now, time.UTC); err != nil || !again.Time.Equal(m.Time) {
				t.Fatalf("%q became %v, which reads as %v and %v", text, m.Time, again.Time, err)
			}
		case !errors.As(err, &e) || e.Hint == "" || e.Reason == when.Past:
			t.Fatalf("%q: %v is no useful error", text, err)
		}
	})
}
