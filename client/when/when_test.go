package when_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/client/when"
)

func zone(tb testing.TB, name string) *time.Location {
	tb.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		tb.Fatal(err)
	}
	return loc
}

// now is a Saturday, 10:30 in Berlin.
var now = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, want string }{
		// RFC 3339 and similar forms: the offset decides, not the zone.
		{"2026-12-08T09:00:00Z", "2026-12-08T10:00:00+01:00"},
		{"2026-12-08T09:00:00+05:30", "2026-12-08T04:30:00+01:00"},
		{"2026-12-08t09:00:00z", "2026-12-08T10:00:00+01:00"},
		{"2026-12-08T09:00:00.25Z", "2026-12-08T10:00:00.25+01:00"},
		{"2026-12-08T09:00Z", "2026-12-08T10:00:00+01:00"},
		{"2026-12-08 09:00:00-08:00", "2026-12-08T18:00:00+01:00"},
		{"2026-12-08 09:00 +02:00", "2026-12-08T08:00:00+01:00"},

		// A date and a time of day are local.
		{"2026-12-08 09:00", "2026-12-08T09:00:00+01:00"},
		{"2026-12-08 09:00:05", "2026-12-08T09:00:05+01:00"},
		{"2026-12-08T09:00", "2026-12-08T09:00:00+01:00"},
		{"2026-06-08T09:00", "2026-06-08T09:00:00+02:00"},
		{"2026-12-08 9am", "2026-12-08T09:00:00+01:00"},
		{"2026-12-08 9:00", "2026-12-08T09:00:00+01:00"},
		{"2026-12-08 noon", "2026-12-08T12:00:00+01:00"},
		{"  2026-12-08   09:00  ", "2026-12-08T09:00:00+01:00"},
		{"2028-02-29 09:00", "2028-02-29T09:00:00+01:00"},

		// A zone at the end replaces the local one.
		{"2026-12-08 09:00 UTC", "2026-12-08T09:00:00Z"},
		{"2026-12-08 09:00 America/New_York", "2026-12-08T09:00:00-05:00"},
		{"tomorrow 9am Asia/Kolkata", "2026-11-22T09:00:00+05:30"},
		{"tomorrow 9am Asia/Kathmandu", "2026-11-22T09:00:00+05:45"},
		{"today 23:00 Pacific/Auckland", "2026-11-21T23:00:00+13:00"},
		{"@1796720400 utc", "2026-12-08T09:00:00Z"},

		// Days.
		{"today 5pm", "2026-11-21T17:00:00+01:00"},
		{"today 9am", "2026-11-21T09:00:00+01:00"}, // in the past, which is not refused here
		{"yesterday 9am", "2026-11-20T09:00:00+01:00"},
		{"9am yesterday", "2026-11-20T09:00:00+01:00"},
		{"2h ago", "2026-11-21T08:30:00+01:00"},
		{"1 day 2 hours ago", "2026-11-20T08:30:00+01:00"},
		{"-2h30m", "2026-11-21T08:00:00+01:00"},
		{"-4w", "2026-10-24T10:30:00+02:00"}, // over a clock change
		{"tomorrow 9am", "2026-11-22T09:00:00+01:00"},
		{"Tomorrow 9AM", "2026-11-22T09:00:00+01:00"},
		{"tomorrow at 9:30 pm", "2026-11-22T21:30:00+01:00"},
		{"tomorrow 9:30pm", "2026-11-22T21:30:00+01:00"},
		{"tomorrow 21:00:05", "2026-11-22T21:00:05+01:00"},
		{"tomorrow 12am", "2026-11-22T00:00:00+01:00"},
		{"tomorrow 12pm", "2026-11-22T12:00:00+01:00"},
		{"tomorrow 12:30am", "2026-11-22T00:30:00+01:00"},
		{"tomorrow noon", "2026-11-22T12:00:00+01:00"},
		{"noon tomorrow", "2026-11-22T12:00:00+01:00"},
		{"9 am tomorrow", "2026-11-22T09:00:00+01:00"},
		{"tuesday 9am", "2026-11-24T09:00:00+01:00"},
		{"Fri 9am", "2026-11-27T09:00:00+01:00"},
		{"saturday 11am", "2026-11-21T11:00:00+01:00"},
		{"next saturday 11am", "2026-11-28T11:00:00+01:00"},

		// A month and a day: the next such day, or the year that is named.
		{"Mar 10 9am", "2027-03-10T09:00:00+01:00"},
		{"10 March 9am", "2027-03-10T09:00:00+01:00"},
		{"Dec 8 09:00", "2026-12-08T09:00:00+01:00"},
		{"december 8th, 2027 noon", "2027-12-08T12:00:00+01:00"},
		{"8 Dec 2027 9pm", "2027-12-08T21:00:00+01:00"},
		{"Nov 21 5pm", "2026-11-21T17:00:00+01:00"},
		{"may 1 9am", "2027-05-01T09:00:00+02:00"},
		{"9am mar 10", "2027-03-10T09:00:00+01:00"},

		{"this friday 9am", "2026-11-27T09:00:00+01:00"},
		{"this saturday 11am", "2026-11-21T11:00:00+01:00"},
		{"this saturday 9am", "2026-11-21T09:00:00+01:00"}, // in the past, which is not refused here
		{"day after tomorrow 9am", "2026-11-23T09:00:00+01:00"},
		{"the day after tomorrow at 9am", "2026-11-23T09:00:00+01:00"},
		{"9am the day after tomorrow", "2026-11-23T09:00:00+01:00"},
		{"tonight 9pm", "2026-11-21T21:00:00+01:00"},
		{"tonight at 22:30", "2026-11-21T22:30:00+01:00"},

		// Dates in other forms that mean one day.
		{"2026/12/24 18:00", "2026-12-24T18:00:00+01:00"},
		{"24.12.2026 18:00", "2026-12-24T18:00:00+01:00"},
		{"3.4.2027 9am", "2027-04-03T09:00:00+02:00"},
		{"25/12/2026 9am", "2026-12-25T09:00:00+01:00"},
		{"12/25/2026 9am", "2026-12-25T09:00:00+01:00"},
		{"12-12-2026 9am", "2026-12-12T09:00:00+01:00"},
		{"9am 24.12.2026", "2026-12-24T09:00:00+01:00"},

		// The city of a zone.
		{"tomorrow 9am Tokyo", "2026-11-22T09:00:00+09:00"},
		{"tomorrow 9am new york", "2026-11-22T09:00:00-05:00"},
		{"2026-12-08 09:00 Port of Spain", "2026-12-08T09:00:00-04:00"},
		{"9pm Buenos Aires", "2026-11-21T21:00:00-03:00"},

		// A time of day alone.
		{"11am", "2026-11-21T11:00:00+01:00"},
		{"at 21:00", "2026-11-21T21:00:00+01:00"},

		// Elapsed time and calendar days.
		{"in 2h", "2026-11-21T12:30:00+01:00"},
		{"+2h30m", "2026-11-21T13:00:00+01:00"},
		{"+ 90s", "2026-11-21T10:31:30+01:00"},
		{"in 1 day", "2026-11-22T10:30:00+01:00"},
		{"in 2 weeks", "2026-12-05T10:30:00+01:00"},
		{"in 1d2h", "2026-11-22T12:30:00+01:00"},
		{"in 1 hour 30 minutes", "2026-11-21T12:00:00+01:00"},
		{"in 90m", "2026-11-21T12:00:00+01:00"},
		{"in an hour", "2026-11-21T11:30:00+01:00"},
		{"in half an hour", "2026-11-21T11:00:00+01:00"},
		{"half an hour ago", "2026-11-21T10:00:00+01:00"},
		{"in a day", "2026-11-22T10:30:00+01:00"},
		{"2 weeks from now", "2026-12-05T10:30:00+01:00"},
		{"in 1 month", "2026-12-21T10:30:00+01:00"},
		{"in 1 year 2 months 3 days", "2028-01-24T10:30:00+01:00"},
		{"a month ago", "2026-10-21T10:30:00+02:00"},
		{"+500ms", "2026-11-21T10:30:00.5+01:00"},

		{"@1796720400", "2026-12-08T10:00:00+01:00"},
		{"@0", "1970-01-01T01:00:00+01:00"},
	} {
		t.Run(tc.text, func(t *testing.T) {
			t.Parallel()
			m, err := when.Parse(tc.text, now, zone(t, "Europe/Berlin"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, m.Time.Format(time.RFC3339Nano)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if m.Note != "" {
				t.Errorf("note %q, want none", m.Note)
			}
		})
	}
}

func TestParseSaysWhatItDecided(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, want, note string }{
		{"9am", "2026-11-22T09:00:00+01:00", "has passed today, so this is tomorrow"},
		{"midnight", "2026-11-22T00:00:00+01:00", "this is tomorrow"},
		{"saturday 9am", "2026-11-28T09:00:00+01:00", "this is in a week"},
		{"next friday 9am", "2026-11-27T09:00:00+01:00", `"next friday" is the first Friday after today`},
		{"tomorrow midnight", "2026-11-22T00:00:00+01:00", "midnight is the start of the day"},
		{"tonight", "2026-11-21T20:00:00+01:00", "tonight without a time of day is 20:00"},
		{"friday 9", "2026-11-27T09:00:00+01:00", "9 is read as 09:00"},
		{"tomorrow 21", "2026-11-22T21:00:00+01:00", "21 is read as 21:00"},
		{"tomorrow 0", "2026-11-22T00:00:00+01:00", "0 is read as 00:00"},
		{"2027-03-28 02:30", "2027-03-28T03:00:00+02:00", "skip 02:30"},
		{"2027-10-31 02:30", "2027-10-31T02:30:00+02:00", "happens twice"},
		{"2027-03-14 02:30 America/New_York", "2027-03-14T03:00:00-04:00", "clocks in America/New_York skip"},
		{"2027-10-03 02:15 Australia/Lord_Howe", "2027-10-03T02:30:00+11:00", "skip 02:15"}, // half an hour
		{"2011-12-30 12:00 Pacific/Apia", "2011-12-31T00:00:00+14:00", "skip 12:00"},        // a whole day
	} {
		t.Run(tc.text, func(t *testing.T) {
			t.Parallel()
			m, err := when.Parse(tc.text, now, zone(t, "Europe/Berlin"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, m.Time.Format(time.RFC3339)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if !strings.Contains(m.Note, tc.note) {
				t.Errorf("note %q, want it to contain %q", m.Note, tc.note)
			}
		})
	}
}

// Days keep the time of day over a clock change, hours do not.
func TestParseCountsDaysOnTheCalendar(t *testing.T) {
	t.Parallel()
	berlin := zone(t, "Europe/Berlin")
	evening := time.Date(2027, 3, 27, 12, 0, 0, 0, berlin)
	for text, want := range map[string]string{
		"in 1d":          "2027-03-28T12:00:00+02:00",
		"in 24h":         "2027-03-28T13:00:00+02:00",
		"in 1w":          "2027-04-03T12:00:00+02:00",
		"tomorrow 12:00": "2027-03-28T12:00:00+02:00",
	} {
		m, err := when.Parse(text, evening, berlin)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Time.Format(time.RFC3339); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text   string
		reason when.Reason
		hint   string // a part of the error
	}{
		{"", when.Unreadable, "empty"},
		{"   ", when.Unreadable, "empty"},
		{"nonsense", when.Unreadable, "try"},
		{"tomorow 9am", when.Unreadable, `did you mean "tomorrow 9am"?`},
		{"freitag 9am", when.Unreadable, "try"},
		{"thirsday 9am utc", when.Unreadable, `did you mean "thursday 9am utc"?`},
		{"tomorrow", when.Unreadable, `write "tomorrow 9am"`},
		{"next friday", when.Unreadable, `write "next friday 9am"`},
		{"2026-12-08", when.Unreadable, `write "2026-12-08 9am"`},
		{"Mar 10", when.Unreadable, `write "Mar 10 9am"`},
		{"9", when.Ambiguous, "write 9am or 9pm"},
		{"tonight 1am", when.Ambiguous, `write "today 01:00" or "tomorrow 01:00"`},
		{"this friday", when.Unreadable, `write "this friday 9am"`},
		{"this morning", when.Unreadable, "try"},
		{"the day after 9am", when.Unreadable, "try"},
		{"03-04-2027 9am", when.Ambiguous, "2027-03-04 or 2027-04-03"},
		{"2026/13/08 9am", when.Unreadable, "month 13"},
		{"31.11.2026 9am", when.Unreadable, "November 2026 has 30 days"},
		{"24.12.2026", when.Unreadable, `write "24.12.2026 9am"`},
		{"in a fortnight", when.Unreadable, "unknown unit"},
		{"in half a day", when.Unreadable, "not a valid duration"},
		{"in 2 days 1 month", when.Unreadable, "long one after a short one"},
		{"in 999999 months", when.Unreadable, "out of range"},
		{"in 120000 months 10000 years", when.Unreadable, "long one after a short one"},
		{"in 9000 years", when.Unreadable, "out of range"},
		{"9am christmas", when.Unreadable, "try"},
		{"tomorrow 9am Atlantis", when.Unreadable, "did you mean Canada/Atlantic?"},
		{"tomorrow 9am Gondor", when.Unreadable, "try its IANA name"},
		{"1 month", when.Unreadable, `write "in 1 month"`},
		{"tomorrow 25", when.Unreadable, "try 9am"},
		{"tomorrow 9am 10am", when.Unreadable, "try"},
		{"tomorrow 9am please", when.Unreadable, "try"},
		{"tomorrow 25:00", when.Unreadable, "0:00 to 23:59"},
		{"tomorrow 24:00", when.Unreadable, "midnight starts the day"},
		{"tomorrow 9:60", when.Unreadable, "0:00 to 23:59"},
		{"tomorrow 13pm", when.Unreadable, "write 13:00"},
		{"tomorrow 0am", when.Unreadable, "12am for midnight"},
		{"03/04/2027 9am", when.Ambiguous, "2027-03-04 or 2027-04-03"},
		{"8.12.26 9am", when.Ambiguous, "year-month-day"},
		{"2026-13-08 09:00", when.Unreadable, "month 13"},
		{"2026-00-08 09:00", when.Unreadable, "month 0"},
		{"2026-02-29 09:00", when.Unreadable, "February 2026 has 28 days"},
		{"2026-12-32T09:00:00Z", when.Unreadable, "December 2026 has 31 days"},
		{"Feb 29 9am", when.Unreadable, "February 2027 has 28 days"},
		{"2026-12-08T09:00:60Z", when.Unreadable, "invalid time of day"},
		{"2026-12-08T09:00:00+24:00", when.Unreadable, "invalid offset"},
		{"2026-12-08T09:00:00Z Europe/Berlin", when.Ambiguous, "an offset and a zone"},
		{"0000-01-01 00:00", when.Unreadable, "out of range"},
		{"in", when.Unreadable, "try"},
		{"in 2", when.Ambiguous, "2s, 2m, 2h or 2d"},
		{"in 2 fortnights", when.Unreadable, "unknown unit"},
		{"in 1.5 days", when.Unreadable, "fraction"},
		{"in 1,5h", when.Unreadable, "fraction"},
		{"in -2h", when.Unreadable, "not a valid duration"},
		{"in 2m2h", when.Unreadable, "long one after a short one"},
		{"in 2h2h", when.Unreadable, "twice"},
		{"in 99999999999999999999h", when.Unreadable, "out of range"},
		{"in 9999999w", when.Unreadable, "out of range"},
		{"in 3900000d", when.Unreadable, "out of range"},
		{"2h", when.Unreadable, `write "in 2h"`},
		{"-2", when.Ambiguous, "2s, 2m, 2h or 2d"},
		{"-soon", when.Unreadable, "not a valid duration"},
		{"long ago", when.Unreadable, "not a valid duration"},
		{"-9999999w", when.Unreadable, "out of range"},
		{"4000000 days ago", when.Unreadable, "out of range"},
		{"yesterday", when.Past, "has passed"},
		{"now", when.Unreadable, "--now"},
		{"@", when.Unreadable, "Unix time"},
		{"@12x", when.Unreadable, "Unix time"},
		{"@-5", when.Unreadable, "out of range"},
		{"@1796720400000", when.Unreadable, "@1796720400"},
		{"@999999999999999999", when.Unreadable, "out of range"},
		{"tomorrow 9am Europe/Berln", when.Unreadable, "unknown time zone"},
		{"tomorrow 9am europe/berlin", when.Unreadable, "did you mean Europe/Berlin?"},
		{"tomorrow 9am CST", when.Ambiguous, "America/Chicago, Asia/Shanghai or America/Havana"},
		{"tomorrow 9am ../../etc/passwd", when.Unreadable, "unknown time zone"},
		{"tomorrow\x009am", when.Unreadable, "characters"},
		{"tomorrow \xff9am", when.Unreadable, "characters"},
		{strings.Repeat("9", 5000), when.Unreadable, "too long"},
		{"🎄 9am", when.Unreadable, "try"},
	} {
		t.Run(tc.text[:min(len(tc.text), 40)], func(t *testing.T) {
			t.Parallel()
			m, err := when.Parse(tc.text, now, zone(t, "Europe/Berlin"))
			var e *when.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v and %v, want an error", m.Time, err)
			}
			if e.Reason != tc.reason {
				t.Errorf("%v is %v, want %v", e, e.Reason, tc.reason)
			}
			if !strings.Contains(e.Error(), tc.hint) {
				t.Errorf("%q does not say %q", e, tc.hint)
			}
			if e.Hint == "" {
				t.Errorf("%q gives no hint", e)
			}
		})
	}
}

func TestCheckRefusesThePast(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		at   time.Time
		past bool
	}{
		{now.Add(-time.Hour), true},
		{now, true},
		{now.Add(time.Millisecond), false},
	} {
		err := when.Result{Time: tc.at}.Check(now)
		var e *when.Error
		if got := errors.As(err, &e) && e.Reason == when.Past; got != tc.past {
			t.Errorf("%v: got %v", tc.at, err)
		}
	}
	err := when.Result{Time: now.Add(-90 * time.Minute)}.Check(now)
	if want := "Sat 21 Nov 2026 08:00 UTC has passed (1 hour 30 minutes ago)"; !strings.Contains(err.Error(), want) {
		t.Errorf("got %q, want it to contain %q", err, want)
	}
}

