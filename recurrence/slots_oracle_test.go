package recurrence_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/scripts/testsize"
)

// queueCase is a queue, and the period whose slots are compared.
type queueCase struct {
	queue       schedctl.Queue
	from, until time.Time
}

// randomQueues returns n queues, always the same, with many slots at the hours at which
// clocks change.
func randomQueues(n int) []queueCase {
	random := rand.New(rand.NewPCG(7, 20))
	cases := make([]queueCase, n)
	for i := range cases {
		c := &cases[i]
		c.queue.Timezone = zones[random.IntN(len(zones))]
		for range 1 + random.IntN(3) {
			minute := random.IntN(24 * 60)
			if random.IntN(3) > 0 {
				minute = random.IntN(8) * 30
			}
			days := schedctl.Weekdays(1 + random.IntN(int(schedctl.EveryDay)))
			c.queue.Times = append(c.queue.Times, schedctl.QueueTime{Days: days, Minute: minute})
		}
		c.queue.Normalize()
		c.from = time.Date(2007+random.IntN(24), time.Month(1+random.IntN(12)), 1+random.IntN(28), random.IntN(24), random.IntN(60), 0, 0, time.UTC)
		if random.IntN(20) == 0 { // Pacific/Apia had no 30 December 2011
			c.queue.Timezone, c.from = "Pacific/Apia", time.Date(2011, 12, 26, random.IntN(24), 0, 0, 0, time.UTC)
		}
		c.until = c.from.AddDate(0, 0, 10)
	}
	return cases
}

// rules returns a weekly rule for each time of the queue.
func (c *queueCase) rules(t *testing.T) (rules []ruleCase) {
	loc, err := time.LoadLocation(c.queue.Timezone)
	if err != nil {
		t.Fatal(err)
	}
	local := func(at time.Time, days int) schedctl.LocalTime {
		return schedctl.LocalTime(schedctl.LocalTimeOf(at.In(loc).AddDate(0, 0, days)).Day() + "T00:00")
	}
	for _, qt := range c.queue.Times {
		var days []string
		for _, d := range qt.Days.Days() {
			days = append(days, weekdays[(d+6)%7])
		}
		rules = append(rules, ruleCase{
			Rule:  fmt.Sprintf("FREQ=WEEKLY;BYDAY=%s;BYHOUR=%d;BYMINUTE=%d", strings.Join(days, ","), qt.Minute/60, qt.Minute%60),
			Start: local(c.from, -3), Before: local(c.until, 3), Zone: c.queue.Timezone, N: 100,
		})
	}
	return rules
}

// TestSlotsAgreeWithDateutil compares the instants of slots with those of weekly rules.
// Slots at one instant, as after skipped hours, are one slot.
func TestSlotsAgreeWithDateutil(t *testing.T) {
	t.Parallel()
	dir := oracleLibraries(t, "python3")
	cases := randomQueues(testsize.Of(500, 5000))
	var rules []ruleCase
	for i := range cases {
		rules = append(rules, cases[i].rules(t)...)
	}
	expanded := ask(t, rules, dir, "python3", "testdata/dateutil_oracle.py")
	merged, different := 0, 0
	for _, c := range cases {
		var want, got []int64
		for range c.queue.Times {
			for _, at := range expanded[0].At {
				if at >= c.from.Unix() && at < c.until.Unix() {
					want = append(want, at)
				}
			}
			expanded = expanded[1:]
		}
		slices.Sort(want)
		all := len(want)
		want = slices.Compact(want)
		merged += all - len(want)
		loc, err := time.LoadLocation(c.queue.Timezone)
		if err != nil {
			t.Fatal(err)
		}
		for slot := range c.queue.Slots(c.from, c.until, loc) {
			got = append(got, slot.At.Unix())
		}
		if slices.Equal(got, want) {
			continue
		}
		if different++; different <= 10 {
			t.Errorf("%v in %s from %s: dateutil %v, schedctl %v", c.queue.Times, c.queue.Timezone, c.from, want, got)
		}
	}
	if merged == 0 {
		t.Error("no case has two slots at one instant")
	}
	t.Logf("%d slots at the instant of another slot", merged)
}
