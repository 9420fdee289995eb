package outbound

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// MaxBody is the maximum number of bytes read from a response body.
const MaxBody = 1 << 20

// Response is the HTTP response of a network.
type Response struct {
	Status int
	Header http.Header
	Body   []byte // at most [MaxBody] bytes
	Cut    bool   // the body is longer than MaxBody, or the connection broke
}

// ClockSkew returns how far the clock of the network is ahead of now, the time of the
// response on this machine. It is 0 if the response has no date.
func (r Response) ClockSkew(now time.Time) time.Duration {
	at, err := http.ParseTime(r.Header.Get("Date"))
	if err != nil {
		return 0
	}
	return at.Sub(now)
}

// Post sends one request that may publish something. It sends the body at most once
// and never retries on another connection. Without a response it returns an
// [*publish.Error] of kind network: the outcome is not_published if no connection
// was established, otherwise unknown.
//
// With the header "Connection: close" the request uses its own connection, provided
// that every request to this host sets the header. Post does not modify header. The
// URL must not contain user information.
func Post(ctx context.Context, client *http.Client, url string, header http.Header, body []byte) (Response, error) {
	return send(ctx, client, http.MethodPost, url, header, body)
}

// Put is [post] with the method PUT.
func Put(ctx context.Context, client *http.Client, url string, header http.Header, body []byte) (Response, error) {
	return send(ctx, client, http.MethodPut, url, header, body)
}

func send(ctx context.Context, client *http.Client, method, url string, header http.Header, body []byte) (Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		return Response{}, unusableURL()
	}
	// Without GetBody, net/http cannot replay the request. For an empty body this type
	// would cause chunked encoding, which some servers reject. net/http replays a
	// request without a body only if it has an idempotency key.
	if len(body) > 0 || header.Get("Idempotency-Key") != "" || header.Get("X-Idempotency-Key") != "" {
		req.Body = io.NopCloser(bytes.NewReader(body))
		req.ContentLength = int64(len(body))
	}
	return do(client, req, header)
}

// Get sends one request that only reads. net/http may retry it on another
// connection. Errors are those of [post].
func Get(ctx context.Context, client *http.Client, url string, header http.Header) (Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return Response{}, unusableURL()
	}
	return do(client, req, header)
}

// signedTries is how often a signed request that reads is sent at most.
const signedTries = 3

// GetSigned is [Get] for a request whose signature is used once, because it contains a
// nonce. net/http would repeat the request with the same signature if the network has closed
// a kept connection. sign returns the header of each try.
func GetSigned(ctx context.Context, client *http.Client, url string, sign func() http.Header) (Response, error) {
	for tries := 1; ; tries++ {
		var reused atomic.Bool
		traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused.Store(i.Reused) }})
		req, err := http.NewRequestWithContext(traced, http.MethodGet, url, nil)
		if err != nil {
			return Response{}, unusableURL()
		}
		req.Body = io.NopCloser(strings.NewReader("")) // without GetBody, net/http does not repeat it
		response, err := do(client, req, sign())
		if err == nil || !reused.Load() || tries == signedTries || ctx.Err() != nil {
			return response, err
		}
	}
}

func do(client *http.Client, req *http.Request, header http.Header) (Response, error) {
	// After the transport has written the last header to its buffer, the request may
	// reach the network. The transport closes the connection before it reports a
	// canceled request, so headers that were not written by then are never sent.
	var wrote atomic.Bool
	trace := &httptrace.ClientTrace{WroteHeaders: func() { wrote.Store(true) }}
	guard := newLeaseGuard(req.Context())
	if guard != nil {
		if !guard.allowed() {
			return Response{}, publish.LeaseLapsed()
		}
		guard.watch(trace)
	}
	req = req.WithContext(httptrace.WithClientTrace(req.Context(), trace))
	if header != nil {
		req.Header = header.Clone()
	}
	// The header alone does not make net/http close the connection unless the response
	// says the same.
	req.Close = strings.EqualFold(header.Get("Connection"), "close")
	resp, err := client.Do(req)
	if err != nil {
		if guard.unsent() {
			return Response{}, publish.LeaseLapsed()
		}
		if body, ok := req.Body.(*bodyReader); ok && body.err() != nil {
			return Response{}, unreadableBody(body.err(), outcomeIf(wrote.Load()))
		}
		return Response{}, transportError(err, req.URL.Hostname(), wrote.Load())
	}
	defer resp.Body.Close()
	response := Response{Status: resp.StatusCode, Header: resp.Header}
	response.Body, response.Cut = readBody(resp.Body)
	return response, nil
}

// outcomeIf returns the outcome of a request without a response, depending on whether
// its headers were written.
func outcomeIf(wrote bool) schedctl.Outcome {
	if wrote {
		return schedctl.OutcomeUnknown
	}
	return schedctl.OutcomeNotPublished
}

// readBody reads at most MaxBody bytes. It reads a shorter body to its end, so that
// the connection can be reused.
func readBody(r io.Reader) (body []byte, cut bool) {
	body, err := io.ReadAll(io.LimitReader(r, MaxBody+1))
	if len(body) > MaxBody {
		return body[:MaxBody], true
	}
	return body, err != nil
}

func unusableURL() error {
	return publish.Contentf("url", "the URL of the account cannot be used; reconnect the account with another URL")
}
