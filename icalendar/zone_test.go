package icalendar_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/icalendar"
)

// withZone is a calendar that describes its zone, as Outlook does: that of Berlin.
const withZone = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\n" +
	"BEGIN:VTIMEZONE\r\nTZID:Customized Time Zone\r\n" +
	"BEGIN:STANDARD\r\nDTSTART:16010101T030000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nRRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10\r\nEND:STANDARD\r\n" +
	"BEGIN:DAYLIGHT\r\nDTSTART:16010101T020000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\nRRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3\r\nEND:DAYLIGHT\r\n" +
	"END:VTIMEZONE\r\n" +
	"BEGIN:VEVENT\r\nUID:1\r\nDTSTART;TZID=Customized Time Zone:20270326T090000\r\nDURATION:PT1H\r\nRRULE:FREQ=WEEKLY;COUNT=2\r\nEND:VEVENT\r\n" +
	"BEGIN:VEVENT\r\nUID:2\r\nDTSTART;TZID=Customized Time Zone:20271031T023000\r\nDURATION:PT30M\r\nEND:VEVENT\r\n" +
	"BEGIN:VEVENT\r\nUID:3\r\nDTSTART;TZID=Customized Time Zone:20280701T090000\r\nDURATION:PT1H\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"

func TestZoneOfTheCalendar(t *testing.T) {
	t.Parallel()
	options := optionsFor(time.UTC)
	read := func(calendar string) (list []string) {
		reading, err := icalendar.ReadPeriods(strings.NewReader(calendar), options)
		if err != nil || len(reading.LeftOut) > 0 {
			t.Fatalf("%v %v", reading.LeftOut, err)
		}
		for _, p := range reading.Periods {
			list = append(list, string(p.From))
		}
		return list
	}
	want := []string{"2027-03-26T08:00", "2027-04-02T07:00", "2027-10-31T00:30", "2028-07-01T07:00"}
	if diff := cmp.Diff(want, read(withZone)); diff != "" {
		t.Error(diff)
	}
	named := strings.ReplaceAll(withZone, "Customized Time Zone\r\n", "Customized Time Zone\r\nX-LIC-LOCATION:America/New_York\r\n")
	if got := read(named); got[0] != "2027-03-26T13:00" {
		t.Errorf("%q is not in the named location", got)
	}
	abbreviation := strings.ReplaceAll(withZone, "Customized Time Zone", "EST")
	if diff := cmp.Diff(want, read(abbreviation)); diff != "" {
		t.Errorf("the calendar describes another EST: %s", diff)
	}
	// A zone of fixed changes: it moved once, and stays.
	once := strings.NewReplacer("RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10\r\n", "", "RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3\r\n", "RDATE:20270101T000000\r\n").Replace(withZone)
	if diff := cmp.Diff([]string{"2027-03-26T07:00", "2027-04-02T07:00", "2027-10-31T00:30", "2028-07-01T07:00"}, read(once)); diff != "" {
		t.Error(diff)
	}
}

func TestUnknownZone(t *testing.T) {
	t.Parallel()
	good := calendarOf("SUMMARY:Review\nDTSTART;TZID=Mars/Olympus:20270601T090000\nDURATION:PT1H")
	for name, calendar := range map[string]string{
		"a name":         good,
		"an exception":   calendarOf("DTSTART:20270601T090000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY\nEXDATE;TZID=Mars/Olympus:20270601T090000"),
		"no offset":      strings.ReplaceAll(withZone, "TZOFFSETTO:+0200", "TZOFFSETTO:2"),
		"a large offset": strings.ReplaceAll(withZone, "TZOFFSETTO:+0200", "TZOFFSETTO:+9900"),
		"no changes":     strings.ReplaceAll(strings.ReplaceAll(withZone, "STANDARD", "X-A"), "DAYLIGHT", "X-A"),
	} {
		options := optionsFor(time.UTC)
		if reading, err := icalendar.ReadPeriods(strings.NewReader(calendar), options); err == nil {
			t.Errorf("%s: %v", name, reading)
		} else if _, ok := errors.AsType[*icalendar.UnknownZone](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
		options.Unknown = berlin(t)
		if reading, err := icalendar.ReadPeriods(strings.NewReader(calendar), options); err != nil || len(reading.Periods) == 0 || len(reading.Replaced) != 1 {
			t.Errorf("%s: %v %v", name, reading, err)
		}
	}
	// A canceled event, and a day, need no zone.
	for _, event := range []string{"STATUS:CANCELLED\nDTSTART;TZID=Mars/Olympus:20270601T090000", "DTSTART;VALUE=DATE;TZID=Mars/Olympus:20270601"} {
		if _, err := icalendar.ReadPeriods(strings.NewReader(calendarOf(event)), optionsFor(time.UTC)); err != nil {
			t.Error(err)
		}
	}
}

// The names of Windows are those that package time was generated with, from the CLDR.
func TestWindowsZones(t *testing.T) {
	t.Parallel()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "src", "time", "zoneinfo_abbrs_windows.go"))
	if err != nil {
		t.Skip(err)
	}
	rows := regexp.MustCompile(`(?m)^\t"([^"]+)":.*// (\S+)$`).FindAllSubmatch(source, -1)
	if len(rows) < 130 {
		t.Fatalf("%d rows", len(rows))
	}
	table, err := os.ReadFile("windows.go")
	if err != nil {
		t.Fatal(err)
	}
	table = regexp.MustCompile(` +`).ReplaceAll(table, []byte(" "))
	for _, row := range rows {
		if !bytes.Contains(table, []byte(`"`+string(row[1])+`": "`+string(row[2])+`",`)) {
			t.Errorf("%s is not %s", row[1], row[2])
		}
		event := "DTSTART;TZID=" + string(row[1]) + ":20270601T090000\nDURATION:PT1H"
		if reading, err := icalendar.ReadPeriods(strings.NewReader(calendarOf(event)), optionsFor(time.UTC)); err != nil || len(reading.Periods) != 1 {
			t.Errorf("%s: %v %v", row[1], reading, err)
		}
	}
}
