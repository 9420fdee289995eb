package recurrence_test

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/recurrence"
)

// BenchmarkSweep expands the next two weeks of a series that is a year old, as a sweep
// does.
func BenchmarkSweep(b *testing.B) {
	for b.Loop() {
		r, _, err := recurrence.Parse("FREQ=WEEKLY;BYDAY=TU,TH", "2026-01-06T09:00", time.UTC)
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for range r.All("2027-01-06T09:00", "2027-01-20T09:00") {
			n++
		}
		if n != 4 {
			b.Fatalf("%d occurrences", n)
		}
	}
}

// BenchmarkWorstRule reads a rule without an occurrence, which is searched for the
// longest time.
func BenchmarkWorstRule(b *testing.B) {
	for b.Loop() {
		if _, _, err := recurrence.Parse("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", schedctl.LocalTime("2027-01-05T09:00"), time.UTC); err == nil {
			b.Fatal("it has an occurrence")
		}
	}
}
