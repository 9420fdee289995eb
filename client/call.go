package client

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// request is one call of the API.
type request struct {
	method string
	path   string // below /api/v1, escaped
	query  url.Values
	body   any // nil for none
	header http.Header

	replayed *bool // where to note a stored answer, or nil
}

// Option changes one write.
type Option func(*request)

// IdempotencyKey makes a write the same as every other with this key: repeated
// within a day it answers as the first time and does nothing. Without one, each
// call of a method is a write of its own.
func IdempotencyKey(key string) Option {
	return func(r *request) { r.header.Set("Idempotency-Key", key) }
}

// Replayed notes whether the answer is that of an earlier write with the same
// idempotency key. What the answer shows may have changed since.
func Replayed(replayed *bool) Option {
	return func(r *request) { r.replayed = replayed }
}

// IfVersion lets a write succeed only while the post has this version; else it
// is refused as VERSION_MISMATCH.
func IfVersion(version int64) Option {
	return func(r *request) { r.header.Set("If-Match", `"`+strconv.FormatInt(version, 10)+`"`) }
}

// get reads into out.
func (c *Client) get(ctx context.Context, path string, query url.Values, out any) error {
	return c.call(ctx, request{method: http.MethodGet, path: path, query: query, header: http.Header{}}, out)
}

// write sends body and reads the answer into out; either may be nil.
func (c *Client) write(ctx context.Context, method, path string, body, out any, options []Option) error {
	r := request{method: method, path: path, body: body, header: http.Header{}}
	r.header.Set("Idempotency-Key", newIdempotencyKey())
	for _, o := range options {
		o(&r)
	}
	return c.call(ctx, r, out)
}

func newIdempotencyKey() string { return "cli-" + schedctl.NewULID(time.Now()).String() }

// item returns the path of one thing in a collection, or a NOT_FOUND error for
// an id that would lead elsewhere.
func item(collection, id, action string) (string, error) {
	if id == "" || id == "." || id == ".." {
		return "", &Error{API: apiv1.Error{Code: schedctl.NotFound, Message: "there is no id " + strconv.Quote(id)}, Status: http.StatusNotFound}
	}
	path := collection + "/" + url.PathEscape(id)
	if action != "" {
		path += "/" + action
	}
	return path, nil
}

// Repeating is bounded in number and in time: at the end the caller is told.
const (
	maxTries   = 4
	firstPause = 100 * time.Millisecond
	maxPause   = 3 * time.Second // a longer Retry-After is left to the caller
)

// call makes the request, repeats it where that is safe and may help, and reads
// the answer into out.
func (c *Client) call(ctx context.Context, r request, out any) error {
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	for try := 1; ; try++ {
		err := c.try(limited, r, out, try)
		if err == nil {
			return nil
		}
		pause, again := repeatAfter(err, try)
		again = again && r.repeatable() && sleep(limited, pause)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !again:
			return err
		}
	}
}

// try makes the request once.
func (c *Client) try(ctx context.Context, r request, out any, try int) error {
	req := c.resty.R().SetContext(ctx).SetQueryParamsFromValues(r.query)
	req.Header = r.header.Clone()
	if r.body != nil {
		req.SetHeader("Content-Type", "application/json").SetBody(r.body)
	}
	start := time.Now()
	resp, err := req.Execute(r.method, r.path)
	log := c.log.With("method", r.method, "path", r.path, "try", try, "duration", time.Since(start))
	if err != nil {
		log.Debug("request without an answer", "error", cause(err))
		if errors.Is(err, resty.ErrResponseBodyTooLarge) {
			return foreign(c.url, resp.StatusCode())
		}
		return &UnreachableError{URL: c.url, Err: err}
	}
	log.Debug("request answered", "status", resp.StatusCode(), "request_id", resp.Header().Get("X-Request-Id"))
	if r.replayed != nil {
		*r.replayed = resp.Header().Get("Idempotent-Replayed") == "true"
	}
	return c.read(resp, out)
}

// read decodes an answer.
func (c *Client) read(resp *resty.Response, out any) error {
	status := resp.StatusCode()
	raw, isRaw := out.(*Answer)
	if isRaw {
		*raw = Answer{Status: status, Header: resp.Header(), Body: resp.Body()}
	}
	if status < 200 || status > 299 {
		return c.readError(resp)
	}
	if out == nil || isRaw || status == http.StatusNoContent {
		return nil
	}
	if err := json.Unmarshal(resp.Body(), out); err != nil {
		return foreign(c.url, status)
	}
	return nil
}

func (c *Client) readError(resp *resty.Response) *Error {
	e := foreign(c.url, resp.StatusCode())
	e.Location = resp.Header().Get("Location")
	var envelope apiv1.ErrorEnvelope
	if json.Unmarshal(resp.Body(), &envelope) == nil && envelope.Error.Code != "" {
		e.API = envelope.Error
	}
	if seconds, err := strconv.Atoi(resp.Header().Get("Retry-After")); err == nil && seconds >= 0 {
		e.RetryAfter = min(time.Duration(seconds), 24*3600) * time.Second
	}
	return e
}

// repeatable reports whether the request can be made again without doing anything
// twice: it reads, or it carries an idempotency key, which every write should.
func (r request) repeatable() bool {
	return reads(r.method) || r.header.Get("Idempotency-Key") != ""
}

func reads(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// repeatAfter says whether a try that ended in err may be made again, and when.
func repeatAfter(err error, try int) (pause time.Duration, again bool) {
	if try >= maxTries {
		return 0, false
	}
	pause = firstPause << (try - 1)
	pause += rand.N(pause / 2)
	var unreachable *UnreachableError
	if errors.As(err, &unreachable) {
		return pause, !errors.Is(err, errRedirect) && !errors.Is(err, ErrUnproven)
	}
	var refused *Error
	if !errors.As(err, &refused) {
		return 0, false
	}
	busy := refused.API.Code == schedctl.IdempotencyRunning
	later := refused.Status == http.StatusServiceUnavailable && refused.RetryAfter > 0
	return max(pause, refused.RetryAfter), (busy || later) && refused.RetryAfter <= maxPause
}

// sleep reports whether the pause passed before ctx ended.
func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
