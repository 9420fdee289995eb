package icalendar_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const master = "SUMMARY:S\nDTSTART:20270301T090000Z\nDTEND:20270301T100000Z\nRRULE:FREQ=DAILY;COUNT=3"

// seriesOf returns a calendar with events of one UID.
func seriesOf(events ...string) string {
	text := calendarOf(events...)
	for i := range events {
		text = strings.Replace(text, fmt.Sprintf("UID:%d@test", i), "UID:u1", 1)
	}
	return text
}

func TestEventsOfOneUID(t *testing.T) {
	t.Parallel()
	const first, second, third = "2027-03-01T10:00 2027-03-01T11:00 S", "2027-03-02T10:00 2027-03-02T11:00 S", "2027-03-03T10:00 2027-03-03T11:00 S"
	for name, tt := range map[string]struct {
		events  []string
		want    []string
		leftOut string
	}{
		"moved":               {[]string{master, "SUMMARY:S moved\nRECURRENCE-ID:20270302T090000Z\nDTSTART:20270302T150000Z\nDTEND:20270302T160000Z"}, []string{first, "2027-03-02T16:00 2027-03-02T17:00 S moved", third}, ""},
		"moved, before it":    {[]string{"SUMMARY:M\nRECURRENCE-ID;TZID=Europe/Berlin:20270302T100000\nDTSTART:20270305T150000Z\nDTEND:20270305T160000Z", master}, []string{first, third, "2027-03-05T16:00 2027-03-05T17:00 M"}, ""},
		"moved by its date":   {[]string{master, "SUMMARY:M\nRECURRENCE-ID;VALUE=DATE:20270302\nDTSTART:20270305T150000Z\nDURATION:PT1H"}, []string{first, third, "2027-03-05T16:00 2027-03-05T17:00 M"}, ""},
		"moved twice":         {[]string{master, "SEQUENCE:2\nSUMMARY:2\nRECURRENCE-ID:20270302T090000Z\nDTSTART:20270302T150000Z\nDURATION:PT1H", "SEQUENCE:1\nSUMMARY:1\nRECURRENCE-ID:20270302T090000Z\nDTSTART:20270302T160000Z\nDURATION:PT1H"}, []string{first, "2027-03-02T16:00 2027-03-02T17:00 2", third}, ""},
		"moved out of time":   {[]string{master, "SUMMARY:M\nRECURRENCE-ID:20270302T090000Z\nDTSTART:20300302T150000Z\nDURATION:PT1H"}, []string{first, third}, ""},
		"canceled once":       {[]string{master, "SUMMARY:S\nSTATUS:CANCELLED\nRECURRENCE-ID:20270302T090000Z\nDTSTART:20270302T090000Z"}, []string{first, third}, "\"S\": canceled on 2027-03-02"},
		"canceled as a whole": {[]string{master, "SEQUENCE:1\nSTATUS:CANCELLED\nDTSTART:20270301T090000Z", "RECURRENCE-ID:20270302T090000Z\nDTSTART:20270302T150000Z\nDURATION:PT1H"}, nil, "canceled"},
		"a newer version":     {[]string{"SEQUENCE:1\nSUMMARY:New\nDTSTART:20270401T080000Z\nDURATION:PT1H", "SEQUENCE:0\nSUMMARY:Old\nDTSTART:20270501T080000Z\nDURATION:PT1H"}, []string{"2027-04-01T10:00 2027-04-01T11:00 New"}, "\"Old\": a newer version"},
		"an occurrence alone": {[]string{"SUMMARY:M\nRECURRENCE-ID:20270302T090000Z\nDTSTART:20270302T150000Z\nDURATION:PT1H"}, []string{"2027-03-02T16:00 2027-03-02T17:00 M"}, ""},
		"this and future":     {[]string{master, "SUMMARY:F\nRECURRENCE-ID;RANGE=THISANDFUTURE:20270302T090000Z\nDTSTART:20270302T110000Z\nDURATION:PT30M"}, []string{first, "2027-03-02T12:00 2027-03-02T12:30 F", "2027-03-03T12:00 2027-03-03T12:30 F"}, ""},
		"future, then one":    {[]string{master, "SUMMARY:F\nRECURRENCE-ID;RANGE=THISANDFUTURE:20270302T090000Z\nDTSTART:20270302T110000Z\nDURATION:PT30M", "SUMMARY:M\nRECURRENCE-ID:20270303T090000Z\nDTSTART:20270303T150000Z\nDURATION:PT1H"}, []string{first, "2027-03-02T12:00 2027-03-02T12:30 F", "2027-03-03T16:00 2027-03-03T17:00 M"}, ""},
		"future canceled":     {[]string{master, "SUMMARY:F\nSTATUS:CANCELLED\nRECURRENCE-ID;RANGE=THISANDFUTURE:20270302T090000Z\nDTSTART:20270302T090000Z"}, []string{first}, "canceled on 2027-03-02"},
		"future, a rule":      {[]string{master, "SUMMARY:F\nRECURRENCE-ID;RANGE=THISANDFUTURE:20270302T090000Z\nDTSTART:20270402T080000Z\nDURATION:PT1H\nRRULE:FREQ=YEARLY"}, []string{first, "2027-04-02T10:00 2027-04-02T11:00 F", "2028-04-02T10:00 2028-04-02T11:00 F"}, ""},
		"nothing changed":     {[]string{master}, []string{first, second, third}, ""},
		"days, moved":         {[]string{"DTSTART;VALUE=DATE:20270501\nRRULE:FREQ=YEARLY", "RECURRENCE-ID;VALUE=DATE:20280501\nDTSTART;VALUE=DATE:20280502"}, []string{"2027-05-01T00:00 2027-05-02T00:00 ", "2028-05-02T00:00 2028-05-03T00:00 "}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, reading := readAll(t, seriesOf(tt.events...))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if text := strings.Join(reading.LeftOut, "\n"); !strings.Contains(text, tt.leftOut) || (text == "") != (tt.leftOut == "") {
				t.Errorf("left out: %q, want %q", text, tt.leftOut)
			}
		})
	}
	if got, _ := readAll(t, strings.Replace(seriesOf(master), "VERSION:2.0", "VERSION:2.0\r\nMETHOD:CANCEL", 1)); got != nil {
		t.Errorf("a calendar that cancels has %q", got)
	}
}
