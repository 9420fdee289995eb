package recurrence_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/recurrence"
	"github.com/schedctl/schedctl/scripts/cost"
)

const start schedctl.LocalTime = "2027-01-05T09:00" // a Tuesday

func parse(t *testing.T, rule string, start schedctl.LocalTime) recurrence.Rule {
	t.Helper()
	r, _, err := recurrence.Parse(rule, start, time.UTC)
	if err != nil {
		t.Fatalf("%s: %v", rule, err)
	}
	return r
}

func TestRules(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]string{
		"FREQ=DAILY":                                    "01-05T09:00 01-06T09:00 01-07T09:00",
		"FREQ=DAILY;BYHOUR=9,18;BYMINUTE=0":             "01-05T09:00 01-05T18:00 01-06T09:00",
		"freq=weekly;byday=th,tu":                       "01-05T09:00 01-07T09:00 01-12T09:00",
		"RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO":         "01-18T09:00 02-01T09:00 02-15T09:00", // the start does not fit
		"FREQ=MONTHLY;BYMONTHDAY=-1":                    "01-31T09:00 02-28T09:00 03-31T09:00",
		"FREQ=MONTHLY;BYMONTHDAY=31":                    "01-31T09:00 03-31T09:00 05-31T09:00",
		"FREQ=MONTHLY;BYDAY=2TU":                        "01-12T09:00 02-09T09:00 03-09T09:00",
		"FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1": "01-29T09:00 02-26T09:00 03-31T09:00",
		"FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24;COUNT=1":  "12-24T09:00",
		"FREQ=WEEKLY;UNTIL=20270119":                    "01-05T09:00 01-12T09:00 01-19T09:00", // the whole day counts
		"FREQ=WEEKLY;UNTIL=20270119T090000":             "01-05T09:00 01-12T09:00 01-19T09:00",
		"FREQ=WEEKLY;UNTIL=20270119T085959Z":            "01-05T09:00 01-12T09:00",
		"FREQ=YEARLY;BYWEEKNO=1;BYDAY=TU;COUNT=1":       "01-05T09:00",
	} {
		r := parse(t, rule, start)
		var got []string
		for _, local := range r.Next("", 3) {
			got = append(got, strings.TrimPrefix(string(local), "2027-"))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: %s, want %s", rule, text, want)
		}
		again := parse(t, r.String(), start)
		if !slices.Equal(r.Next("", 50), again.Next("", 50)) || again.String() != r.String() {
			t.Errorf("%s became %s, which differs", rule, r.String())
		}
	}
}

func TestUntilInTheZoneOfTheRule(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for until, n := range map[string]int{"20270401T070000Z": 6, "20270401T065959Z": 5} { // 9:00 is 7:00Z then
		r, _, err := recurrence.Parse("FREQ=DAILY;UNTIL="+until, "2027-03-27T09:00", berlin)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Next("", 99); len(got) != n {
			t.Errorf("until %s: %v", until, got)
		}
	}
}

