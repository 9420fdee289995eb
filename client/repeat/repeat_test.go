package repeat_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/repeat"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/scripts/cost"
)

// now is a Monday, at 12:00 in Berlin.
var now = time.Date(2026, 11, 23, 11, 0, 0, 0, time.UTC)

func berlin(t testing.TB) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"daily at 9:00":                                           "FREQ=DAILY 2026-11-24T09:00",
		"Daily at 18:00":                                          "FREQ=DAILY 2026-11-23T18:00",
		"every day at 9am":                                        "FREQ=DAILY 2026-11-24T09:00",
		"every 3 days at noon":                                    "FREQ=DAILY;INTERVAL=3 2026-11-24T12:00",
		"every other day at 9:00":                                 "FREQ=DAILY;INTERVAL=2 2026-11-24T09:00",
		"daily on mon,tue at 9:00":                                "FREQ=DAILY;BYDAY=MO,TU 2026-11-24T09:00",
		"weekly on tue,thu at 9:00 until 2027-06-30":              "FREQ=WEEKLY;BYDAY=TU,TH;UNTIL=20270630 2026-11-24T09:00",
		"weekly on Thursday, tuesday and FRI at 9:00":             "FREQ=WEEKLY;BYDAY=TU,TH,FR 2026-11-24T09:00",
		"weekly at 9:00":                                          "FREQ=WEEKLY;BYDAY=TU 2026-11-24T09:00",
		"weekly at 18:00":                                         "FREQ=WEEKLY;BYDAY=MO 2026-11-23T18:00",
		"every 2 weeks on mon at 9am":                             "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO 2026-11-30T09:00",
		"every 2 weeks on mon at 9am from next monday":            "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO 2026-11-30T09:00",
		"every tuesday and friday at 9:00 and 18:00, 10 times":    "FREQ=WEEKLY;BYDAY=TU,FR;BYHOUR=9,18;BYMINUTE=0;COUNT=10 2026-11-24T09:00",
		"every mon at 9:00, 9:30":                                 "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0,30 2026-11-30T09:00",
		"weekdays at 8:30":                                        "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR 2026-11-24T08:30",
		"every weekday at 8:30 for 5 times":                       "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;COUNT=5 2026-11-24T08:30",
		"weekends at 10:00":                                       "FREQ=WEEKLY;BYDAY=SA,SU 2026-11-28T10:00",
		"monthly on the last day at 18:00":                        "FREQ=MONTHLY;BYMONTHDAY=-1 2026-11-30T18:00",
		"monthly on the 2nd tuesday at 9:00":                      "FREQ=MONTHLY;BYDAY=2TU 2026-12-08T09:00",
		"monthly on the first monday and the last friday at 9:00": "FREQ=MONTHLY;BYDAY=-1FR,1MO 2026-11-27T09:00",
		"monthly on the 1st and 15th at noon":                     "FREQ=MONTHLY;BYMONTHDAY=1,15 2026-12-01T12:00",
		"monthly on 31 at 9:00":                                   "FREQ=MONTHLY;BYMONTHDAY=31 2026-12-31T09:00",
		"monthly on day 15 at 9:00":                               "FREQ=MONTHLY;BYMONTHDAY=15 2026-12-15T09:00",
		"monthly on the last weekday at 17:00":                    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1 2026-11-30T17:00",
		"monthly at 9:00":                                         "FREQ=MONTHLY;BYMONTHDAY=24 2026-11-24T09:00",
		"every 3 months on the 1st at 9:00 from 2027-01-01":       "FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=1 2027-01-01T09:00",
		"every monday 9am":                                        "FREQ=WEEKLY;BYDAY=MO 2026-11-30T09:00",
		"every weekend at 10":                                     "FREQ=WEEKLY;BYDAY=SA,SU 2026-11-28T10:00",
		"every mon-fri at 9am":                                    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR 2026-11-24T09:00",
		"mon-fri 9am":                                             "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR 2026-11-24T09:00",
		"fri-sun and tue 9am":                                     "FREQ=WEEKLY;BYDAY=TU,FR,SA,SU 2026-11-24T09:00",
		"every tue/thu at 9":                                      "FREQ=WEEKLY;BYDAY=TU,TH 2026-11-24T09:00",
		"weekly on mon-wed, sat at 9":                             "FREQ=WEEKLY;BYDAY=MO,TU,WE,SA 2026-11-24T09:00",
		"mondays at 9am":                                          "FREQ=WEEKLY;BYDAY=MO 2026-11-30T09:00",
		"tuesday and friday at 9":                                 "FREQ=WEEKLY;BYDAY=TU,FR 2026-11-24T09:00",
		"every tue and fri 9:30 until 2027-06-30":                 "FREQ=WEEKLY;BYDAY=TU,FR;UNTIL=20270630 2026-11-24T09:30",
		"daily 9am 10 times":                                      "FREQ=DAILY;COUNT=10 2026-11-24T09:00",
		"weekdays at 9":                                           "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR 2026-11-24T09:00",
		"weekdays 9am":                                            "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR 2026-11-24T09:00",
		"first monday of the month at 9":                          "FREQ=MONTHLY;BYDAY=1MO 2026-12-07T09:00",
		"the last friday of each month 17:00":                     "FREQ=MONTHLY;BYDAY=-1FR 2026-11-27T17:00",
		"every second tuesday of the month at 9":                  "FREQ=MONTHLY;BYDAY=2TU 2026-12-08T09:00",
		"last day of the month at 18:00":                          "FREQ=MONTHLY;BYMONTHDAY=-1 2026-11-30T18:00",
		"the 15th of every month at noon":                         "FREQ=MONTHLY;BYMONTHDAY=15 2026-12-15T12:00",
		"every 2nd tuesday 9am":                                   "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU 2026-11-24T09:00",
		"every second tuesday at 9am":                             "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU 2026-11-24T09:00",
		"every 3rd friday at 9:00":                                "FREQ=WEEKLY;INTERVAL=3;BYDAY=FR 2026-11-27T09:00",
		"quarterly on the 1st at 9:00":                            "FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=1 2026-12-01T09:00",
		"0 9 * * *":                                               "FREQ=DAILY 2026-11-24T09:00",
		"30 8 * * 1-5":                                            "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR 2026-11-24T08:30",
		"0 9,18 * * mon,thu until 2027-06-30":                     "FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=9,18;BYMINUTE=0;UNTIL=20270630 2026-11-23T18:00",
		"0 9 1,15 * *":                                            "FREQ=MONTHLY;BYMONTHDAY=1,15 2026-12-01T09:00",
		"0 10 24 12 *":                                            "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24 2026-12-24T10:00",
		"0 12 * * 0":                                              "FREQ=WEEKLY;BYDAY=SU 2026-11-29T12:00",
		"0 12 * * 7":                                              "FREQ=WEEKLY;BYDAY=SU 2026-11-29T12:00",
		"yearly on dec 24 at 10:00":                               "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24 2026-12-24T10:00",
		"yearly on 24 december at 10:00":                          "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24 2026-12-24T10:00",
		"yearly on the 4th thursday of november at 9:00":          "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH 2026-11-26T09:00",
		"yearly on the last day of february at 9:00":              "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1 2027-02-28T09:00",
		"yearly at 9:00":                                          "FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=24 2026-11-24T09:00",
		"FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=2 at 9:00":             "FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=2 2026-12-07T09:00",
		"rrule:freq=daily;byhour=9,18;byminute=0":                 "FREQ=DAILY;BYHOUR=9,18;BYMINUTE=0 2026-11-23T18:00",
		"FREQ=WEEKLY;INTERVAL=2 at 9:00 from 2026-12-01":          "FREQ=WEEKLY;INTERVAL=2 2026-12-01T09:00",
	} {
		got, err := repeat.Parse(text, now, berlin(t))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if line := got.Rule.String() + " " + string(got.Start); line != want {
			t.Errorf("%s:\n got %s\nwant %s", text, line, want)
		}
		checkWords(t, got)
	}
}

