package recurrence

import (
	"iter"
	"time"

	"github.com/teambition/rrule-go"

	"github.com/schedctl/schedctl"
)

// A rule starts in these years.
const (
	MinYear = 1970
	MaxYear = 2999
)

// MaxPerDay is the largest number of occurrences on one day.
const MaxPerDay = 4

// Rule is a valid rule with its start. It is safe for concurrent use.
type Rule struct {
	text  string
	start time.Time // civil
	parts parts
	until time.Time // civil, inclusive; zero for no end
}

// Parse reads a rule. start is where it starts, and loc the zone of start, which only
// UNTIL with a Z needs. The hints say what may surprise about the rule. The error has
// the code [schedctl.ValidationFailed] and is about the field rule, or start.
func Parse(text string, start schedctl.LocalTime, loc *time.Location) (r Rule, hints []string, err error) {
	if _, err := schedctl.ParseLocalTime("start", string(start)); err != nil {
		return Rule{}, nil, err
	}
	r.start = start.Civil()
	if y := r.start.Year(); y < MinYear || y > MaxYear {
		return Rule{}, nil, schedctl.Errorf(schedctl.ValidationFailed, "start", "the start has the year %d; use %d to %d", y, MinYear, MaxYear)
	}
	if r.parts, err = readParts(text); err != nil {
		return Rule{}, nil, err
	}
	if err := r.parts.check(); err != nil {
		return Rule{}, nil, err
	}
	r.text = r.parts.text()
	if r.until, err = r.parts.end(loc); err != nil {
		return Rule{}, nil, err
	}
	if _, found := r.first(); !found {
		return Rule{}, nil, refuse("the rule has no occurrence from %s on; check UNTIL and the days", start)
	}
	return r, r.hints(), nil
}

// String returns the rule in its usual form: upper case, without the name RRULE, its
// parts in one order.
func (r *Rule) String() string { return r.text }

// All returns the occurrences from from (inclusive) until until (exclusive), in order,
// with their indexes. Index 0 is the first occurrence of the rule. The cost depends on
// the number of occurrences since the start.
func (r *Rule) All(from, until schedctl.LocalTime) iter.Seq2[int, schedctl.LocalTime] {
	return r.between(r.start, from, until)
}

// From returns the occurrences from from (inclusive) on, in order. Unlike that of
// [Rule.All], its cost does not depend on the start, unless the rule has a COUNT.
func (r *Rule) From(from schedctl.LocalTime) iter.Seq[schedctl.LocalTime] {
	return func(yield func(schedctl.LocalTime) bool) {
		for _, local := range r.between(r.laterStart(from.Civil()), from, lastLocal) {
			if !yield(local) {
				return
			}
		}
	}
}

// laterStart returns a start with which the rule has the same occurrences from the time
// on: later by a multiple of the interval, and at least one interval before the time,
// because a period that has just started may be incomplete. Months and years are skipped
// by years, so that the start stays on its day of the month.
func (r *Rule) laterStart(from time.Time) time.Time {
	n := r.parts.interval
	if r.parts.count > 0 || !r.start.Before(from) || from.Year() > MaxYear {
		return r.start
	}
	switch days := int(from.Sub(r.start) / (24 * time.Hour)); r.parts.freq {
	case rrule.DAILY:
		return r.start.AddDate(0, 0, max(0, days/n-1)*n)
	case rrule.WEEKLY:
		return r.start.AddDate(0, 0, max(0, days/7/n-1)*n*7)
	}
	later := r.start.AddDate(max(0, (from.Year()-r.start.Year())/n-1)*n, 0, 0)
	if later.Day() != r.start.Day() { // a year without February 29
		return r.start
	}
	return later
}

// between returns the occurrences of the rule with another start. Their indexes count
// from that.
func (r *Rule) between(start time.Time, from, until schedctl.LocalTime) iter.Seq2[int, schedctl.LocalTime] {
	return func(yield func(int, schedctl.LocalTime) bool) {
		first := from.Civil() // formatting all earlier occurrences would cost more than expanding them
		for index, t := range r.civil(start) {
			if t.Before(first) {
				continue
			}
			local := schedctl.LocalTimeOf(t)
			if local >= until || local >= from && !yield(index, local) {
				return
			}
		}
	}
}

// Next returns up to n occurrences from from (inclusive) on, in order.
func (r *Rule) Next(from schedctl.LocalTime, n int) (list []schedctl.LocalTime) {
	if n <= 0 {
		return nil
	}
	for local := range r.From(from) {
		if list = append(list, local); len(list) == n {
			break
		}
	}
	return list
}

// lastLocal is after all occurrences.
const lastLocal schedctl.LocalTime = "9999-12-31T23:59"

// Contains reports whether the local time is an occurrence, and returns its index.
func (r *Rule) Contains(local schedctl.LocalTime) (index int, found bool) {
	for i, t := range r.All(local, lastLocal) {
		return i, t == local
	}
	return 0, false
}

func (r *Rule) first() (time.Time, bool) {
	for _, t := range r.civil(r.start) {
		return t, true
	}
	return time.Time{}, false
}

// civil returns all occurrences of the rule with a start as civil times.
func (r *Rule) civil(start time.Time) iter.Seq2[int, time.Time] {
	option := r.parts.option()
	shift := yearShift(start)
	option.Dtstart = start.AddDate(shift, 0, 0)
	if !r.until.IsZero() {
		option.Until = r.until.AddDate(shift, 0, 0)
	}
	expansion, err := rrule.NewRRule(option)
	return func(yield func(int, time.Time) bool) {
		if err != nil { // check has excluded it
			return
		}
		next := expansion.Iterator()
		for index := 0; ; {
			t, ok := next()
			if !ok || r.parts.count > 0 && index >= r.parts.count {
				return
			}
			if !yield(index, t.AddDate(-shift, 0, 0)) {
				return
			}
			index++
		}
	}
}

// yearShift returns how many years later a rule is expanded. The expansion ends in the
// year 9999, so that it takes long if a rule has no further occurrence. The calendar
// repeats every 400 years, with its weekdays, so a shift by a multiple of them changes
// nothing, and leaves 400 years at least.
func yearShift(start time.Time) int {
	const period, last = 400, 9999
	return (last - period - start.Year()) / period * period
}
