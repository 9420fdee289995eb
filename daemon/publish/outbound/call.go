package outbound

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"

	"github.com/schedctl/schedctl/daemon/publish"
)

// MaxBody is how much of an answer is read, in bytes.
const MaxBody = 1 << 20

// Response is what a network answered.
type Response struct {
	Status int
	Header http.Header
	Body   []byte // at most [MaxBody] bytes
	Cut    bool   // the body is longer, or broke off
}

// Post makes one call that may publish something. The body is sent once: it is
// never repeated on another connection. It returns an [*publish.Error] when
// there is no answer: of kind network, not published when the connection or
// TLS did not come about, and else with an unknown outcome.
//
// With the header "Connection: close" the call has a connection of its own, as
// long as every call to the host says so. The header is not changed. The url must hold no credentials before its host.
func Post(ctx context.Context, client *http.Client, url string, header http.Header, body []byte) (Response, error) {
	return send(ctx, client, http.MethodPost, url, header, body)
}

// Put is [Post] with the method PUT.
func Put(ctx context.Context, client *http.Client, url string, header http.Header, body []byte) (Response, error) {
	return send(ctx, client, http.MethodPut, url, header, body)
}

func send(ctx context.Context, client *http.Client, method, url string, header http.Header, body []byte) (Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		return Response{}, unusableURL()
	}
	// Without GetBody net/http has nothing to repeat. An empty body of this type
	// is one for it too, but goes out in chunks, which servers refuse where they
	// expect none: only a key makes net/http repeat a request without a body.
	if len(body) > 0 || header.Get("Idempotency-Key") != "" || header.Get("X-Idempotency-Key") != "" {
		req.Body = io.NopCloser(bytes.NewReader(body))
		req.ContentLength = int64(len(body))
	}
	return do(client, req, header)
}

// Get makes one call that only reads. It may be repeated by net/http on another
// connection. Errors are as of [Post].
func Get(ctx context.Context, client *http.Client, url string, header http.Header) (Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return Response{}, unusableURL()
	}
	return do(client, req, header)
}

func do(client *http.Client, req *http.Request, header http.Header) (Response, error) {
	// Once the transport has written the last header to its buffer, what follows
	// may reach the network. It closes a connection before it reports that a call
	// was cut, so a request whose headers were not written by then never will be.
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
	// The header alone does not stop net/http from keeping the connection, when
	// the answer does not say the same.
	req.Close = strings.EqualFold(header.Get("Connection"), "close")
	resp, err := client.Do(req)
	if err != nil {
		if guard.unsent() {
			return Response{}, publish.LeaseLapsed()
		}
		return Response{}, transportError(err, req.URL.Hostname(), wrote.Load())
	}
	defer resp.Body.Close()
	a := Response{Status: resp.StatusCode, Header: resp.Header}
	a.Body, a.Cut = readBody(resp.Body)
	return a, nil
}

// readBody reads at most MaxBody bytes, and to the end where there are not
// more, so that the connection can be kept.
func readBody(r io.Reader) (body []byte, cut bool) {
	body, err := io.ReadAll(io.LimitReader(r, MaxBody+1))
	if len(body) > MaxBody {
		return body[:MaxBody], true
	}
	return body, err != nil
}

func unusableURL() error {
	return publish.Contentf("url", "the URL of the account cannot be used; connect it again with another one")
}
