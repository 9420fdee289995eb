package when

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// unit is a unit of time: either a number of calendar months or a fixed length.
type unit struct {
	months int
	length time.Duration
	names  []string
}

// calendarUnits are the units of a span from now, the longest unit first. Months
// and years have no single letters: "m" means minutes.
var calendarUnits = append([]unit{
	{months: 12, names: []string{"year", "years"}},
	{months: 1, names: []string{"month", "months"}},
}, units...)

// units are the units of a duration, the longest unit first.
var units = []unit{
	{length: 7 * 24 * time.Hour, names: []string{"w", "week", "weeks"}},
	{length: 24 * time.Hour, names: []string{"d", "day", "days"}},
	{length: time.Hour, names: []string{"h", "hr", "hrs", "hour", "hours"}},
	{length: time.Minute, names: []string{"m", "min", "mins", "minute", "minutes"}},
	{length: time.Second, names: []string{"s", "sec", "secs", "second", "seconds"}},
	{length: time.Millisecond, names: []string{"ms"}},
}

var (
	amountPattern = lazily(`^(\d+) ?([a-z]+)[ ,]*`)
	decimal       = lazily(`\d[.,]\d`)
)

// span is a duration in calendar months, calendar days and elapsed time.
type span struct {
	months  int
	days    int
	elapsed time.Duration
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

// ParseDuration reads a duration such as "90s", "2h30m", "1d" or "2w": whole
// numbers of w, d, h, m, s and ms, each at most once and the longest first. A
// day is 24 hours. Every error is an [*Error].
func ParseDuration(text string) (time.Duration, error) {
	s, err := readSpan(text, strings.ToLower(strings.TrimSpace(text)), units)
	if err != nil {
		return 0, err
	}
	if s.days > int((math.MaxInt64-s.elapsed)/(24*time.Hour)) {
		return 0, notDuration(text, "is out of range")
	}
	return time.Duration(s.days)*24*time.Hour + s.elapsed, nil
}

// readSpan reads amounts with units. rest is the text in lower case, and known are
// the allowed units.
func readSpan(text, rest string, known []unit) (span, error) {
	var total span
	if rest == "" {
		return span{}, notDuration(text, "is not a valid duration")
	}
	if decimal().MatchString(rest) {
		return span{}, notDuration(text, "has a fraction")
	}
	if _, err := strconv.Atoi(rest); err == nil && rest[0] != '-' && rest[0] != '+' {
		return span{}, &Error{Reason: Ambiguous, Text: text, Message: fmt.Sprintf("%q has no unit", text), Hint: fmt.Sprintf("write %ss, %sm, %sh or %sd", rest, rest, rest, rest)}
	}
	for last := -1; rest != ""; {
		m := amountPattern().FindStringSubmatch(rest)
		if m == nil {
			return span{}, notDuration(text, "is not a valid duration")
		}
		at := unitIndex(known, m[2])
		if at < 0 {
			return span{}, notDuration(text, fmt.Sprintf("has an unknown unit %q", m[2]))
		}
		if at <= last {
			return span{}, notDuration(text, "names a unit twice or a long one after a short one")
		}
		last = at
		if err := total.add(text, m[1], known[at]); err != nil {
			return span{}, err
		}
		rest = rest[len(m[0]):]
	}
	return total, nil
}

// unitIndex returns the position of the unit with a name, or -1.
func unitIndex(known []unit, name string) int {
	for i, u := range known {
		if slices.Contains(u.names, name) {
			return i
		}
	}
	return -1
}

// maxDays and maxMonths keep calendar arithmetic within range.
const (
	maxDays   = 4_000_000
	maxMonths = 120_000
)

func (s *span) add(text, digits string, u unit) error {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return notDuration(text, "is out of range")
	}
	const day = 24 * time.Hour
	length := u.length
	if u.months > 0 {
		if n > maxMonths || s.months+int(n)*u.months > maxMonths {
			return notDuration(text, "is out of range")
		}
		s.months += int(n) * u.months
		return nil
	}
	if length >= day {
		if n > maxDays || s.days+int(n)*int(length/day) > maxDays {
			return notDuration(text, "is out of range")
		}
		s.days += int(n) * int(length/day)
		return nil
	}
	if n > int64((math.MaxInt64-s.elapsed)/length) {
		return notDuration(text, "is out of range")
	}
	s.elapsed += time.Duration(n) * length
	return nil
}

func notDuration(text, what string) *Error {
	return &Error{Reason: Unreadable, Text: text, Message: fmt.Sprintf("%q %s", text, what), Hint: "try 90s, 2h30m, 1d or 2w"}
}

// parseIn reads "in 2h", "+2h30m", "in half an hour" and "2 weeks from now", and
// for the past "2h ago" and "-2h30m".
func parseIn(in input) (Result, bool, error) {
	rest, back, matched := cutDirection(strings.Join(in.words, " "))
	if !matched {
		return Result{}, false, nil
	}
	s, err := readSpan(in.text, spellAmounts(strings.TrimSpace(rest)), calendarUnits)
	if err != nil {
		return Result{}, false, err
	}
	if back {
		s = span{-s.months, -s.days, -s.elapsed}
	}
	return in.after(s), true, nil
}

// after returns the instant a span after now. Months and days keep the time of day.
// If a month is too short, its last day is used.
func (in input) after(s span) Result {
	m := Result{Time: in.now}
	if s.months != 0 || s.days != 0 {
		c := clock{in.now.Hour(), in.now.Minute(), in.now.Second(), in.now.Nanosecond()}
		d, note := dateOf(in.now).addMonths(s.months)
		m = resolve(d.addDays(s.days), c, in.loc)
		m.Note = join(note, m.Note)
	}
	m.Time = m.Time.Add(s.elapsed)
	return m
}

// spellAmounts replaces "an hour" and "half an hour" with digits.
func spellAmounts(text string) string {
	words := strings.Fields(text)
	var out []string
	for i := 0; i < len(words); i++ {
		switch following := words[i+1:]; {
		case words[i] == "half" && len(following) > 1 && following[0] == "an" && following[1] == "hour":
			out, i = append(out, "30", "minutes"), i+2
		case words[i] == "a" || words[i] == "an":
			out = append(out, "1")
		default:
			out = append(out, words[i])
		}
	}
	return strings.Join(out, " ")
}

// cutDirection returns the duration of a text that is relative to now, and whether
// it is in the past.
func cutDirection(text string) (rest string, back, matched bool) {
	for _, ahead := range []string{"+", "in "} {
		if rest, matched = strings.CutPrefix(text, ahead); matched {
			return rest, false, true
		}
	}
	if rest, matched = strings.CutSuffix(text, " from now"); matched {
		return rest, false, true
	}
	if rest, matched = strings.CutPrefix(text, "-"); matched {
		return rest, true, true
	}
	rest, matched = strings.CutSuffix(text, " ago")
	return rest, true, matched
}
