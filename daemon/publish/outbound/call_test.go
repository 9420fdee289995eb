package outbound_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

var keyed = http.Header{"Idempotency-Key": {"pt_1"}}

// When an idle connection breaks after a request was written, net/http replays a
// request with an Idempotency-Key. That would publish twice.
func TestPublishingRequestsAreNeverReplayed(t *testing.T) {
	t.Parallel()
	type send func(context.Context, *http.Client, string, http.Header, []byte) (outbound.Response, error)
	for method, call := range map[string]send{http.MethodPost: outbound.Post, http.MethodPut: outbound.Put} {
		for name, body := range map[string][]byte{"body": []byte("x"), "empty body": nil} {
			server := closingServer(t)
			client := outbound.Client(outbound.AllowPrivate)
			if _, err := call(t.Context(), client, server.url, keyed, body); err != nil {
				t.Fatalf("%s, %s: first request: %v", method, name, err)
			}
			_, err := call(t.Context(), client, server.url, keyed, body)
			e := publish.AsError(err)
			if e.Outcome != schedctl.OutcomeUnknown || e.Kind != schedctl.KindNetwork {
				t.Errorf("%s, %s: got %s %s, want network unknown", method, name, e.Kind, e.Outcome)
			}
			if n := server.requests.Load(); n != 2 {
				t.Errorf("%s, %s: the server received %d requests, want 2", method, name, n)
			}
		}
	}
}

// Servers of the AT protocol reject a chunked body, even an empty one, where they
// expect none.
func TestEmptyBodyIsNotChunked(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%q %v", r.Header.Get("Content-Length"), r.TransferEncoding)
	}))
	defer server.Close()
	a, err := outbound.Post(t.Context(), outbound.Client(outbound.AllowPrivate), server.URL, nil, nil)
	if want := `"0" []`; err != nil || string(a.Body) != want {
		t.Errorf("the server received %s, %v; want %s", a.Body, err, want)
	}
}

func TestPutKeepsItsMethod(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s", r.Method, body)
	}))
	defer server.Close()
	a, err := outbound.Put(t.Context(), outbound.Client(outbound.AllowPrivate), server.URL, nil, []byte("x"))
	if err != nil || string(a.Body) != "PUT x" {
		t.Errorf("got %q, %v; want PUT x", a.Body, err)
	}
}

// This test proves that the server of TestPublishingRequestsAreNeverReplayed makes
// net/http replay ordinary requests.
func TestOrdinaryRequestsAreReplayed(t *testing.T) {
	t.Parallel()
	server := closingServer(t)
	client := outbound.Client(outbound.AllowPrivate)
	for range 2 {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, server.url, bytes.NewReader([]byte("x")))
		req.Header = keyed.Clone()
		if resp, err := client.Do(req); err == nil {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	}
	if n := server.requests.Load(); n != 3 {
		t.Errorf("the server received %d requests, want 3: has net/http stopped replaying?", n)
	}
}

// Some servers close a connection after a response without announcing it. A request
// on such a connection fails with an unknown outcome.
func TestConnectionCloseAvoidsReuse(t *testing.T) {
	t.Parallel()
	server := closingServer(t)
	client := outbound.Client(outbound.AllowPrivate)
	for call := range 3 {
		if _, err := outbound.Post(t.Context(), client, server.url, http.Header{"Connection": {"close"}}, []byte("x")); err != nil {
			t.Errorf("call %d: %v", call, err)
		}
	}
	if n := server.requests.Load(); n != 3 {
		t.Errorf("the server received %d requests, want 3", n)
	}
}

type rawServer struct {
	url      string
	requests *atomic.Int64
}

// closingServer responds to the first request of each connection, reads the second
// and closes.
func closingServer(t *testing.T) rawServer {
	t.Helper()
	return serveRaw(t, func(c net.Conn, in *bufio.Reader, next func() bool) {
		if next() {
			io.WriteString(c, "HTTP/1.1 204 No Content\r\n\r\n")
			next()
		}
	})
}

