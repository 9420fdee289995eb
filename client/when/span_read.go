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

// calendarUnits are the units of a span, the longest unit first. Months and years have no
// single letters: "m" means minutes. They are months and years of the calendar.
var calendarUnits = append([]unit{
	{months: 12, names: []string{"year", "years"}},
	{months: 1, names: []string{"mo", "mos", "month", "months"}},
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
	amountPattern = lazily(`^(\d+)(\.\d{1,3})? ?([a-z]+)[ ,]*`)
	minutesOnly   = lazily(`^\d{2}$`)
	decimal       = lazily(`\d,\d`)
	spanWord      = lazily(`^(?:\d+(?:\.\d+)?[a-z]+)+\d{0,2}$`)
)

// amounts are the words for numbers.
var amounts = map[string]string{
	"a": "1", "an": "1", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
	"nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "fifteen": "15", "twenty": "20", "thirty": "30",
}

// readSpan reads amounts with units. rest is the text in lower case, and known are
// the allowed units.
func readSpan(text, rest string, known []unit) (Span, error) {
	var total Span
	rest = spellAmounts(rest)
	if rest == "" {
		return Span{}, notDuration(text, "is not a valid duration")
	}
	if decimal().MatchString(rest) {
		return Span{}, notDuration(text, "has a fraction with a comma")
	}
	if _, err := strconv.Atoi(rest); err == nil && rest[0] != '-' && rest[0] != '+' {
		return Span{}, &Error{Reason: Ambiguous, Text: text, Message: fmt.Sprintf("%q has no unit", text), Hint: fmt.Sprintf("write %ss, %sm, %sh or %sd", rest, rest, rest, rest)}
	}
	for last := -1; rest != ""; {
		m := amountPattern().FindStringSubmatch(rest)
		if m == nil && last >= 0 && known[last].length == time.Hour && minutesOnly().MatchString(rest) {
			m = []string{rest, rest, "", "m"} // 1h30
		}
		if m == nil {
			return Span{}, notDuration(text, "is not a valid duration")
		}
		at := unitIndex(known, m[3])
		switch {
		case at < 0 && unitIndex(calendarUnits, m[3]) >= 0:
			return Span{}, notDuration(text, fmt.Sprintf("has the unit %q, whose length differs", m[3]))
		case at < 0:
			return Span{}, notDuration(text, fmt.Sprintf("has an unknown unit %q", m[3]))
		case at <= last:
			return Span{}, notDuration(text, "names a unit twice or a long one after a short one")
		}
		last = at
		if err := total.add(text, m[1], m[2], known[at]); err != nil {
			return Span{}, err
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

// add adds a number of units. fraction is empty or a point and digits.
func (s *Span) add(text, digits, fraction string, u unit) error {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return notDuration(text, "is out of range")
	}
	const day = 24 * time.Hour
	length := u.length
	if fraction != "" && (u.months > 0 || length >= day || length < time.Second) {
		return notDuration(text, "has a fraction, which only hours, minutes and seconds can have")
	}
	if u.months > 0 {
		if n > maxMonths || s.Months+int(n)*u.months > maxMonths {
			return notDuration(text, "is out of range")
		}
		s.Months += int(n) * u.months
		return nil
	}
	if length >= day {
		if n > maxDays || s.Days+int(n)*int(length/day) > maxDays {
			return notDuration(text, "is out of range")
		}
		s.Days += int(n) * int(length/day)
		return nil
	}
	if n >= int64((math.MaxInt64-s.Elapsed)/length) {
		return notDuration(text, "is out of range")
	}
	thousandths := number((strings.TrimPrefix(fraction, ".") + "000")[:3])
	s.Elapsed += time.Duration(n)*length + time.Duration(thousandths)*(length/1000)
	return nil
}

// spellAmounts replaces "an hour", "two hours" and "half an hour" with digits, and leaves
// out "and".
func spellAmounts(text string) string {
	words := strings.Fields(text)
	var out []string
	for i := 0; i < len(words); i++ {
		switch following := words[i+1:]; {
		case words[i] == "half" && len(following) > 1 && following[0] == "an" && following[1] == "hour":
			out, i = append(out, "30", "minutes"), i+2
		case amounts[words[i]] != "":
			out = append(out, amounts[words[i]])
		case words[i] == "and" && i > 0 && len(following) > 0:
		default:
			out = append(out, words[i])
		}
	}
	return strings.Join(out, " ")
}

// spanWords returns the number of words at the start that are a span.
func spanWords(words []string) (n int) {
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case unitIndex(calendarUnits, w) >= 0:
			n = i + 1
		case spanWord().MatchString(w):
			m := amountPattern().FindStringSubmatch(w)
			if m == nil || unitIndex(calendarUnits, m[3]) < 0 {
				return n
			}
			n = i + 1
		case amounts[w] == "" && w != "half" && w != "and" && !isNumber(w):
			return n
		}
	}
	return n
}

// isNumber reports whether a word is a number, also with a fraction.
func isNumber(word string) bool {
	return word != "" && strings.Trim(word, "0123456789.,") == "" && word[0] >= '0' && word[0] <= '9'
}
