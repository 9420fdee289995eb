package client

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// apiRequest is one request to the API.
type apiRequest struct {
	method string
	path   string // below /api/v1, escaped
	query  url.Values
	body   any // nil for none
	header http.Header

	atLeast time.Duration // the default timeout, if it is longer than that of other requests

	replayed *bool // set to whether the response was stored earlier; may be nil
}

// Option changes one write.
type Option func(*apiRequest)

// IdempotencyKey sets the idempotency key of a write. Within a day, a second write
// with the same key returns the response of the first and has no effect. By default,
// each call of a method uses a new key.
func IdempotencyKey(key string) Option {
	return func(r *apiRequest) { r.header.Set("Idempotency-Key", key) }
}

// Replayed sets *replayed to whether the response is that of an earlier write with
// the same idempotency key. The object may have changed since.
func Replayed(replayed *bool) Option {
	return func(r *apiRequest) { r.replayed = replayed }
}

// IfVersion makes a write fail with VERSION_MISMATCH unless the object has this
// version: a post, a series, a queue or a blackout.
func IfVersion(version int64) Option {
	return func(r *apiRequest) { r.header.Set("If-Match", versionTag(version)) }
}

// versionTag returns the ETag of a version.
func versionTag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// get reads an object.
func get[T any](ctx context.Context, c *Client, path string, query url.Values, options ...Option) (out T, err error) {
	if err := checkPath(path); err != nil {
		return out, err
	}
	r := apiRequest{method: http.MethodGet, path: path, query: query, header: http.Header{}}
	for _, o := range options {
		o(&r)
	}
	err = c.call(ctx, r, &out)
	return out, err
}

// write sends body, which may be nil, and returns the decoded response.
func write[T any](ctx context.Context, c *Client, method, path string, body any, options []Option) (out T, err error) {
	if err := checkPath(path); err != nil {
		return out, err
	}
	r := newWrite(method, path, options)
	r.body = body
	err = c.call(ctx, r, &out)
	if changed, ok := any(out).(apiv1.PostEnvelope); ok && err == nil && c.changed != nil {
		c.changed(changed.Post)
	}
	return out, err
}

// delete sends a request whose response has no body.
func (c *Client) delete(ctx context.Context, path string, options []Option) error {
	if err := checkPath(path); err != nil {
		return err
	}
	return c.call(ctx, newWrite(http.MethodDelete, path, options), nil)
}

// newWrite returns a request with a new idempotency key, unless the options set one.
func newWrite(method, path string, options []Option) apiRequest {
	r := apiRequest{method: method, path: path, header: http.Header{}}
	r.header.Set("Idempotency-Key", newIdempotencyKey())
	for _, o := range options {
		o(&r)
	}
	return r
}

func newIdempotencyKey() string { return "cli-" + schedctl.NewULID(time.Now()).String() }

// itemPath returns the path of an object in a collection, or of an action on it.
func itemPath(collection, id string, action ...string) string {
	path := collection + "/" + url.PathEscape(id)
	for _, name := range action {
		path += "/" + name
	}
	return path
}

// checkPath returns a NOT_FOUND error for a path with an id that would change the path.
func checkPath(path string) error {
	for id := range strings.SplitSeq(path[1:], "/") {
		if id == "" || id == "." || id == ".." {
			return &Error{API: apiv1.Error{Code: schedctl.NotFound, Message: "there is no id " + strconv.Quote(id)}, Status: http.StatusNotFound}
		}
	}
	return nil
}

// pageValues returns the query for a page of a list. Zero values leave the choice to the
// daemon.
func pageValues(limit int, cursor string) url.Values {
	v := url.Values{}
	if limit > 0 {
		v.Set("limit", strconv.Itoa(limit))
	}
	if cursor != "" {
		v.Set("cursor", cursor)
	}
	return v
}

// eachItem iterates over the results of all pages, from the page of a cursor on. fetch
// returns the results of a page and the cursor of the next one. An error ends the
// iteration.
func eachItem[T any](cursor string, fetch func(cursor string) ([]T, *string, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for at := cursor; ; {
			results, next, err := fetch(at)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range results {
				if !yield(item, nil) {
					return
				}
			}
			if next == nil || *next == at {
				return
			}
			at = *next
		}
	}
}

// A request without a response is tried at most maxTries times. Waits that the daemon asks
// for do not count: only Config.MaxWait and Config.Timeout limit them.
const (
	maxTries   = 4
	firstPause = 100 * time.Millisecond
)

// call sends the request, repeats it if that is safe and useful, and decodes the
// response into out.
func (c *Client) call(ctx context.Context, r apiRequest, out any) error {
	limit := c.timeout
	if c.patient {
		limit = max(limit, r.atLeast)
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return c.repeat(ctx, limited, r, func(try int) error { return c.try(limited, r, out, try) })
}

// repeat calls send until it succeeds, ctx ends, or another try is not safe or not
// useful. limited, a child of ctx, bounds the pauses.
func (c *Client) repeat(ctx, limited context.Context, r apiRequest, send func(try int) error) error {
	for try := 1; ; try++ {
		err := send(try)
		if err == nil {
			return nil
		}
		pause, again := c.repeatAfter(err, try)
		again = again && r.repeatable() && c.wait(limited, err, pause)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !again:
			return err
		}
	}
}

