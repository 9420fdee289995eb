package schedctl_test

import (
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/schedctl/schedctl"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func TestLocalTimesBecomeInstants(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		zone  string
		local schedctl.LocalTime
		want  string // in UTC
		note  schedctl.LocalNote
	}{
		{"UTC", "2027-03-28T02:30", "2027-03-28T02:30", ""},
		{"Europe/Berlin", "2027-03-28T01:59", "2027-03-28T00:59", ""},
		{"Europe/Berlin", "2027-03-28T02:00", "2027-03-28T01:00", schedctl.LocalSkipped},
		{"Europe/Berlin", "2027-03-28T02:59", "2027-03-28T01:00", schedctl.LocalSkipped},
		{"Europe/Berlin", "2027-03-28T03:00", "2027-03-28T01:00", ""},
		{"Europe/Berlin", "2027-10-31T02:00", "2027-10-31T00:00", schedctl.LocalRepeated},
		{"Europe/Berlin", "2027-10-31T02:59", "2027-10-31T00:59", schedctl.LocalRepeated},
		{"Europe/Berlin", "2027-10-31T03:00", "2027-10-31T02:00", ""},
		{"America/New_York", "2027-03-14T02:30", "2027-03-14T07:00", schedctl.LocalSkipped},
		{"America/New_York", "2027-11-07T01:30", "2027-11-07T05:30", schedctl.LocalRepeated},
		{"Australia/Lord_Howe", "2027-10-03T02:15", "2027-10-02T15:30", schedctl.LocalSkipped}, // by half an hour
		{"Australia/Lord_Howe", "2027-10-03T02:30", "2027-10-02T15:30", ""},
		{"Australia/Lord_Howe", "2027-04-04T01:45", "2027-04-03T14:45", schedctl.LocalRepeated},
		{"Pacific/Apia", "2011-12-29T23:59", "2011-12-30T09:59", ""},
		{"Pacific/Apia", "2011-12-30T09:00", "2011-12-30T10:00", schedctl.LocalSkipped}, // the whole day
		{"Pacific/Apia", "2011-12-31T00:00", "2011-12-30T10:00", ""},
		{"Africa/Casablanca", "2027-02-07T02:30", "2027-02-07T01:30", schedctl.LocalRepeated}, // Ramadan starts
		{"Africa/Casablanca", "2027-03-14T02:30", "2027-03-14T02:00", schedctl.LocalSkipped},  // Ramadan is over
		{"Europe/Dublin", "2027-03-28T01:30", "2027-03-28T01:00", schedctl.LocalSkipped},
		{"America/Sao_Paulo", "2018-11-04T00:00", "2018-11-04T03:00", schedctl.LocalSkipped}, // at midnight
		{"Asia/Kathmandu", "2027-06-01T09:00", "2027-06-01T03:15", ""},
	} {
		at, note := tt.local.In(zone(t, tt.zone))
		if got := at.UTC().Format("2006-01-02T15:04"); got != tt.want || note != tt.note {
			t.Errorf("%s in %s is %s (%q), want %s (%q)", tt.local, tt.zone, got, note, tt.want, tt.note)
		}
	}
}

// TestLastDayOfLeapYears guards that the search of clock changes ends: package time
// reports none after December 30 of a leap year.
func TestLastDayOfLeapYears(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Europe/Dublin", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Auckland", "Africa/Casablanca", "UTC"} {
		loc := zone(t, name)
		for year := 2024; year < 2060; year += 4 {
			for hour := range 72 {
				wall := time.Date(year, 12, 30, hour, 30, 0, 0, time.UTC)
				at, note := schedctl.ResolveLocal(wall, loc)
				if shown := schedctl.LocalTimeOf(at.In(loc)); shown != schedctl.LocalTimeOf(wall) || note != "" {
					t.Errorf("%s in %s became %s (%q)", wall, name, shown, note)
				}
			}
		}
	}
}

// TestResolveLocalIsTheFirstInstant compares instants with a search through all minutes
// around clock changes.
func TestResolveLocalIsTheFirstInstant(t *testing.T) {
	t.Parallel()
	for name, day := range map[string]time.Time{
		"Europe/Berlin": time.Date(2027, 3, 27, 0, 0, 0, 0, time.UTC), "America/New_York": time.Date(2027, 11, 6, 0, 0, 0, 0, time.UTC),
		"Australia/Lord_Howe": time.Date(2027, 10, 2, 0, 0, 0, 0, time.UTC), "Pacific/Apia": time.Date(2011, 12, 29, 0, 0, 0, 0, time.UTC),
	} {
		loc := zone(t, name)
		first := map[schedctl.LocalTime]time.Time{}
		for at := day.Add(-48 * time.Hour); at.Before(day.Add(120 * time.Hour)); at = at.Add(time.Minute) {
			if local := schedctl.LocalTimeOf(at.In(loc)); first[local].IsZero() {
				first[local] = at
			}
		}
		for wall := day; wall.Before(day.Add(72 * time.Hour)); wall = wall.Add(7 * time.Minute) {
			local := schedctl.LocalTimeOf(wall)
			at, note := local.In(loc)
			if want, shown := first[local]; shown == (note == schedctl.LocalSkipped) || shown && !at.Equal(want) {
				t.Errorf("%s in %s is %s (%q), want %s", local, name, at.UTC(), note, want)
			}
		}
	}
}