func TestRefusedRules(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]string{
		"":                                      "not a part of a rule",
		"INTERVAL=2":                            "FREQ is missing",
		"FREQ=HOURLY":                           "DAILY, WEEKLY, MONTHLY or YEARLY",
		"FREQ=DAILY;FREQ=DAILY":                 "given twice",
		"FREQ=DAILY;COUNT=0":                    "COUNT=0",
		"FREQ=DAILY;INTERVAL=-1":                "INTERVAL=-1",
		"FREQ=DAILY;INTERVAL=99999999999999":    "INTERVAL",
		"FREQ=DAILY;COUNT=3;UNTIL=20280101":     "COUNT and UNTIL",
		"FREQ=DAILY;UNTIL=20261231":             "no occurrence",
		"FREQ=DAILY;UNTIL=tomorrow":             "UNTIL=TOMORROW",
		"FREQ=DAILY;BYHOUR=1,2,3,4,5":           "5 times a day",
		"FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=0,30": "6 times a day",
		"FREQ=DAILY;BYHOUR=24":                  "BYHOUR=24",
		"FREQ=DAILY;BYHOUR=+9":                  "BYHOUR=+9",
		"FREQ=DAILY;BYSECOND=30":                "whole minutes",
		"FREQ=WEEKLY;BYDAY=2TU":                 "needs FREQ=MONTHLY or YEARLY",
		"FREQ=WEEKLY;BYDAY=XX":                  "BYDAY=XX",
		"FREQ=WEEKLY;BYMONTHDAY=1":              "BYMONTHDAY does not go with FREQ=WEEKLY",
		"FREQ=MONTHLY;BYDAY=6TU":                "at most 5",
		"FREQ=YEARLY;BYMONTH=2;BYDAY=-6TU":      "at most 5",
		"FREQ=YEARLY;BYDAY=54TU":                "BYDAY=54TU",
		"FREQ=MONTHLY;BYYEARDAY=1":              "BYYEARDAY needs FREQ=YEARLY",
		"FREQ=YEARLY;BYWEEKNO=1":                "BYWEEKNO needs BYDAY",
		"FREQ=DAILY;BYSETPOS=1":                 "BYSETPOS needs another part",
		"FREQ=MONTHLY;BYMONTHDAY=0":             "BYMONTHDAY=0",
		"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30":   "no occurrence",
		"FREQ=DAILY;BYEASTER=0":                 "not a part of a rule that schedctl knows",
		"FREQ=DAILY;SKIP=FORWARD":               "not a part of a rule that schedctl knows",
		"FREQ=DAILY;WKST=1":                     "WKST=1",
		strings.Repeat("FREQ=DAILY;", 60):       "the limit is 500",
	} {
		_, _, err := recurrence.Parse(rule, start, time.UTC)
		if schedctl.CodeOf(err) != schedctl.ValidationFailed || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", rule, err, want)
		}
	}
	for _, bad := range []schedctl.LocalTime{"", "2027-01-05", "1899-01-01T00:00", "3000-01-01T00:00"} {
		if _, _, err := recurrence.Parse("FREQ=DAILY", bad, time.UTC); schedctl.CodeOf(err) != schedctl.ValidationFailed {
			t.Errorf("start %q: %v", bad, err)
		}
	}
}

func TestHints(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule  string
		start schedctl.LocalTime
		want  string // or empty for no hint
	}{
		{"FREQ=MONTHLY", "2027-01-31T09:00", "without a day 31"},
		{"FREQ=MONTHLY;BYMONTHDAY=30", "2027-01-30T09:00", "BYMONTHDAY=-1"},
		{"FREQ=MONTHLY;BYMONTHDAY=28", "2027-01-28T09:00", ""},
		{"FREQ=MONTHLY;BYMONTH=1,3;BYMONTHDAY=31", "2027-01-31T09:00", ""},
		{"FREQ=YEARLY", "2028-02-29T09:00", "without February 29"},
		{"FREQ=YEARLY", "2027-01-31T09:00", ""},
		{"FREQ=MONTHLY;BYDAY=5FR", "2027-01-29T09:00", "BYDAY=-1FR"},
		{"FREQ=WEEKLY;BYDAY=MO", "2027-01-05T09:00", "first occurrence is Mon 11 Jan 2027 09:00"},
		{"FREQ=WEEKLY;BYDAY=TU", "2027-01-05T09:00", ""},
	} {
		_, hints, err := recurrence.Parse(tt.rule, tt.start, time.UTC)
		if text := strings.Join(hints, " "); err != nil || (tt.want == "") != (text == "") || !strings.Contains(text, tt.want) {
			t.Errorf("%s from %s: hints %q, %v; want %q", tt.rule, tt.start, hints, err, tt.want)
		}
	}
}

// TestMixedDays compares a rule with numbered and other weekdays with the union of two
// rules. The oracles do not agree on it.
func TestMixedDays(t *testing.T) {
	t.Parallel()
	for _, tt := range [][3]string{
		{"FREQ=MONTHLY;BYDAY=FR,-2SU", "FREQ=MONTHLY;BYDAY=FR", "FREQ=MONTHLY;BYDAY=-2SU"},
		{"FREQ=YEARLY;BYDAY=16MO,TH", "FREQ=YEARLY;BYDAY=16MO", "FREQ=YEARLY;BYDAY=TH"},
		{"FREQ=YEARLY;BYMONTH=3;BYDAY=2MO,TH", "FREQ=YEARLY;BYMONTH=3;BYDAY=2MO", "FREQ=YEARLY;BYMONTH=3;BYDAY=TH"},
		{"FREQ=YEARLY;BYDAY=1MO,MO", "FREQ=YEARLY;BYDAY=1MO", "FREQ=YEARLY;BYDAY=MO"},
	} {
		mixed, one, other := parse(t, tt[0], start), parse(t, tt[1], start), parse(t, tt[2], start)
		const until schedctl.LocalTime = "2035-01-01T00:00"
		var want, got []schedctl.LocalTime
		for _, r := range []recurrence.Rule{one, other} {
			for _, local := range r.All("", until) {
				want = append(want, local)
			}
		}
		slices.Sort(want)
		for _, local := range mixed.All("", until) {
			got = append(got, local)
		}
		if !slices.Equal(got, slices.Compact(want)) {
			t.Errorf("%s: %v, want %v", tt[0], got[:5], want[:5])
		}
	}
}