// A month that is too short ends on its last day.
func TestParseClampsMonths(t *testing.T) {
	t.Parallel()
	end := time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC)
	m, err := when.Parse("in 1 month", end, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Time.Format(time.RFC3339); got != "2027-02-28T12:00:00Z" {
		t.Errorf("got %s", got)
	}
	if want := "February 2027 has 28 days, so this is its last day"; m.Note != want {
		t.Errorf("note %q, want %q", m.Note, want)
	}
}

// A day without a year that is today is not moved to the next year. The error
// suggests the spelling with the next year.
func TestCheckOffersTheNextYear(t *testing.T) {
	t.Parallel()
	berlin := zone(t, "Europe/Berlin")
	for text, hint := range map[string]string{
		"21 nov 9am":               `write "Nov 21 2027 09:00"`,
		"Nov 21 09:00 Asia/Tokyo":  `write "Nov 21 2027 09:00 Asia/Tokyo"`,
		"21 nov 2026 9am":          "use a time in the future",
		"today 9am":                "use a time in the future",
		"this saturday 9am":        "use a time in the future",
		"tonight 5pm America/Nome": "",
	} {
		m, err := when.Parse(text, now, berlin)
		if err != nil {
			t.Fatal(err)
		}
		err = m.Check(now)
		if hint == "" {
			if err != nil {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), hint) {
			t.Errorf("%q: got %v, want %q", text, err, hint)
		}
		again, err := when.Parse(strings.Trim(strings.TrimPrefix(hint, "write "), `"`), now, berlin)
		if strings.HasPrefix(hint, "write") && (err != nil || again.Check(now) != nil) {
			t.Errorf("the offered %q is refused: %v", hint, err)
		}
	}
}

func TestLoadZone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Europe/Berlin", "UTC", "utc", "America/Argentina/Buenos_Aires"} {
		if _, err := when.LoadZone(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, hint := range map[string]string{
		"":                 "IANA",
		"Local":            "IANA",
		"Mars/Olympus":     "IANA",
		"america/new_york": "America/New_York",
	} {
		var e *when.Error
		if _, err := when.LoadZone(name); !errors.As(err, &e) || !strings.Contains(e.Hint, hint) {
			t.Errorf("%q: got %v, want a hint with %q", name, err, hint)
		}
	}
}