// checkWords checks that the words of a repetition are read as the same repetition, and
// become the same words.
func checkWords(t *testing.T, r repeat.Repetition) {
	t.Helper()
	words := repeat.Words(&r.Rule, r.Start)
	again, err := repeat.Parse(words, now, berlin(t))
	if err != nil || again.Rule.String() != r.Rule.String() || again.Start != r.Start {
		t.Errorf("%s from %s became %q, which is read as %s from %s: %v", r.Rule.String(), r.Start, words, again.Rule.String(), again.Start, err)
		return
	}
	if back := repeat.Words(&again.Rule, again.Start); back != words {
		t.Errorf("%q became %q", words, back)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"weekly on tue,thu at 9:00 until 2027-06-30":     "weekly on tuesday and thursday at 9:00 from 2026-11-24 until 2027-06-30",
		"every other week on mon at 9am":                 "every 2 weeks on monday at 9:00 from 2026-11-30",
		"monthly on the last day at 18:00":               "monthly on the last day at 18:00 from 2026-11-30",
		"monthly on the 2nd tuesday at 9:00 10 times":    "monthly on the 2nd tuesday at 9:00 from 2026-12-08 10 times",
		"monthly on the last weekday at 17:00":           "monthly on the last weekday at 17:00 from 2026-11-30",
		"yearly on the 4th thursday of november at 9:00": "yearly on the 4th thursday of november at 9:00 from 2026-11-26",
		"every tue and fri at 9:00 and 18:00":            "weekly on tuesday and friday at 9:00 and 18:00 from 2026-11-24",
		"FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=2 at 9:00":    "FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=2 at 9:00 from 2026-12-07",
	} {
		got, err := repeat.Parse(text, now, berlin(t))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if words := repeat.Words(&got.Rule, got.Start); words != want {
			t.Errorf("%s:\n got %s\nwant %s", text, words, want)
		}
	}
}

