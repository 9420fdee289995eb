package outbound

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxRetry limits how far ahead a network can move a retry.
const maxRetry = 30 * 24 * time.Hour

// Numbers of seconds from minUnixTime on are Unix times: they are after 2001, and as delays
// they would be longer than 30 years.
const (
	minUnixTime = 1e9
	maxUnixTime = 1e11
)

// RetryAt returns when a network that responded with 429 allows the next request. It
// returns the zero time if the response does not say, or names a time in the past.
// Retry-After (RFC 9110, seconds or a date; fractions and Unix seconds are read as well) takes precedence over X-RateLimit-Reset
// and RateLimit-Reset. Mastodon sends an RFC 3339 time in those; other networks send
// Unix seconds or seconds from now. The result is at most 30 days ahead.
func RetryAt(h http.Header, now time.Time) time.Time {
	if at, ok := retryAfter(h, now); ok {
		return at
	}
	for _, name := range []string{"X-RateLimit-Reset", "RateLimit-Reset"} {
		if at, ok := parseReset(h.Get(name), now); ok {
			return limitRetry(at, now)
		}
	}
	return time.Time{}
}

// RetryIn returns the time that is the given number of seconds after now, for
// networks that state a delay in the response body. It returns the zero time unless
// seconds is positive. The result is at most 30 days ahead.
func RetryIn(seconds float64, now time.Time) time.Time {
	if !(seconds > 0) { // or not a number
		return time.Time{}
	}
	return limitRetry(now.Add(time.Duration(min(seconds, maxRetry.Seconds())*float64(time.Second))), now)
}

// retryAfter reads the header Retry-After. ok reports whether the header is present
// and valid.
func retryAfter(h http.Header, now time.Time) (at time.Time, ok bool) {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= minUnixTime && n < maxUnixTime {
		return limitRetry(time.Unix(n, 0), now), true
	}
	if seconds, ok := parseSeconds(text); ok {
		return limitRetry(now.Add(seconds), now), true
	}
	if date, err := http.ParseTime(text); err == nil {
		return limitRetry(date, now), true
	}
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds > 0 && seconds < minUnixTime { // as Zulip sends it
		return RetryIn(seconds, now), true
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
	case err != nil || !(seconds >= 0 && seconds < maxUnixTime):
		return time.Time{}, false
	case seconds < minUnixTime:
		return now.Add(time.Duration(min(seconds, maxRetry.Seconds()) * float64(time.Second))), true
	default:
		return time.UnixMilli(int64(seconds * 1000)), true
	}
}

// parseSeconds reads a whole number of seconds of any size.
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

// limitRetry drops times in the past and limits how far ahead a time is.
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