// try makes the request once.
func (c *Client) try(ctx context.Context, r apiRequest, out any, try int) error {
	req := c.resty.R().SetContext(ctx).SetQueryParamsFromValues(r.query)
	req.Header = r.header.Clone()
	if r.body != nil {
		req.SetHeader("Content-Type", "application/json").SetBody(r.body)
	}
	start := time.Now()
	resp, err := req.Execute(r.method, r.path)
	log := c.log.With("method", r.method, "path", r.path, "try", try, "duration", time.Since(start))
	if err != nil {
		log.Debug("request without response", "error", rootCause(err))
		if errors.Is(err, resty.ErrResponseBodyTooLarge) {
			return unexpectedResponse(c.url, resp.StatusCode(), resp.Header())
		}
		return &UnreachableError{URL: c.url, Err: err}
	}
	log.Debug("response received", "status", resp.StatusCode(), "request_id", resp.Header().Get("X-Request-Id"))
	if r.replayed != nil {
		*r.replayed = resp.Header().Get("Idempotent-Replayed") == "true"
	}
	return c.read(resp, out)
}

// read decodes a response.
func (c *Client) read(resp *resty.Response, out any) error {
	status := resp.StatusCode()
	raw, isRaw := out.(*Response)
	if isRaw {
		*raw = Response{Status: status, Header: resp.Header(), Body: resp.Body()}
	}
	if status == http.StatusNotModified {
		if isRaw {
			return nil
		}
		return ErrNotModified
	}
	if status < 200 || status > 299 {
		return c.readError(resp)
	}
	if out == nil || isRaw || status == http.StatusNoContent {
		return nil
	}
	if err := json.Unmarshal(resp.Body(), out); err != nil {
		return unexpectedResponse(c.url, status, resp.Header())
	}
	return nil
}

func (c *Client) readError(resp *resty.Response) *Error {
	return c.refusal(resp.StatusCode(), resp.Header(), resp.Body())
}

// refusal returns the error of an error response.
func (c *Client) refusal(status int, header http.Header, body []byte) *Error {
	e := unexpectedResponse(c.url, status, header)
	e.Location = header.Get("Location")
	var envelope apiv1.ErrorEnvelope
	if json.Unmarshal(body, &envelope) == nil && envelope.Error.Code != "" {
		e.API = envelope.Error
	}
	e.RetryAfter = retryAfter(header.Get("Retry-After"))
	return e
}

// retryAfter reads the header Retry-After, in seconds or as a date; 0 for none.
func retryAfter(text string) time.Duration {
	const longest = 24 * time.Hour
	if seconds, err := strconv.Atoi(text); err == nil {
		return time.Duration(min(max(seconds, 0), 24*3600)) * time.Second
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return min(max(time.Until(at), 0), longest)
}

// repeatable reports whether a retry cannot take effect twice: the request only reads, or
// it has an idempotency key.
func (r apiRequest) repeatable() bool {
	return isRead(r.method) || r.header.Get("Idempotency-Key") != ""
}

func isRead(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// repeatAfter reports whether a request whose try ended in err may be repeated,
// and after which pause.
func (c *Client) repeatAfter(err error, try int) (pause time.Duration, again bool) {
	pause = firstPause << min(try-1, maxTries)
	pause += rand.N(pause / 2)
	var unreachable *UnreachableError
	if errors.As(err, &unreachable) {
		return pause, try < maxTries && !errors.Is(err, errRedirect) && !errors.Is(err, ErrUnproven)
	}
	var refused *Error
	if !errors.As(err, &refused) || refused.RetryAfter > c.maxWait {
		return 0, false
	}
	if refused.wantsRetry() {
		return refused.RetryAfter + rand.N(firstPause), true // spreads the retries of many clients
	}
	return max(pause, refused.RetryAfter), try < maxTries && refused.API.Code == schedctl.IdempotencyRunning
}

// wantsRetry reports whether the daemon did not process the request and named the time
// of a retry.
func (e *Error) wantsRetry() bool {
	return e.RetryAfter > 0 && (e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable)
}

// wait waits before the next try and reports whether there is one. If ctx ends before the
// time that the daemon asked for, wait returns false at once, so that the caller gets the
// error response and not a timeout.
func (c *Client) wait(ctx context.Context, err error, pause time.Duration) bool {
	var refused *Error
	if !errors.As(err, &refused) || !refused.wantsRetry() {
		return schedctl.Sleep(ctx, pause)
	}
	if end, bounded := ctx.Deadline(); bounded && time.Until(end) <= pause {
		return false
	}
	c.log.Debug("request limited", "status", refused.Status, "pause", pause)
	if c.waiting != nil {
		defer c.waiting(refused, pause)()
	}
	return schedctl.Sleep(ctx, pause)
}
