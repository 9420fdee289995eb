package when

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// units are the names of the units of duration, the longest unit first.
var units = []struct {
	length time.Duration
	names  []string
}{
	{7 * 24 * time.Hour, []string{"w", "week", "weeks"}},
	{24 * time.Hour, []string{"d", "day", "days"}},
	{time.Hour, []string{"h", "hr", "hrs", "hour", "hours"}},
	{time.Minute, []string{"m", "min", "mins", "minute", "minutes"}},
	{time.Second, []string{"s", "sec", "secs", "second", "seconds"}},
	{time.Millisecond, []string{"ms"}},
}

var (
	amount  = lazily(`^(\d+) ?([a-z]+)[ ,]*`)
	decimal = lazily(`\d[.,]\d`)
)

// span is a duration in calendar days and elapsed time.
type span struct {
	days    int
	elapsed time.Duration
}

// ParseDuration reads a duration such as "90s", "2h30m", "1d" or "2w": whole
// numbers of w, d, h, m, s and ms, each at most once and the longest first. A
// day is 24 hours. Every error is an [*Error].
func ParseDuration(text string) (time.Duration, error) {
	s, err := readSpan(text, strings.ToLower(strings.TrimSpace(text)))
	if err != nil {
		return 0, err
	}
	if s.days > int((math.MaxInt64-s.elapsed)/(24*time.Hour)) {
		return 0, notDuration(text, "is out of range")
	}
	return time.Duration(s.days)*24*time.Hour + s.elapsed, nil
}

// readSpan reads amounts with units; rest is the text in lower case.
func readSpan(text, rest string) (span, error) {
	var total span
	if rest == "" {
		return span{}, notDuration(text, "is no duration")
	}
	if decimal().MatchString(rest) {
		return span{}, notDuration(text, "has a fraction")
	}
	if _, err := strconv.Atoi(rest); err == nil && rest[0] != '-' && rest[0] != '+' {
		return span{}, &Error{Reason: Ambiguous, Text: text, Message: fmt.Sprintf("%q has no unit", text), Hint: fmt.Sprintf("write %ss, %sm, %sh or %sd", rest, rest, rest, rest)}
	}
	for unit := -1; rest != ""; {
		m := amount().FindStringSubmatch(rest)
		if m == nil {
			return span{}, notDuration(text, "is no duration")
		}
		at := unitIndex(m[2])
		if at < 0 {
			return span{}, notDuration(text, fmt.Sprintf("has an unknown unit %q", m[2]))
		}
		if at <= unit {
			return span{}, notDuration(text, "names a unit twice or a long one after a short one")
		}
		unit = at
		if err := total.add(text, m[1], units[at].length); err != nil {
			return span{}, err
		}
		rest = rest[len(m[0]):]
	}
	return total, nil
}

func unitIndex(name string) int {
	for i, u := range units {
		for _, n := range u.names {
			if n == name {
				return i
			}
		}
	}
	return -1
}

// maxDays keeps calendar arithmetic far from overflow.
const maxDays = 4_000_000

func (s *span) add(text, digits string, length time.Duration) error {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return notDuration(text, "is out of range")
	}
	const day = 24 * time.Hour
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
	return &Error{Reason: Unreadable, Text: text, Message: fmt.Sprintf("%q %s", text, what), Hint: "write for example 90s, 2h30m, 1d or 2w"}
}

// parseIn reads "in 2h" and "+2h30m", and looking back "2h ago" and "-2h30m".
func parseIn(in input) (Moment, bool, error) {
	rest, back, matched := cutDirection(strings.Join(in.words, " "))
	if !matched {
		return Moment{}, false, nil
	}
	s, err := readSpan(in.text, strings.TrimSpace(rest))
	if err != nil {
		return Moment{}, false, err
	}
	if back {
		s = span{-s.days, -s.elapsed}
	}
	m := Moment{Time: in.now}
	if s.days != 0 {
		c := clock{in.now.Hour(), in.now.Minute(), in.now.Second(), in.now.Nanosecond()}
		m = resolve(dateOf(in.now).addDays(s.days), c, in.loc)
	}
	m.Time = m.Time.Add(s.elapsed)
	return m, true, nil
}

// cutDirection returns the duration in a text that counts from now.
func cutDirection(text string) (rest string, back, matched bool) {
	for _, ahead := range []string{"+", "in "} {
		if rest, matched = strings.CutPrefix(text, ahead); matched {
			return rest, false, true
		}
	}
	if rest, matched = strings.CutPrefix(text, "-"); matched {
		return rest, true, true
	}
	rest, matched = strings.CutSuffix(text, " ago")
	return rest, true, matched
}
