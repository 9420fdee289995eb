package api

import (
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// timeOf returns a time that a body may leave out, zero for none.
func timeOf(at *apiv1.Time) (out time.Time) {
	if at != nil {
		out = at.Time
	}
	return out
}

// time parses the text that was read last. A fault has the given code.
func (d *decoder) time(text string, code schedctl.Code) time.Time {
	at, advice := parseTime(text)
	if advice != "" {
		d.wrong(code, "%s", advice)
	}
	return at
}

const timeExample = "write UTC with a Z, such as 2026-06-02T15:00:00Z"

// localLayouts are common layouts of times without a zone.
var localLayouts = []string{
	"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04",
}

// parseTime reads an RFC 3339 time in UTC, written with Z or +00:00, rounded up to
// milliseconds. For anything else, advice says what is wrong and what to write
// instead.
func parseTime(text string) (at time.Time, advice string) {
	if err := at.UnmarshalText([]byte(text)); err != nil || !wellFormed(text) {
		return time.Time{}, timeAdvice(text)
	}
	at = schedctl.Millis(at.Add(roundUpFraction(text)))
	utc := apiv1.Time{Time: at}.String()
	switch {
	case at.Year() < 2 || at.Year() > 9999: // year 1 starts with the zero time, which means "absent"
		return time.Time{}, "is outside the years 2 to 9999; " + timeExample
	case !strings.HasSuffix(text, "Z") && !strings.HasSuffix(text, "+00:00"):
		return time.Time{}, "has an offset from UTC; write the same instant as " + utc
	}
	return at, ""
}

// wellFormed reports whether the characters are those of RFC 3339, section 5.6,
// in upper case. Package time also takes a comma, a single digit for the hour
// and offsets of more than a day.
func wellFormed(text string) bool {
	const second = "0000-00-00T00:00:00"
	if len(text) <= len(second) || !shaped(text[:len(second)], second) {
		return false
	}
	zone := text[len(second):]
	if fraction, ok := strings.CutPrefix(zone, "."); ok {
		zone = strings.TrimLeft(fraction, "0123456789")
		if zone == fraction {
			return false
		}
	}
	return zone == "Z" || ((shaped(zone, "+00:00") || shaped(zone, "-00:00")) && zone[1:3] < "24" && zone[4:] < "60")
}

// shaped reports whether the text matches form, in which 0 stands for any digit.
func shaped(text, form string) bool {
	if len(text) != len(form) {
		return false
	}
	for i := range len(form) {
		digit := text[i] >= '0' && text[i] <= '9'
		if (form[i] == '0') != digit || (!digit && text[i] != form[i]) {
			return false
		}
	}
	return true
}

// timeAdvice says why a text is not an RFC 3339 time.
func timeAdvice(text string) string {
	for _, layout := range localLayouts {
		if _, err := time.Parse(layout, text); err == nil {
			return "is a local time without a zone; " + timeExample
		}
	}
	if _, err := time.Parse(time.DateOnly, text); err == nil {
		return "is a date without a time; " + timeExample
	}
	return "is not an RFC 3339 time; " + timeExample
}

// roundUpFraction returns a nanosecond when the fraction of the text has nonzero
// digits after the ninth, which package time drops. Adding it makes the time round
// up.
func roundUpFraction(text string) time.Duration {
	_, fraction, _ := strings.Cut(text, ".")
	digits := strings.TrimRight(fraction, "Z+-:0123456789")
	if digits != "" || len(fraction) <= 9 {
		return 0
	}
	if end := strings.IndexAny(fraction, "Z+-"); end > 9 && strings.Trim(fraction[9:end], "0") != "" {
		return time.Nanosecond
	}
	return 0
}
