// Package fetch gets feeds and pages for sources. Each call of [Fetcher.Fetch] is one guarded
// request with its redirects: no private addresses, at most 5 redirects, none from https to
// http, 20 s and 5 MiB in all.
//
// The package does not read feeds, and does not decide when to fetch again. [Result] and
// [Failure] say what the server asks for.
package fetch

import (
	"net/url"
	"time"
)

const (
	// MaxBytes is the maximum size of a body after decompression.
	MaxBytes = 5 << 20

	// MaxWait is the longest time for which a server can put off the next fetch.
	MaxWait = 24 * time.Hour

	timeLimit    = 20 * time.Second
	maxRedirects = 5
)

// Request says what to fetch.
type Request struct {
	URL          string
	ETag         string // of the last result, or empty
	LastModified string // of the last result, or empty

	// The credentials are sent to the host of URL only. Both may be empty.
	Username, Password      string
	HeaderName, HeaderValue string
}

// Result is the response to a request.
type Result struct {
	NotModified  bool // the server says that nothing changed; Body is nil
	Body         []byte
	ContentType  string
	URL          *url.URL // after redirects; links of the body are relative to it
	ETag         string
	LastModified string

	// Wait is how long the server asks to wait until the next fetch, at most [MaxWait]; 0 if
	// it does not.
	Wait time.Duration

	// MovedTo is the address to which the URL of the request is redirected for good (301 or
	// 308), or empty. SameSite reports whether both have the same registrable domain.
	MovedTo  string
	SameSite bool
}

// Kind says why a fetch failed.
type Kind string

// The kinds of failures.
const (
	Refused      Kind = "refused"      // the URL is not valid, or its address is private
	Unreachable  Kind = "unreachable"  // no response: name, connection, certificate
	TimedOut     Kind = "timed_out"    // the response was too slow
	Unauthorized Kind = "unauthorized" // 401, 403
	NotFound     Kind = "not_found"    // 404
	Gone         Kind = "gone"         // 410: for good
	Busy         Kind = "busy"         // 429, 503 with Retry-After
	Unavailable  Kind = "unavailable"  // another 5xx
	Unexpected   Kind = "unexpected"   // any other status, too many redirects, a body that cannot be decompressed
	TooLarge     Kind = "too_large"
)

// Failure is the error of a fetch. Its message is for people, and contains no path of the
// URL, which may be a secret.
type Failure struct {
	Kind    Kind
	Status  int           // of the last response; 0 for none
	Message string        // starts with the host
	Wait    time.Duration // as in [Result]
}

// Error implements error.
func (f *Failure) Error() string { return f.Message }
