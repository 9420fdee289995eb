package when

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// clock is a time of day.
type clock struct{ hour, minute, second, nanosecond int }

// String returns the time of day on 24 hours.
func (c clock) String() string {
	if c.second == 0 {
		return fmt.Sprintf("%02d:%02d", c.hour, c.minute)
	}
	return fmt.Sprintf("%02d:%02d:%02d", c.hour, c.minute, c.second)
}

func (c clock) valid() bool {
	return c.hour < 24 && c.minute < 60 && c.second < 60
}

var (
	clock24 = lazily(`^(\d{1,2}):(\d{2})(?::(\d{2}))?$`)
	clock12 = lazily(`^(\d{1,2})(?::(\d{2}))? ?(am|pm)$`)
	hour    = lazily(`^\d{1,2}$`)
)

// readClock reads a time of day from one or two words. matched is false when they
// are not a time of day.
func readClock(in input, words []string) (c clock, matched bool, err error) {
	text := strings.Join(words, " ")
	switch {
	case text == "noon":
		return clock{hour: 12}, true, nil
	case text == "midnight":
		return clock{}, true, nil
	case hour().MatchString(text):
		return clock{}, false, in.bareHour(text)
	}
	if m := clock24().FindStringSubmatch(text); m != nil {
		c = clock{hour: number(m[1]), minute: number(m[2]), second: number(m[3])}
		if !c.valid() {
			return c, false, in.unreadable(fmt.Sprintf("has an invalid time of day, %s", text), "hours go from 0:00 to 23:59, and midnight starts the day")
		}
		return c, true, nil
	}
	if m := clock12().FindStringSubmatch(text); m != nil {
		c, err = in.onTwelve(number(m[1]), number(m[2]), m[3])
		return c, err == nil, err
	}
	return clock{}, false, nil
}

func (in input) bareHour(text string) error {
	h := number(text)
	switch {
	case h == 0 || h > 12 && h < 24:
		return in.unreadable("has an hour without minutes", fmt.Sprintf("write %d:00", h))
	case h > 23:
		return in.unreadable("has no time of day", "try 9am or 21:00")
	}
	return in.ambiguous("could be in the morning or in the evening", fmt.Sprintf("write %dam or %dpm", h, h))
}

func (in input) onTwelve(h, m int, half string) (clock, error) {
	if h > 12 && h < 24 && m < 60 {
		return clock{}, in.unreadable(fmt.Sprintf("has hour %d with %s", h, half), fmt.Sprintf("write %d:%02d", h, m))
	}
	if h < 1 || h > 12 || m > 59 {
		return clock{}, in.unreadable("has an invalid time of day", "write 12am for midnight, 12pm for noon, or use 24 hours: 0:00 to 23:59")
	}
	h %= 12
	if half == "pm" {
		h += 12
	}
	return clock{hour: h, minute: m}, nil
}

// parseClock reads a time of day alone and returns the next such time.
func parseClock(in input) (Result, bool, error) {
	words := in.words
	if words[0] == "at" {
		words = words[1:]
	}
	c, matched, err := readClock(in, words)
	if !matched {
		return Result{}, false, err
	}
	m := resolve(dateOf(in.now), c, in.loc)
	if !m.Time.After(in.now) {
		m = resolve(dateOf(in.now).addDays(1), c, in.loc)
		m.Note = join(fmt.Sprintf("%s has passed today, so this is tomorrow", c), m.Note)
	}
	return m, true, nil
}

// number returns the value of the digits, or 0 for none. Callers pass only a few
// digits that a regular expression has matched.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

func join(notes ...string) string {
	var said []string
	for _, n := range notes {
		if n != "" {
			said = append(said, n)
		}
	}
	return strings.Join(said, "; ")
}

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

// valid reports whether the date exists.
func (d date) valid() bool { return dateOf(d.midnight()) == d }