// TestLocalPeriod guards that the local times of a period have its instants.
func TestLocalPeriod(t *testing.T) {
	t.Parallel()
	for name, day := range map[string]time.Time{
		"Europe/Berlin": time.Date(2027, 10, 31, 0, 0, 0, 0, time.UTC), "America/New_York": time.Date(2027, 11, 7, 0, 0, 0, 0, time.UTC),
		"Australia/Lord_Howe": time.Date(2027, 4, 3, 0, 0, 0, 0, time.UTC), "UTC": time.Date(2027, 4, 3, 0, 0, 0, 0, time.UTC),
	} {
		loc, inUTC := zone(t, name), 0
		for from := day; from.Before(day.Add(24 * time.Hour)); from = from.Add(15 * time.Minute) {
			for _, to := range []time.Time{from.Add(15 * time.Minute), from.Add(2 * time.Hour)} {
				localFrom, localTo, in := schedctl.LocalPeriod(from, to, loc)
				first, _ := localFrom.In(in)
				last, _ := localTo.In(in)
				if !first.Equal(from) || !last.Equal(to) {
					t.Errorf("%s to %s became %s to %s in %s", from, to, localFrom, localTo, in)
				}
				if in != loc {
					inUTC++
				}
			}
		}
		if repeats := name != "UTC"; repeats != (inUTC > 0) || inUTC > 16 {
			t.Errorf("%d periods in %s are in UTC", inUTC, name)
		}
		if from, to, _ := schedctl.LocalPeriod(time.Time{}, time.Time{}, loc); from != "" || to != "" {
			t.Errorf("no period became %q to %q", from, to)
		}
	}
}

func TestParseLocalTime(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "2027-02-29T09:00", "2027-2-1T09:00", "2027-02-01 09:00", "2027-02-01T09:00:00", "2027-02-01T24:00", "2027-02-01T9:00", "2027-02-01T09:00Z"} {
		if _, err := schedctl.ParseLocalTime("start", bad); schedctl.CodeOf(err) != schedctl.ValidationFailed {
			t.Errorf("%q: %v", bad, err)
		}
	}
	local, err := schedctl.ParseLocalTime("start", "2028-02-29T23:59")
	if err != nil || local.Day() != "2028-02-29" || local.Civil() != time.Date(2028, 2, 29, 23, 59, 0, 0, time.UTC) {
		t.Errorf("%s %v", local, err)
	}
}

func TestLastPassed(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for utc, want := range map[string]schedctl.LocalTime{
		"2027-03-01T11:00:00Z": "2027-03-01T12:00",
		"2027-03-01T11:00:59Z": "2027-03-01T12:00",
		"2027-03-28T00:59:59Z": "2027-03-28T01:59",
		"2027-03-28T01:00:00Z": "2027-03-28T03:00", // 02:00 to 02:59 are skipped
		"2027-10-31T00:30:00Z": "2027-10-31T02:30",
		"2027-10-31T01:00:00Z": "2027-10-31T02:59", // 02:00 to 02:59 are repeated
		"2027-10-31T01:30:00Z": "2027-10-31T02:59",
		"2027-10-31T02:05:00Z": "2027-10-31T03:05",
	} {
		now, err := time.Parse(time.RFC3339, utc)
		if err != nil {
			t.Fatal(err)
		}
		got := schedctl.LastPassed(now, berlin)
		if got != want {
			t.Errorf("at %s, %s has passed, want %s", utc, got, want)
		}
		if instant, _ := got.In(berlin); instant.After(now) {
			t.Errorf("at %s, %s has not passed", utc, got)
		}
		next := schedctl.LocalTimeOf(got.Civil().Add(time.Minute))
		if instant, _ := next.In(berlin); !instant.After(now) {
			t.Errorf("at %s, %s has passed, too", utc, next)
		}
	}
}

func TestLoadZone(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"UTC": "", "Europe/Berlin": "",
		"":      "VALIDATION_FAILED: timezone is empty; give an IANA name such as Europe/Berlin, or UTC",
		"Local": `VALIDATION_FAILED: timezone "Local" is not a time zone; use an IANA name such as Europe/Berlin, or UTC`,
	} {
		loc, err := schedctl.LoadZone("timezone", name)
		if want == "" && (err != nil || loc.String() != name) || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("LoadZone(%q) = %v, %v; want %q", name, loc, err, want)
		}
	}
}
