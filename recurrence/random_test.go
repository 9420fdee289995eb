package recurrence_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
)

// zones are the zones of random cases: with clock changes of an hour and of half an hour,
// with a date that was skipped, with negative daylight saving time, and without any.
var zones = []string{
	"UTC", "Europe/Berlin", "Europe/London", "Europe/Dublin", "America/New_York", "America/Los_Angeles", "America/St_Johns",
	"America/Santiago", "America/Asuncion", "Australia/Lord_Howe", "Australia/Adelaide", "Pacific/Auckland", "Pacific/Chatham",
	"Pacific/Apia", "Africa/Casablanca", "Africa/Cairo", "Asia/Kathmandu", "Asia/Jerusalem", "Atlantic/Azores", "Antarctica/Troll",
}

// horizon is the end of what is compared. schedctl expands at least 290 years, and zone
// databases differ in what they predict for so long.
const horizon = "2060-01-01T00:00"

// ruleCase is a rule for the oracles.
type ruleCase struct {
	Rule  string             `json:"rule"`
	Start schedctl.LocalTime `json:"start"`
	Zone  string             `json:"zone"`
	N     int                `json:"n"`

	Before schedctl.LocalTime `json:"before"` // occurrences from then on are not compared

	SkipPlain bool `json:"skip_plain"` // do not ask rrule
}

// randomCases returns n cases, always the same. Their rules are valid, but may have no
// occurrence.
func randomCases(n int) []ruleCase {
	random := rand.New(rand.NewPCG(20, 26))
	cases := make([]ruleCase, n)
	for i := range cases {
		start := time.Date(2007+random.IntN(24), time.Month(1+random.IntN(12)), 1+random.IntN(28), random.IntN(24), random.IntN(60), 0, 0, time.UTC)
		if random.IntN(4) == 0 { // the hours and days at which clocks change, and the ends of months
			start = start.Add(time.Duration(random.IntN(4)) * 24 * time.Hour).Truncate(24 * time.Hour).Add(time.Duration(random.IntN(8)) * 30 * time.Minute)
		}
		cases[i] = ruleCase{Start: schedctl.LocalTimeOf(start), Zone: zones[random.IntN(len(zones))], N: 1 + random.IntN(15), Before: horizon}
		cases[i].Rule = randomRule(random, start)
	}
	return cases
}

var weekdays = []string{"MO", "TU", "WE", "TH", "FR", "SA", "SU"}

func randomRule(random *rand.Rand, start time.Time) string {
	chance := func(percent int) bool { return random.IntN(100) < percent }
	freq := []string{"DAILY", "WEEKLY", "MONTHLY", "YEARLY"}[random.IntN(4)]
	var b strings.Builder
	b.WriteString("FREQ=" + freq)
	if chance(40) {
		fmt.Fprintf(&b, ";INTERVAL=%d", 1+random.IntN(6))
	}
	list := func(name string, low, high int, signed bool) {
		var values []string
		for range 1 + random.IntN(3) {
			n := low + random.IntN(high-low+1)
			if signed && chance(30) {
				n = -n
			}
			if !slices.Contains(values, fmt.Sprint(n)) {
				values = append(values, fmt.Sprint(n))
			}
		}
		b.WriteString(";" + name + "=" + strings.Join(values, ","))
	}
	byMonth, byDay, weekNo := chance(25), chance(45), freq == "YEARLY" && chance(10)
	if byMonth && !weekNo {
		list("BYMONTH", 1, 12, false)
	}
	switch {
	case weekNo:
		byDay = true
		list("BYWEEKNO", 1, 53, true)
	case freq == "YEARLY" && chance(12):
		list("BYYEARDAY", 1, 366, true)
	case freq != "WEEKLY" && chance(25):
		list("BYMONTHDAY", 1, 31, true)
	}
	if byDay {
		b.WriteString(";BYDAY=" + randomDays(random, freq, byMonth, weekNo))
	}
	times := 1
	if chance(20) {
		hours := 1 + random.IntN(2)
		times *= hours
		b.WriteString(";BYHOUR=" + []string{"9", "2,18"}[hours-1])
	}
	if chance(15) {
		b.WriteString(";BYMINUTE=" + []string{"15", "0,30"}[random.IntN(2)])
	}
	if (byMonth || byDay) && !weekNo && chance(20) {
		fmt.Fprintf(&b, ";BYSETPOS=%s", []string{"1", "-1", "2", "1,-1"}[random.IntN(4)])
	}
	if chance(15) {
		b.WriteString(";WKST=" + weekdays[random.IntN(7)])
	}
	end := start.AddDate(random.IntN(6), random.IntN(12), random.IntN(28)).Add(time.Duration(random.IntN(24)) * time.Hour)
	switch random.IntN(5) {
	case 0:
		fmt.Fprintf(&b, ";COUNT=%d", 1+random.IntN(40))
	case 1:
		b.WriteString(";UNTIL=" + end.Format("20060102"))
	case 2:
		b.WriteString(";UNTIL=" + end.Format("20060102T150405Z"))
	}
	return b.String()
}

func randomDays(random *rand.Rand, freq string, byMonth, weekNo bool) string {
	var days []string
	for range 1 + random.IntN(3) {
		day := weekdays[random.IntN(7)]
		if !weekNo && (freq == "MONTHLY" || freq == "YEARLY") && random.IntN(2) == 0 {
			most := 5
			if freq == "YEARLY" && !byMonth {
				most = 53
			}
			n := 1 + random.IntN(most)
			if random.IntN(3) == 0 {
				n = -n
			}
			day = fmt.Sprint(n, day)
		}
		if !slices.Contains(days, day) {
			days = append(days, day)
		}
	}
	return strings.Join(days, ",")
}
