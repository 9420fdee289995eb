package outbound

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxRetry bounds what a network can ask for.
const maxRetry = 30 * 24 * time.Hour

// RetryAt returns when a network that answered 429 said to return, or the zero
// time when it did not, or named an instant that has passed. Retry-After
// (RFC 9110, seconds or a date) comes before X-RateLimit-Reset and
// RateLimit-Reset, which hold an RFC 3339 time on Mastodon and Unix seconds, or
// seconds from now, elsewhere. More than 30 days are taken as 30 days.
func RetryAt(h http.Header, now time.Time) time.Time {
	if at, said := retryAfter(h, now); said {
		return at
	}
	for _, name := range []string{"X-RateLimit-Reset", "RateLimit-Reset"} {
		if at, ok := parseReset(h.Get(name), now); ok {
			return limitRetry(at, now)
		}
	}
	return time.Time{}
}

// RetryIn returns when a network said to return that named so many seconds in
// the body of its answer, or the zero time when they are not more than 0. More
// than 30 days are taken as 30 days.
func RetryIn(seconds float64, now time.Time) time.Time {
	if !(seconds > 0) { // or not a number
		return time.Time{}
	}
	return limitRetry(now.Add(time.Duration(min(seconds, maxRetry.Seconds())*float64(time.Second))), now)
}

// retryAfter also reports whether the header is there and readable.
func retryAfter(h http.Header, now time.Time) (at time.Time, said bool) {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, ok := parseSeconds(text); ok {
		return limitRetry(now.Add(seconds), now), true
	}
	if date, err := http.ParseTime(text); err == nil {
		return limitRetry(date, now), true
	}
	return time.Time{}, false
}

func parseReset(text string, now time.Time) (time.Time, bool) {
	text = strings.TrimSpace(text)
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, true
	}
	seconds, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || !(seconds >= 0 && seconds < 1e11):
		return time.Time{}, false
	case seconds < 1e9: // as a Unix time it would be before 2002
		return now.Add(time.Duration(min(seconds, maxRetry.Seconds()) * float64(time.Second))), true
	default:
		return time.UnixMilli(int64(seconds * 1000)), true
	}
}

// parseSeconds reads a whole number of seconds, however large.
func parseSeconds(text string) (time.Duration, bool) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n > int64(maxRetry/time.Second) {
		return maxRetry, true
	}
	return time.Duration(n) * time.Second, true
}

// limitRetry drops instants that have passed and cuts those too far ahead.
func limitRetry(at, now time.Time) time.Time {
	switch {
	case !at.After(now):
		return time.Time{}
	case at.After(now.Add(maxRetry)):
		return now.Add(maxRetry).UTC()
	default:
		return at.UTC()
	}
}