func TestErrorsPointAtTheWord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                       "the repetition is empty",
		"fortnightly at 9:00":                    `has "fortnightly" where daily, weekly, monthly, yearly or every is expected`,
		"weekley at 9:00":                        `did you mean "weekly"?`,
		"weekly on tus at 9:00":                  `has "tus" where a weekday is expected: did you mean "tue"?`,
		"weekly on tue, frog at 9:00":            `has "frog" where a weekday is expected: did you mean "fri"?`,
		"every 2 wekks on mon at 9:00":           `has "wekks" where day, week, month, year or a weekday is expected: did you mean "week"?`,
		"weekly on tue":                          `has no time of day: add one, such as "at 9:00"`,
		"weekly on tue at":                       "ends where a time of day is expected",
		"weekly on tue at 25:00":                 `has "25:00" where a time of day is expected`,
		"weekly on tue at 9:00 unti 2027":        `has "unti" where on, at, from, until or a number of times is expected: did you mean "until"?`,
		"weekly on tue at 9:00 until":            "ends where a date is expected",
		"weekly on tue at 9:00 until never":      `has "never" where a date is expected`,
		"weekly on tue at 9:00 at 10:00":         `has "at" twice`,
		"weekly on tue at 9:00 10":               `has "10" where on, at, from, until or a number of times is expected`,
		"weekly on tue at 9:00 for ever":         `has "ever" where a number of times is expected`,
		"weekly on tue at 9:00 and 10:30":        "different minutes",
		"daily at 1:00,2:00,3:00,4:00,5:00":      "5 times a day",
		"monthly on the last at 9:00":            `has "at" where "day" or a weekday is expected`,
		"monthly on the 32nd at 9:00":            "day 32",
		"monthly on the 6th tuesday at 9:00":     "weekday number 6",
		"yearly on the 24th at 9:00":             `has "at" where a month is expected`,
		"yearly on feb 30 at 9:00":               "no occurrence",
		"daily at 9:00 until 2026-11-01":         "no occurrence",
		"daily at 9:00 until 2026-12-01 3 times": "COUNT and UNTIL",
		"quarterly":                              `has no time of day: add one, such as "at 9:00"`,
		"every monday 9am at 10am":               `"at" twice`,
		"every monday 9am 10am":                  `has "10am"`,
		"* * * * *":                              "more than four times a day",
		"0 9 1 * 1":                              "cron joins with or",
		"0 9 * 1,7 *":                            "months",
		"0 25 * * *":                             `has the hour "25" of a cron expression`,
		"0 9 * * 1-9":                            `has the weekday "1-9"`,
		"daily at 9:00 Berlin":                   `has "berlin" where on, at`,
		"FREQ=HOURLY at 9:00":                    "FREQ=HOURLY is not possible: use DAILY",
		"FREQ=DAILY":                             "has no time of day",
		"every 0 days at 9:00":                   "INTERVAL=0",
		"daily\x00 at 9:00":                      "contains characters",
		strings.Repeat("daily ", 200):            "is too long",
	} {
		got, err := repeat.Parse(text, now, berlin(t))
		var e *when.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) || e.Hint == "" {
			t.Errorf("%.60q: %v (%s from %s), want %q", text, err, got.Rule.String(), got.Start, want)
		}
	}
}

// FuzzRepeat parses any text. Every error is a [*when.Error], and what is valid has words.
func FuzzRepeat(f *testing.F) {
	for _, seed := range []string{
		"daily at 9:00", "weekly on tue,thu at 9:00 until 2027-06-30", "every 2 weeks on mon at 9am from next monday, 3 times",
		"monthly on the last day and the 15th at 18:00", "yearly on the 4th thursday of november at 9:00", "monthly on the last weekday at 17:00",
		"FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=2 at 9:00 from 2027-01-01", "rrule:freq=daily;byhour=9,18;byminute=0", "every , and", "weekly on", "the 1st",
	} {
		f.Add(seed)
	}
	loc := berlin(f)
	f.Fuzz(func(t *testing.T, text string) {
		defer cost.Check(t, len(text))()
		r, err := repeat.Parse(text, now, loc)
		if err != nil {
			var e *when.Error
			if !errors.As(err, &e) || e.Hint == "" || e.Message == "" {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if next := r.Rule.Next("", 1); len(next) == 0 {
			t.Errorf("%q has no occurrence", text)
		}
		if r.Start < schedctl.LocalTimeOf(now.In(loc)) {
			return // with a from clause
		}
		checkWords(t, r)
	})
}