// TestSkippedTimesAreOccurrences guards the exception from rrule-temporal: a local time
// that the clocks skip is an occurrence, and counts.
func TestSkippedTimesAreOccurrences(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	r := parse(t, "FREQ=DAILY;COUNT=3", "2027-03-27T02:30")
	var got []string
	for _, local := range r.Next("", 9) {
		at, note := local.In(berlin)
		got = append(got, at.UTC().Format("01-02T15:04")+string(note))
	}
	if want := []string{"03-27T01:30", "03-28T01:00skipped", "03-29T00:30"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAllHasIndexes(t *testing.T) {
	t.Parallel()
	r := parse(t, "FREQ=WEEKLY;BYDAY=TU,TH;COUNT=10", start)
	var indexes []int
	for i, local := range r.All("2027-01-12T09:00", "2027-01-21T09:00") {
		indexes = append(indexes, i)
		if n, found := r.Contains(local); !found || n != i {
			t.Errorf("%s has index %d, found %v", local, n, found)
		}
	}
	if !slices.Equal(indexes, []int{2, 3, 4}) {
		t.Errorf("indexes %v", indexes)
	}
	if _, found := r.Contains("2027-01-12T09:01"); found {
		t.Error("9:01 is an occurrence")
	}
	if got := r.Next("2027-02-04T09:00", 9); len(got) != 1 {
		t.Errorf("the last ones: %v", got)
	}
}

// TestFromAgreesWithAll compares both for random rules, at times before and long after
// their starts.
func TestFromAgreesWithAll(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 3))
	const leapDay = "2024-02-29T09:00"
	for _, c := range append(randomCases(1000), ruleCase{Rule: "FREQ=YEARLY", Start: leapDay}, ruleCase{Rule: "FREQ=MONTHLY", Start: leapDay}) {
		r, _, err := recurrence.Parse(c.Rule, c.Start, time.UTC)
		if err != nil {
			continue
		}
		for range 4 {
			from := schedctl.LocalTimeOf(c.Start.Civil().Add(time.Duration(random.IntN(20*365*24*60)-60*24*60) * time.Minute))
			var want []schedctl.LocalTime
			for _, local := range r.All(from, "9999-12-31T23:59") {
				if want = append(want, local); len(want) == 10 {
					break
				}
			}
			if got := r.Next(from, 10); !slices.Equal(got, want) {
				t.Fatalf("%s from %s on, after %s:\n got %v\nwant %v", c.Rule, c.Start, from, got, want)
			}
		}
	}
}

// FuzzRule expands any rules. Every valid expansion ends and is in order. A rule that is
// written and read again has the same occurrences.
func FuzzRule(f *testing.F) {
	for _, c := range randomCases(50) {
		f.Add(c.Rule, string(c.Start))
	}
	f.Add("FREQ=YEARLY;BYDAY=-53MO", "2027-01-05T09:00")
	f.Add("FREQ=YEARLY;BYWEEKNO=-53,53,1;BYDAY=SU;WKST=SU", "2027-01-05T09:00")
	f.Add("FREQ=MONTHLY;INTERVAL=1000;BYSETPOS=-366;BYMONTHDAY=-31", "2999-12-31T23:59")
	f.Fuzz(func(t *testing.T, text, from string) {
		defer cost.Check(t, len(text)+len(from))()
		r, _, err := recurrence.Parse(text, schedctl.LocalTime(from), time.UTC)
		if err != nil {
			if schedctl.CodeOf(err) != schedctl.ValidationFailed {
				t.Errorf("%v", err)
			}
			return
		}
		list := r.Next("", 100)
		if len(list) == 0 || !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) || list[0] < schedctl.LocalTime(from) {
			t.Errorf("%s: %v", r.String(), list)
		}
		perDay := map[string]int{}
		for _, local := range list {
			if perDay[local.Day()]++; perDay[local.Day()] > recurrence.MaxPerDay {
				t.Errorf("%s: more than %d on %s", r.String(), recurrence.MaxPerDay, local.Day())
			}
		}
		again, _, err := recurrence.Parse(r.String(), schedctl.LocalTime(from), time.UTC)
		if err != nil || !slices.Equal(again.Next("", 100), list) {
			t.Errorf("%s, written again: %v", r.String(), err)
		}
	})
}
