package fetch

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// Fetcher fetches feeds and pages. Its methods may be called from any goroutine.
type Fetcher struct {
	client    *http.Client
	userAgent string
	timeLimit time.Duration // timeLimit, except in tests
	now       func() time.Time
}

// New returns a fetcher. client must be one of [outbound.FetchClient]; the context of each
// call says whether it connects to public addresses only. version is that of the daemon.
// publicURL is its public address, or empty.
func New(client *http.Client, version, publicURL string) *Fetcher {
	agent := "schedctl/" + version
	if publicURL != "" {
		agent += " (+" + publicURL + ")"
	}
	return &Fetcher{client: client, userAgent: agent, timeLimit: timeLimit, now: time.Now}
}

// Fetch gets a document. An error is a [*Failure], unless ctx has ended.
func (f *Fetcher) Fetch(ctx context.Context, r Request) (*Result, error) {
	first, err := outbound.ParseURL(r.URL)
	if err != nil {
		return nil, &Failure{Kind: Refused, Message: err.Error()}
	}
	limited, cancel := context.WithTimeout(ctx, f.timeLimit)
	defer cancel()
	result, err := f.follow(limited, r, first)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("fetch a feed: %w", context.Cause(ctx))
	}
	return result, err
}

// follow sends the request, and follows redirects.
func (f *Fetcher) follow(ctx context.Context, r Request, first *url.URL) (*Result, error) {
	u := first
	moved, permanent := "", true // as long as all redirects so far are permanent
	for redirects := 0; ; redirects++ {
		resp, err := f.get(ctx, r, u, sameHost(first, u))
		if err != nil {
			return nil, noResponse(err, u)
		}
		if location := resp.Header.Get("Location"); isRedirect(resp.StatusCode) && location != "" {
			resp.Body.Close()
			next, err := redirected(u, location, redirects)
			if err != nil {
				return nil, &Failure{Kind: Unexpected, Status: resp.StatusCode, Message: u.Hostname() + " " + err.Error()}
			}
			permanent = permanent && (resp.StatusCode == http.StatusMovedPermanently || resp.StatusCode == http.StatusPermanentRedirect)
			if permanent {
				moved = next.String()
			}
			u = next
			continue
		}
		result, err := f.read(resp, r, u)
		resp.Body.Close()
		if err != nil {
			return nil, err
		}
		if moved != "" && moved != r.URL {
			result.MovedTo, result.SameSite = moved, sameSite(moved, first)
		}
		return result, nil
	}
}

func (f *Fetcher) get(ctx context.Context, r Request, u *url.URL, trusted bool) (*http.Response, error) {
	sent := *u
	sent.Fragment, sent.RawFragment = "", ""
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, sent.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5")
	req.Header.Set("Accept-Encoding", "gzip")
	req.Header.Set("User-Agent", f.userAgent)
	if r.ETag != "" {
		req.Header.Set("If-None-Match", r.ETag)
	}
	if r.LastModified != "" {
		req.Header.Set("If-Modified-Since", r.LastModified)
	}
	if trusted && r.Username+r.Password != "" {
		req.SetBasicAuth(r.Username, r.Password)
	}
	if trusted && r.HeaderName != "" {
		req.Header.Set(r.HeaderName, r.HeaderValue)
	}
	return f.client.Do(req)
}

// read returns the result of a response that is no redirect.
func (f *Fetcher) read(resp *http.Response, r Request, u *url.URL) (*Result, error) {
	h := resp.Header
	result := &Result{
		URL: u, ContentType: h.Get("Content-Type"), ETag: validator(h.Get("ETag")), LastModified: validator(h.Get("Last-Modified")), Wait: f.wait(h),
	}
	switch {
	case resp.StatusCode == http.StatusNotModified && r.ETag+r.LastModified != "":
		result.NotModified = true
		return result, nil
	case resp.StatusCode != http.StatusOK:
		return nil, &Failure{Kind: kindOf(resp), Status: resp.StatusCode, Wait: result.Wait, Message: fmt.Sprintf("%s responded with status %d", u.Hostname(), resp.StatusCode)}
	}
	body := io.Reader(resp.Body)
	if strings.EqualFold(strings.TrimSpace(h.Get("Content-Encoding")), "gzip") || strings.EqualFold(strings.TrimSpace(h.Get("Content-Encoding")), "x-gzip") {
		unpacked, err := gzip.NewReader(body)
		if err != nil {
			return nil, bodyFailure(err, u)
		}
		body = unpacked
	}
	data, err := io.ReadAll(io.LimitReader(body, MaxBytes+1))
	if err != nil {
		return nil, bodyFailure(err, u)
	}
	if len(data) > MaxBytes {
		return nil, &Failure{Kind: TooLarge, Status: resp.StatusCode, Message: fmt.Sprintf("%s sent more than %d MiB", u.Hostname(), MaxBytes>>20)}
	}
	result.Body = data
	return result, nil
}

// validator returns a header that is sent back in later requests, or an empty string if it is
// too long.
func validator(value string) string {
	if len(value) > 1024 {
		return ""
	}
	return value
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// redirected returns where a response leads. Errors continue a sentence about its host.
func redirected(from *url.URL, location string, redirects int) (*url.URL, error) {
	next, err := from.Parse(location)
	if err == nil {
		next, err = outbound.ParseURL(next.String())
	}
	switch {
	case err != nil:
		return nil, errors.New("redirects to an address that is not valid")
	case redirects >= maxRedirects:
		return nil, fmt.Errorf("redirects more than %d times", maxRedirects)
	case from.Scheme == "https" && next.Scheme == "http":
		return nil, errors.New("redirects from https to http")
	}
	return next, nil
}

// sameHost reports whether a URL has the host of the first one, so that it may get its
// credentials. https on its usual port is the same as http on its usual port.
func sameHost(first, u *url.URL) bool {
	usual := func(u *url.URL) string {
		if port := u.Port(); port != "" && !(u.Scheme == "http" && port == "80") && !(u.Scheme == "https" && port == "443") {
			return port
		}
		return ""
	}
	return strings.EqualFold(first.Hostname(), u.Hostname()) && usual(first) == usual(u)
}

// sameSite reports whether two URLs have the same registrable domain, or the same host if it
// is an address or has none.
func sameSite(moved string, first *url.URL) bool {
	u, err := url.Parse(moved)
	if err != nil {
		return false
	}
	a, b := strings.ToLower(u.Hostname()), strings.ToLower(first.Hostname())
	if a == b {
		return true
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(a)
	other, otherErr := publicsuffix.EffectiveTLDPlusOne(b)
	return err == nil && otherErr == nil && domain == other
}
