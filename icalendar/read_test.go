package icalendar_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"

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

// readAll returns the periods of a calendar in 2027 and 2028 as lines.
func readAll(t *testing.T, calendar string) (list []string, reading icalendar.Reading) {
	t.Helper()
	reading, err := icalendar.ReadPeriods(strings.NewReader(calendar), optionsFor(berlin(t)))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range reading.Periods {
		line := fmt.Sprintf("%s %s %s", p.From, p.To, p.Summary)
		if p.UTC {
			line += "in UTC"
		}
		list = append(list, line)
	}
	return list, reading
}

func optionsFor(zone *time.Location) icalendar.ReadOptions {
	return icalendar.ReadOptions{Zone: zone, From: "2027-01-01T00:00", Until: "2029-01-01T00:00"}
}

func TestReadPeriods(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		event string
		want  []string
	}{
		"a day":              {"SUMMARY:Christmas\nDTSTART;VALUE=DATE:20271225\nDTEND;VALUE=DATE:20271227", []string{"2027-12-25T00:00 2027-12-27T00:00 Christmas"}},
		"a day without end":  {"SUMMARY:New\n  Year\nDTSTART;VALUE=DATE:20270101", []string{"2027-01-01T00:00 2027-01-02T00:00 New Year"}},
		"a day ends with it": {"DTSTART;VALUE=DATE:20270301\nDTEND;VALUE=DATE:20270301", []string{"2027-03-01T00:00 2027-03-02T00:00 "}},
		"with a duration":    {"DTSTART;VALUE=DATE:20270101\nDURATION:P2D", []string{"2027-01-01T00:00 2027-01-03T00:00 "}},
		"a day of 23 hours":  {"DTSTART;TZID=Europe/Berlin:20270327T120000\nDURATION:P1D", []string{"2027-03-27T12:00 2027-03-28T12:00 "}},
		"24 hours":           {"DTSTART;TZID=Europe/Berlin:20270327T120000\nDURATION:PT24H", []string{"2027-03-27T12:00 2027-03-28T13:00 "}},
		"in UTC":             {"DTSTART:20270601T070000Z\nDTEND:20270601T080000Z", []string{"2027-06-01T09:00 2027-06-01T10:00 "}},
		"in another zone":    {"DTSTART;TZID=America/New_York:20270601T090000\nDURATION:PT1H30M", []string{"2027-06-01T15:00 2027-06-01T16:30 "}},
		"ends elsewhere":     {"DTSTART;TZID=America/New_York:20270601T090000\nDTEND;TZID=Europe/London:20270601T150000", []string{"2027-06-01T15:00 2027-06-01T16:00 "}},
		"a name of Windows":  {"DTSTART;TZID=Eastern Standard Time:20270601T090000\nDURATION:PT1H", []string{"2027-06-01T15:00 2027-06-01T16:00 "}},
		"a name of Mozilla":  {"DTSTART;TZID=/mozilla.org/20050126_1/America/New_York:20270601T090000\nDURATION:PT1H", []string{"2027-06-01T15:00 2027-06-01T16:00 "}},
		"a name of libical":  {"DTSTART;TZID=/freeassociation.sourceforge.net/Tzfile/America/Argentina/Buenos_Aires:20270601T090000\nDURATION:PT1H", []string{"2027-06-01T14:00 2027-06-01T15:00 "}},
		"a name in quotes":   {"DTSTART;TZID=\"America/New_York\":20270601T090000\nDURATION:PT1H", []string{"2027-06-01T15:00 2027-06-01T16:00 "}},
		"UTC of Microsoft":   {"DTSTART;TZID=\"tzone://Microsoft/Utc\":20270601T090000\nDURATION:PT1H", []string{"2027-06-01T11:00 2027-06-01T12:00 "}},
		"each year":          {"SUMMARY:May Day\nDTSTART;VALUE=DATE:20000501\nRRULE:FREQ=YEARLY", []string{"2027-05-01T00:00 2027-05-02T00:00 May Day", "2028-05-01T00:00 2028-05-02T00:00 May Day"}},
		"each year but one":  {"DTSTART;VALUE=DATE:20000501\nRRULE:FREQ=YEARLY\nEXDATE;VALUE=DATE:20270501", []string{"2028-05-01T00:00 2028-05-02T00:00 "}},
		"on added dates":     {"DTSTART;VALUE=DATE:20270328\nRDATE;VALUE=DATE:20270416,20270501\nRDATE;VALUE=DATE:20270601", []string{"2027-03-28T00:00 2027-03-29T00:00 ", "2027-04-16T00:00 2027-04-17T00:00 ", "2027-05-01T00:00 2027-05-02T00:00 ", "2027-06-01T00:00 2027-06-02T00:00 "}},
		"added periods": {
			"DTSTART:20270301T080000Z\nDTEND:20270301T083000Z\nRDATE;VALUE=PERIOD:20270302T080000Z/PT3H,20270303T080000Z/20270303T120000Z\n" +
				"RDATE;VALUE=PERIOD;TZID=America/New_York:20270310T090000/20270310T110000,20270326T230000/p2d\nRDATE:20270401T070000Z",
			[]string{"2027-03-01T09:00 2027-03-01T09:30 ", "2027-03-02T09:00 2027-03-02T12:00 ", "2027-03-03T09:00 2027-03-03T13:00 ", "2027-03-10T15:00 2027-03-10T17:00 ",
				"2027-03-27T04:00 2027-03-29T05:00 ", "2027-04-01T09:00 2027-04-01T09:30 "},
		},
		"in the second of two hours":      {"DTSTART:20271031T010000Z\nDTEND:20271031T013000Z", []string{"2027-10-31T01:00 2027-10-31T01:30 in UTC"}},
		"ends in the second of two hours": {"DTSTART:20271030T220000Z\nDTEND:20271031T013000Z", []string{"2027-10-30T22:00 2027-10-31T01:30 in UTC"}},
		"ends with the second of two":     {"DTSTART:20271031T003000Z\nDTEND:20271031T020000Z", []string{"2027-10-31T02:30 2027-10-31T03:00 "}},
		"in the first of two hours":       {"DTSTART:20271031T001500Z\nDTEND:20271031T004500Z", []string{"2027-10-31T02:15 2027-10-31T02:45 "}},
		"a day in which clocks change":    {"DTSTART;VALUE=DATE:20271031", []string{"2027-10-31T00:00 2027-11-01T00:00 "}},
		"an added period in the second":   {"DTSTART:20270301T080000Z\nDURATION:PT1H\nRDATE;VALUE=PERIOD:20271031T010000Z/PT20M", []string{"2027-03-01T09:00 2027-03-01T10:00 ", "2027-10-31T01:00 2027-10-31T01:20 in UTC"}},
		"added to a rule": {
			"DTSTART:20270301T080000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=2\nRDATE;TZID=America/New_York:20270310T090000\nRDATE:20270302T080000Z",
			[]string{"2027-03-01T09:00 2027-03-01T10:00 ", "2027-03-02T09:00 2027-03-02T10:00 ", "2027-03-10T15:00 2027-03-10T16:00 "},
		},
		// New York changes its clocks two weeks before Berlin.
		"repeats in its own zone": {
			"DTSTART;TZID=America/New_York:20270308T090000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;COUNT=4",
			[]string{"2027-03-08T15:00 2027-03-08T16:00 ", "2027-03-15T14:00 2027-03-15T15:00 ", "2027-03-22T14:00 2027-03-22T15:00 ", "2027-03-29T15:00 2027-03-29T16:00 "},
		},
		"exceptions in its own zone": {
			"DTSTART;TZID=America/New_York:20270308T090000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;COUNT=4\nEXDATE;TZID=America/New_York:20270315T090000,20270322T090000\nEXDATE:20270329T130000Z",
			[]string{"2027-03-08T15:00 2027-03-08T16:00 "},
		},
		"an exception by its date": {"DTSTART:20270301T080000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=2\nEXDATE;VALUE=DATE:20270302", []string{"2027-03-01T09:00 2027-03-01T10:00 "}},
		"before":                   {"DTSTART;VALUE=DATE:20261231", nil},
		"over the start":           {"DTSTART;VALUE=DATE:20261231\nDTEND;VALUE=DATE:20270102", []string{"2026-12-31T00:00 2027-01-02T00:00 "}},
		"after":                    {"DTSTART;VALUE=DATE:20290101", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, reading := readAll(t, calendarOf(tt.event))
			if len(reading.LeftOut) > 0 {
				t.Error(reading.LeftOut)
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
		"DTSTART;VALUE=DATE:20270602\nDTEND;VALUE=DATE:20270601":                                                                "does not last",
		"DTSTART;VALUE=DATE:20271225\nSTATUS:CANCELLED":                                                                         "canceled",
		"DTSTART;VALUE=DATE:20271225\nRDATE:soon":                                                                               "its additional dates were not all read",
		"DTSTART:20270301T080000Z\nDURATION:PT1H\nRDATE;VALUE=PERIOD:20270302T080000Z/soon":                                     "its additional dates were not all read",
		"DTSTART:20270301T080000Z\nDURATION:PT1H\nRDATE;VALUE=PERIOD:20270302T080000Z/20270302T080000Z":                         "does not last",
		"DTSTART;VALUE=DATE:20271225\nEXDATE:soon":                                                                              "its exceptions were not all read",
		"DTSTART;VALUE=DATE:20271225\nEXRULE:FREQ=DAILY":                                                                        "EXRULE",
		"DTSTART;VALUE=DATE:20271225\nEND:VEVENT\nBEGIN:VTODO\nSUMMARY:x\nEND:VTODO\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:20261225": "tasks",
		"DTSTART;VALUE=DATE:20271225\nRRULE:FREQ=HOURLY":                                                                        "only its first date was read",
		"DTSTART;VALUE=DATE:20270601\nDTEND;VALUE=DATE:22270601":                                                                "does not last",
		"DTSTART;VALUE=DATE:00010101":                                                                                           "its year is 1",
	} {
		list, reading := readAll(t, calendarOf(event, good))
		if unread := reading.LeftOut; len(list) == 0 || len(unread) != 1 || !strings.Contains(unread[0], want) {
			t.Errorf("%s: %v %q, want %q", event, list, unread, want)
		}
	}
	for _, bad := range []string{"", "hello", strings.Repeat("x", icalendar.MaxBytes+10)} {
		if _, err := icalendar.ReadPeriods(strings.NewReader(bad), optionsFor(berlin(t))); err == nil {
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
	f.Add(seriesOf(master, "RECURRENCE-ID:20270302T090000Z\nDTSTART:20270302T150000Z\nDURATION:PT1H", "RECURRENCE-ID;RANGE=THISANDFUTURE:20270303T090000Z\nDTSTART:20270304T150000Z\nDURATION:PT2H"))
	f.Add(withZone)
	options := optionsFor(berlin(f))
	f.Fuzz(func(t *testing.T, text string) {
		defer cost.Check(t, len(text))()
		reading, err := icalendar.ReadPeriods(strings.NewReader(text), options)
		list := reading.Periods
		if err != nil && len(list) > 0 || len(list) > icalendar.MaxPeriods {
			t.Errorf("%d periods, %v", len(list), err)
		}
		for _, p := range list {
			if p.From >= p.To || p.From >= options.Until || p.To <= options.From || strings.ContainsAny(p.Summary, "\r\n\x00") {
				t.Errorf("%+v", p)
			}
		}
		if !slices.IsSortedFunc(list, func(a, b icalendar.Period) int { return strings.Compare(string(a.From), string(b.From)) }) {
			t.Errorf("not in order: %v", list)
		}
	})
}
