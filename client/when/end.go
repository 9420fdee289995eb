package when

import "time"

// ParseEnd reads when something ends: a span from now, such as 2d, else a time as in [Parse].
func ParseEnd(text string, now time.Time, loc *time.Location) (Result, error) {
	if _, err := ParseSpan(text); err == nil {
		return Parse("in "+text, now, loc)
	}
	return Parse(text, now, loc)
}