// serveRaw runs a server until the test ends. next reads one request.
func serveRaw(t *testing.T, serve func(c net.Conn, in *bufio.Reader, next func() bool)) rawServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := rawServer{url: "http://" + listener.Addr().String() + "/", requests: new(atomic.Int64)}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer c.Close()
				defer context.AfterFunc(t.Context(), func() { c.Close() })()
				in := bufio.NewReader(c)
				serve(c, in, func() bool {
					req, err := http.ReadRequest(in)
					if err != nil {
						return false
					}
					io.Copy(io.Discard, req.Body)
					s.requests.Add(1)
					return true
				})
			})
		}
	})
	t.Cleanup(func() { listener.Close(); running.Wait() })
	return s
}

func TestPostErrors(t *testing.T) {
	t.Parallel()
	plain, _ := countingServer(t, http.StatusOK)
	tlsServer := httptest.NewUnstartedServer(http.NotFoundHandler())
	tlsServer.Config.ErrorLog = log.New(io.Discard, "", 0)
	tlsServer.StartTLS()
	t.Cleanup(tlsServer.Close)
	dropped := serveRaw(t, func(_ net.Conn, _ *bufio.Reader, next func() bool) { next() })
	echoing := serveRaw(t, func(c net.Conn, _ *bufio.Reader, next func() bool) {
		if next() {
			io.WriteString(c, "POST /hook-with-secret HTTP/1.1\r\n\r\nthe content\r\n")
		}
	})
	closed := httptest.NewServer(nil)
	closed.Close()

	for _, tt := range []struct {
		name, url string
		outcome   schedctl.Outcome
		says      string
	}{
		{"nobody listens", closed.URL, schedctl.OutcomeNotPublished, "refused the connection"},
		{"unknown authority", tlsServer.URL, schedctl.OutcomeNotPublished, "unknown authority"},
		{"TLS to a plain server", strings.Replace(plain.URL, "http:", "https:", 1), schedctl.OutcomeNotPublished, "http://"},
		{"dropped after the request", dropped.url, schedctl.OutcomeUnknown, "without a response"},
		{"not HTTP", echoing.url, schedctl.OutcomeUnknown, "no usable HTTP response"},
	} {
		_, err := outbound.Post(t.Context(), outbound.Client(outbound.AllowPrivate), tt.url+"/hook-with-secret", keyed, []byte("the content"))
		e := publish.AsError(err)
		if e.Kind != schedctl.KindNetwork || e.Outcome != tt.outcome || !strings.Contains(e.Message, tt.says) {
			t.Errorf("%s: got %s %s %q, want network %s %q", tt.name, e.Kind, e.Outcome, e.Message, tt.outcome, tt.says)
		}
		if all := fmt.Sprint(e.Message, e.Err); strings.Contains(all, "secret") || strings.Contains(all, "content") {
			t.Errorf("%s: %q contains secrets", tt.name, all)
		}
	}
}

// NoResponse finds the same message without knowing how much was sent.
func TestNoResponse(t *testing.T) {
	t.Parallel()
	tlsServer := httptest.NewUnstartedServer(http.NotFoundHandler())
	tlsServer.Config.ErrorLog = log.New(io.Discard, "", 0)
	tlsServer.StartTLS()
	t.Cleanup(tlsServer.Close)
	server, _ := countingServer(t, http.StatusOK)
	dropped := serveRaw(t, func(_ net.Conn, _ *bufio.Reader, next func() bool) { next() })
	silent := serveRaw(t, func(_ net.Conn, in *bufio.Reader, next func() bool) {
		if next() {
			in.ReadByte() // until the client closes
		}
	})
	closed := httptest.NewServer(nil)
	closed.Close()

	guarded, open := outbound.Client(outbound.PublicOnly), outbound.Client(outbound.AllowPrivate)
	impatient := outbound.Client(outbound.AllowPrivate)
	impatient.Transport.(*http.Transport).ResponseHeaderTimeout = time.Millisecond
	nameless := outbound.Client(outbound.AllowPrivate)
	nameless.Transport.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", IsNotFound: true}}
	}
	for _, tt := range []struct {
		client    *http.Client
		url, says string
	}{
		{open, closed.URL, "refused the connection"},
		{guarded, server.URL, "--allow-private-networks"},
		{nameless, server.URL, "no host is named"},
		{open, tlsServer.URL, "unknown authority"},
		{open, strings.Replace(server.URL, "http:", "https:", 1), "http://"},
		{open, dropped.url, "without a response"},
		{impatient, silent.url, "did not respond in time"},
	} {
		_, err := tt.client.Post(tt.url+"/hook-with-secret", "text/plain", strings.NewReader("the content"))
		if said := outbound.NoResponse(err, "bot.example"); !strings.Contains(said, tt.says) || !strings.Contains(said, "bot.example") || strings.Contains(said, "secret") {
			t.Errorf("%s: %q, want %q", err, said, tt.says)
		}
	}
}

