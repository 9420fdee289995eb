package icalendar_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/icalendar"
	"github.com/schedctl/schedctl/scripts/cost"
)

func berlin(t testing.TB) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// calendarOf returns a calendar with events, each a list of lines.
func calendarOf(events ...string) string {
	text := "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\n"
	for i, e := range events {
		text += fmt.Sprintf("BEGIN:VEVENT\r\nUID:%d@test\r\n%s\r\nEND:VEVENT\r\n", i, strings.ReplaceAll(e, "\n", "\r\n"))
	}
	return text + "END:VCALENDAR\r\n"
}

func TestReadPeriods(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		event string
		want  []string
	}{
		"a day":              {"SUMMARY:Christmas\nDTSTART;VALUE=DATE:20271225\nDTEND;VALUE=DATE:20271227", []string{"2027-12-25T00:00 2027-12-27T00:00 Christmas"}},
		"a day without end":  {"SUMMARY:New\n  Year\nDTSTART;VALUE=DATE:20270101", []string{"2027-01-01T00:00 2027-01-02T00:00 New Year"}},
		"with a duration":    {"DTSTART;VALUE=DATE:20270101\nDURATION:P2D", []string{"2027-01-01T00:00 2027-01-03T00:00 "}},
		"in UTC":             {"DTSTART:20270601T070000Z\nDTEND:20270601T080000Z", []string{"2027-06-01T09:00 2027-06-01T10:00 "}},
		"in another zone":    {"DTSTART;TZID=America/New_York:20270601T090000\nDURATION:PT1H30M", []string{"2027-06-01T15:00 2027-06-01T16:30 "}},
		"in an unknown zone": {"DTSTART;TZID=W. Europe Standard Time:20270601T090000\nDURATION:PT1H", []string{"2027-06-01T09:00 2027-06-01T10:00 "}},
		"each year":          {"SUMMARY:May Day\nDTSTART;VALUE=DATE:20000501\nRRULE:FREQ=YEARLY", []string{"2027-05-01T00:00 2027-05-02T00:00 May Day", "2028-05-01T00:00 2028-05-02T00:00 May Day"}},
		"each year but one":  {"DTSTART;VALUE=DATE:20000501\nRRULE:FREQ=YEARLY\nEXDATE;VALUE=DATE:20270501", []string{"2028-05-01T00:00 2028-05-02T00:00 "}},
		"canceled":           {"DTSTART;VALUE=DATE:20271225\nSTATUS:CANCELLED", nil},
		"before":             {"DTSTART;VALUE=DATE:20261231", nil},
		"over the start":     {"DTSTART;VALUE=DATE:20261231\nDTEND;VALUE=DATE:20270102", []string{"2026-12-31T00:00 2027-01-02T00:00 "}},
		"after":              {"DTSTART;VALUE=DATE:20290101", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, unread, err := icalendar.ReadPeriods(strings.NewReader(calendarOf(tt.event)), berlin(t), "2027-01-01T00:00", "2029-01-01T00:00")
			if err != nil || len(unread) > 0 {
				t.Fatalf("%v %v", unread, err)
			}
			var got []string
			for _, p := range list {
				got = append(got, fmt.Sprintf("%s %s %s", p.From, p.To, p.Summary))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnreadEvents(t *testing.T) {
	t.Parallel()
	good := "DTSTART;VALUE=DATE:20271225"
	for event, want := range map[string]string{
		"SUMMARY:a":                             "no start",
		"DTSTART:tomorrow":                      "not a time",
		"DTSTART:20270601T090000":               "does not last",
		"DTSTART:20270601T090000\nDURATION:P1Y": "not a duration",
		"DTSTART;VALUE=DATE:20270601\nDTEND;VALUE=DATE:20270601": "does not last",
		"DTSTART;VALUE=DATE:20271225\nRRULE:FREQ=HOURLY":         "only its first date was read",
		"DTSTART;VALUE=DATE:20270601\nDTEND;VALUE=DATE:22270601": "does not last",
		"DTSTART;VALUE=DATE:00010101":                            "its year is 1",
	} {
		list, unread, err := icalendar.ReadPeriods(strings.NewReader(calendarOf(event, good)), berlin(t), "2027-01-01T00:00", "2028-01-01T00:00")
		if err != nil || len(list) == 0 || len(unread) != 1 || !strings.Contains(unread[0], want) {
			t.Errorf("%s: %v %q %v, want %q", event, list, unread, err, want)
		}
	}
	for _, bad := range []string{"", "hello", strings.Repeat("x", icalendar.MaxBytes+10)} {
		if _, _, err := icalendar.ReadPeriods(strings.NewReader(bad), berlin(t), "2027-01-01T00:00", "2028-01-01T00:00"); err == nil {
			t.Errorf("%.10q is a calendar", bad)
		}
	}
}

// FuzzRead reads any calendar. Periods are in order, not empty, and within the limits.
func FuzzRead(f *testing.F) {
	f.Add(calendarOf("DTSTART;VALUE=DATE:20271225\nDTEND;VALUE=DATE:20271227", "DTSTART;TZID=America/New_York:20270601T090000\nDURATION:PT1H30M"))
	f.Add(calendarOf("DTSTART;VALUE=DATE:20000501\nRRULE:FREQ=YEARLY\nEXDATE;VALUE=DATE:20270501,20280501"))
	f.Add("BEGIN:VCALENDAR\nEND:VCALENDAR")
	f.Add("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART;X=\"a:\r\n")
	loc := berlin(f)
	const from, until schedctl.LocalTime = "2027-01-01T00:00", "2029-01-01T00:00"
	f.Fuzz(func(t *testing.T, text string) {
		defer cost.Check(t, len(text))()
		list, _, err := icalendar.ReadPeriods(strings.NewReader(text), loc, from, until)
		if err != nil && len(list) > 0 || len(list) > icalendar.MaxPeriods {
			t.Errorf("%d periods, %v", len(list), err)
		}
		for _, p := range list {
			if p.From >= p.To || p.From >= until || p.To <= from || strings.ContainsAny(p.Summary, "\r\n\x00") {
				t.Errorf("%+v", p)
			}
		}
		if !slices.IsSortedFunc(list, func(a, b icalendar.Period) int { return strings.Compare(string(a.From), string(b.From)) }) {
			t.Errorf("not in order: %v", list)
		}
	})
}
