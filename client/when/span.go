package when

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Span is a length of time in calendar units and elapsed time: "1 month", "2w", "1d2h".
// Added to a time, months, weeks and days keep the time of day, also when clocks change
// between; hours, minutes and seconds are elapsed time.
type Span struct {
	Months, Days int
	Elapsed      time.Duration
}

// ParseSpan parses a span, such as "2h30m", "1d" or "1 month", with the units of
// [ParseDuration], months and years. After a minus it is negative. Every error is an
// [*Error].
func ParseSpan(text string) (Span, error) {
	lower := strings.ToLower(strings.TrimSpace(text))
	rest, back := strings.CutPrefix(lower, "-")
	s, err := readSpan(text, strings.TrimSpace(strings.TrimPrefix(rest, "+")), calendarUnits)
	if back {
		s = s.Negative()
	}
	return s, err
}

// Negative returns the span in the other direction.
func (s Span) Negative() Span { return Span{-s.Months, -s.Days, -s.Elapsed} }

// Calendar reports whether the span has calendar units, whose length depends on the zone.
func (s Span) Calendar() bool { return s.Months != 0 || s.Days != 0 }

// IsZero reports whether the span is empty.
func (s Span) IsZero() bool { return s == Span{} }

// String returns the span as [ParseSpan] reads it, empty if it is zero.
func (s Span) String() string {
	if s.Months < 0 || s.Days < 0 || s.Elapsed < 0 {
		return "-" + s.Negative().String()
	}
	var parts []string
	if s.Months != 0 {
		parts = append(parts, plural(s.Months, "month"))
	}
	if s.Days != 0 {
		parts = append(parts, fmt.Sprintf("%dd", s.Days))
	}
	if s.Elapsed != 0 {
		parts = append(parts, DurationText(s.Elapsed))
	}
	return strings.Join(parts, " ")
}

// From returns the instant a span after t, on the clocks of the zone of t. If a month is
// too short, its last day is used, and a note says so.
func (s Span) From(t time.Time) Result {
	in := input{now: t, loc: t.Location()}
	return in.after(s)
}

// ParseDuration reads a duration such as "90s", "2h30m", "1.5h", "1d" or "2w": numbers of
// w, d, h, m, s and ms, each at most once and the longest first. A day is 24 hours. For
// what is added to a time, use [ParseSpan]. Every error is an [*Error].
func ParseDuration(text string) (time.Duration, error) {
	s, err := readSpan(text, strings.ToLower(strings.TrimSpace(text)), units)
	if err != nil {
		return 0, err
	}
	if s.Days > int((math.MaxInt64-s.Elapsed)/(24*time.Hour)) {
		return 0, notDuration(text, "is out of range")
	}
	return time.Duration(s.Days)*24*time.Hour + s.Elapsed, nil
}

// DurationText returns a duration as [ParseDuration] reads it, in hours, minutes and seconds
// without a zero at the end, such as 36h or 1h30m.
func DurationText(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") { // 24h0m0s is 24h
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func notDuration(text, what string) *Error {
	return &Error{Reason: Unreadable, Text: text, Message: fmt.Sprintf("%q %s", text, what), Hint: "try 90s, 2h30m, 1d or 2w"}
}

// parseSpan reads a span from now alone: "in 2h", "+2h30m", "in half an hour" and "2 weeks
// from now", and for the past "2h ago" and "-2h30m".
func parseSpan(in input) (Result, bool, error) {
	text := strings.Join(in.words, " ")
	rest, back, matched := text, false, false
	first, last := in.words[0], in.words[len(in.words)-1]
	switch {
	case text[0] == '+' || text[0] == '-':
		rest, back, matched = text[1:], text[0] == '-', true
	case last == "ago" && len(in.words) > 1:
		rest, back, matched = strings.TrimSuffix(text, " ago"), true, true
	case strings.HasSuffix(text, " from now"):
		n := spanWords(in.words[:len(in.words)-2])
		rest, matched = strings.TrimSuffix(text, " from now"), n == len(in.words)-2 || n == 0 && isNumber(first)
	case first == "in" && len(in.words) > 1:
		n := spanWords(in.words[1:])
		rest, matched = text[len("in "):], n == 0 || n == len(in.words)-1
	}
	if !matched {
		return Result{}, false, nil
	}
	s, err := readSpan(in.text, strings.TrimSpace(rest), calendarUnits)
	if err != nil {
		return Result{}, false, err
	}
	if back {
		s = s.Negative()
	}
	m := in.after(s)
	m.FromNow = true
	return m, true, nil
}

// after returns the instant a span after now. Months and days keep the time of day.
// If a month is too short, its last day is used.
func (in input) after(s Span) Result {
	m := Result{Time: in.now, elapsed: !s.Calendar()}
	if !m.elapsed {
		c := clock{in.now.Hour(), in.now.Minute(), in.now.Second(), in.now.Nanosecond()}
		d, note := dateOf(in.now).addMonths(s.Months)
		m = in.resolve(d.addDays(s.Days), c)
		m.Note = join(note, m.Note)
	}
	m.Time = m.Time.Add(s.Elapsed)
	return m
}