func TestNamesThatDoNotResolve(t *testing.T) {
	t.Parallel()
	for says, dns := range map[string]*net.DNSError{
		"no host is named":        {Err: "no such host", IsNotFound: true},
		"cannot resolve the name": {Err: "server misbehaving"},
		"cannot connect to":       nil,
	} {
		client := outbound.Client(outbound.AllowPrivate)
		client.Transport.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
			if dns == nil {
				return nil, fmt.Errorf("dial: something else")
			}
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: dns}
		}
		_, err := outbound.Post(t.Context(), client, "https://social.example/x", nil, []byte("x"))
		e := publish.AsError(err)
		if e.Outcome != schedctl.OutcomeNotPublished || !strings.Contains(e.Message, says) || !strings.Contains(e.Message, "social.example") {
			t.Errorf("got %s %q, want not_published %q", e.Outcome, e.Message, says)
		}
	}
}

func TestEndOfContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	server := serveRaw(t, func(_ net.Conn, in *bufio.Reader, next func() bool) {
		if next() {
			cancel()
			in.ReadByte() // until the client closes
		}
	})
	client := outbound.Client(outbound.AllowPrivate)
	_, err := outbound.Post(ctx, client, server.url, nil, []byte("x"))
	if e := publish.AsError(err); e.Outcome != schedctl.OutcomeUnknown {
		t.Errorf("ended during the request: got %s, want unknown", e.Outcome)
	}
	_, err = outbound.Post(ctx, client, server.url, nil, []byte("x"))
	if e := publish.AsError(err); e.Outcome != schedctl.OutcomeNotPublished {
		t.Errorf("ended before the request: got %s, want not_published", e.Outcome)
	}
	if n := server.requests.Load(); n != 1 {
		t.Errorf("the server received %d requests, want 1", n)
	}
}

func TestBodiesAreBounded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		answer func(http.ResponseWriter)
		size   int
		cut    bool
	}{
		{"as long as allowed", func(w http.ResponseWriter) { w.Write(make([]byte, outbound.MaxBody)) }, outbound.MaxBody, false},
		{"longer", func(w http.ResponseWriter) { w.Write(make([]byte, outbound.MaxBody+1)) }, outbound.MaxBody, true},
		{"broken off", func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "100")
			w.Write([]byte("half"))
		}, 4, true},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { tt.answer(w) }))
		a, err := outbound.Get(t.Context(), outbound.Client(outbound.AllowPrivate), server.URL, nil)
		if err != nil || len(a.Body) != tt.size || a.Cut != tt.cut {
			t.Errorf("%s: got %d bytes, cut %v, error %v; want %d, %v", tt.name, len(a.Body), a.Cut, err, tt.size, tt.cut)
		}
		server.Close()
	}
}

func TestUnusableURLsAreNotCalled(t *testing.T) {
	t.Parallel()
	_, err := outbound.Post(t.Context(), outbound.Client(outbound.AllowPrivate), "http://a b/secret", nil, nil)
	e := publish.AsError(err)
	if e.Kind != schedctl.KindContent || e.Outcome != schedctl.OutcomeNotPublished || strings.Contains(fmt.Sprint(e, e.Err), "secret") {
		t.Errorf("got %+v", e)
	}
}
