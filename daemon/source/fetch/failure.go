package fetch

import (
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// kindOf returns the kind of a status that is neither 200 nor 304.
func kindOf(resp *http.Response) Kind {
	switch status := resp.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return Unauthorized
	case status == http.StatusNotFound:
		return NotFound
	case status == http.StatusGone:
		return Gone
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != "":
		return Busy
	case status >= 500:
		return Unavailable
	}
	return Unexpected
}

// noResponse returns the failure of a request without a response.
func noResponse(err error, u *url.URL) *Failure {
	f := &Failure{Kind: Unreachable, Message: outbound.NoResponse(err, u.Hostname())}
	switch {
	case errors.Is(err, outbound.ErrPrivateAddress):
		f.Kind = Refused
	case isTimeout(err):
		f.Kind = TimedOut
	}
	return f
}

// bodyFailure returns the failure of a body that could not be read.
func bodyFailure(err error, u *url.URL) *Failure {
	var corrupt flate.CorruptInputError
	switch {
	case isTimeout(err):
		return &Failure{Kind: TimedOut, Status: http.StatusOK, Message: u.Hostname() + " did not send the whole response in time"}
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt):
		return &Failure{Kind: Unexpected, Status: http.StatusOK, Message: u.Hostname() + " sent a response that cannot be decompressed"}
	}
	return &Failure{Kind: Unreachable, Status: http.StatusOK, Message: u.Hostname() + " closed the connection in the middle of the response"}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

// wait returns how long a server asks to wait: the longer one of Retry-After and max-age.
func (f *Fetcher) wait(h http.Header) time.Duration {
	var wait time.Duration
	now := f.now()
	if at := outbound.RetryAt(http.Header{"Retry-After": h["Retry-After"]}, now); !at.IsZero() {
		wait = at.Sub(now)
	}
	return min(max(wait, maxAge(h)), MaxWait)
}

// maxAge returns how long a response is fresh from now on: max-age of Cache-Control without
// the age that the response has already.
func maxAge(h http.Header) time.Duration {
	seconds := 0
	for _, part := range strings.Split(strings.ToLower(h.Get("Cache-Control")), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "no-cache", "no-store":
			return 0
		case "max-age":
			if n, err := strconv.Atoi(strings.Trim(value, `"`)); err == nil && n > 0 {
				seconds = min(n, int(MaxWait/time.Second))
			}
		}
	}
	if age, err := strconv.Atoi(h.Get("Age")); err == nil && age > 0 {
		seconds -= min(age, seconds)
	}
	return time.Duration(seconds) * time.Second
}
