package when

import (
	"fmt"
	"time"
)

// date is a calendar date.
type date struct {
	year  int
	month time.Month
	day   int
}

func dateOf(t time.Time) date {
	y, m, d := t.Date()
	return date{y, m, d}
}

// midnight returns the start of the date in UTC, for date arithmetic.
func (d date) midnight() time.Time { return time.Date(d.year, d.month, d.day, 0, 0, 0, 0, time.UTC) }

func (d date) addDays(n int) date { return dateOf(d.midnight().AddDate(0, 0, n)) }

func (d date) before(o date) bool { return d.midnight().Before(o.midnight()) }

// String returns the date as people write it.
func (d date) String() string { return d.midnight().Format("2 Jan 2006") }

// addMonths returns the same day of a later month. If that month is too short, it
// returns its last day and a note.
func (d date) addMonths(n int) (date, string) {
	first := dateOf(date{d.year, d.month, 1}.midnight().AddDate(0, n, 0))
	last := date{first.year, first.month + 1, 1}.addDays(-1)
	if d.day <= last.day {
		return date{first.year, first.month, d.day}, ""
	}
	return last, fmt.Sprintf("%s %d has %d days, so this is its last day", last.month, last.year, last.day)
}

// monday returns the Monday of the week of the date.
func (d date) monday() date { return d.addDays(-(int(d.midnight().Weekday()) + 6) % 7) }

// nth returns the n-th such weekday of the month of the date, from its end if n is
// negative. It does not exist if found is false.
func (d date) nth(n int, day time.Weekday) (nth date, found bool) {
	first := date{d.year, d.month, 1}
	if n < 0 {
		last := date{d.year, d.month + 1, 1}.addDays(-1)
		nth = last.addDays(-(int(last.midnight().Weekday()-day)+7)%7 + 7*(n+1))
		return nth, nth.month == first.month
	}
	nth = first.addDays((int(day-first.midnight().Weekday())+7)%7 + 7*(n-1))
	return nth, nth.month == first.month
}

// valid reports whether the date exists.
func (d date) valid() bool { return dateOf(d.midnight()) == d }
