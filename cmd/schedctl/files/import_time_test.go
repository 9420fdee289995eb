package files

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl/scripts/cost"
)

// sheetNow is a Friday.
var sheetNow = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

func TestTimesOfSpreadsheets(t *testing.T) {
	t.Parallel()
	us, eu, clock := sheetTimes{order: "us"}, sheetTimes{order: "eu"}, sheetTimes{clock: "9am"}
	for _, tt := range []struct {
		times      sheetTimes
		text, want string
	}{
		{sheetTimes{}, "tomorrow 9am", "tomorrow 9am"},
		{sheetTimes{}, "3/4/2027 9:00", "3/4/2027 9:00"},
		{us, "3/4/2027 9:00", "2027-03-04 9:00"},
		{eu, "3/4/2027 9:00", "2027-04-03 9:00"},
		{us, "3-4-27", "2027-03-04"},
		{us, "3.4.2027 9:00", "3.4.2027 9:00"}, // with dots the day is always first
		{us, "1/5/2027 9:00:00 AM", "2027-01-05 09:00:00"},
		{eu, "1/5/2027, 12:30:15 p.m.", "2027-05-01 12:30:15"},
		{sheetTimes{}, "2027-01-05 12:00:00 AM", "2027-01-05 00:00:00"},
		{sheetTimes{}, "2027-01-05 13:00:00 PM", "2027-01-05 13:00:00 PM"},
		{sheetTimes{}, "46027.375", "2026-01-05 09:00:00"},
		{sheetTimes{}, "46027,375", "2026-01-05 09:00:00"},
		{sheetTimes{}, "46027 0.375", "2026-01-05 09:00:00"},
		{sheetTimes{}, "46027 9:00", "2026-01-05 9:00"},
		{sheetTimes{}, "46027.9999999999", "2026-01-06 00:00:00"},
		{sheetTimes{}, "46027", "2026-01-05"},
		{sheetTimes{}, "12345", "12345"}, // 1933
		{sheetTimes{}, "99999.5", "99999.5"},
		{clock, "46027", "2026-01-05 9am"},
		{clock, "2027-01-05", "2027-01-05 9am"},
		{clock, "5.1.2027", "5.1.2027 9am"},
		{clock, "2027-01-05 10:00", "2027-01-05 10:00"},
		{clock, "", ""},
		{clock, "Mar 4, 2027", "Mar 4, 2027 9am"},
		{clock, "4 Mar 2027", "4 Mar 2027 9am"},
		{clock, "2026/12/24", "2026/12/24 9am"},
		{clock, "24.12.", "24.12. 9am"},
		{clock, "tomorrow", "tomorrow 9am"},
		{clock, "friday", "friday 9am"},
		{clock, "the 5th", "the 5th 9am"},
		{clock, "2027-03-04 ET", "9am 2027-03-04 ET"},
		{clock, "Mar 4, 2027 Europe/Berlin", "9am Mar 4, 2027 Europe/Berlin"},
		{sheetTimes{clock: "09:00"}, "24.12. CET", "09:00 24.12. CET"},
		{sheetTimes{order: "us", clock: "9am"}, "Tue 1/5/27", "Tue 2027-01-05 9am"},
		{clock, "tomorrow morning", "tomorrow morning"},
		{clock, "in 2 weeks", "in 2 weeks"},
		{clock, "next-slot", "next-slot"},
		{clock, "5.12", "5.12"}, // could be a time of day
		{clock, "3/4/2027", "3/4/2027"},
		{clock, "nonsense", "nonsense"},
		{eu, "3.4.27 9:00", "2027-04-03 9:00"},
		{eu, "05.01.27", "2027-01-05"},
		{eu, "Di 5.1.27", "Di 5.1.27"},
		{us, "Tue 1/5/2027 9:00", "Tue 2027-01-05 9:00"},
		{us, "Tuesday, 1/5/2027 9:00", "Tuesday, 2027-01-05 9:00"},
		{us, "wed 1/5/27 9:00", "wed 2027-01-05 9:00"}, // refused later
	} {
		if got, err := tt.times.read(tt.text, sheetNow); got != tt.want || err != nil {
			t.Errorf("%q with %v is %q, %v, want %q", tt.text, tt.times, got, err, tt.want)
		}
	}
	for text, times := range map[string]sheetTimes{"13/1/2027 9:00": us, "1/13/2027": eu, "31/2/2027": eu, "3.4.27": us} {
		if got, err := times.read(text, sheetNow); err == nil {
			t.Errorf("%q with %v is %q", text, times, got)
		}
	}
}

func FuzzSheetTimes(f *testing.F) {
	f.Add("1/5/2027 9:00:00 AM")
	f.Add("46027.375")
	f.Fuzz(func(t *testing.T, text string) {
		defer cost.Check(t, len(text))()
		for _, times := range []sheetTimes{{}, {order: "us", clock: "9am"}, {order: "eu"}} {
			if got, err := times.read(text, sheetNow); err != nil && got != "" || len(got) > 2*len(text)+40 {
				t.Errorf("%q is %q, %v", text, got, err)
			}
		}
	})
}
