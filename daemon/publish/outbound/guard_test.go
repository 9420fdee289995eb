package outbound_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// byteServer responds to every request with 200 and counts the bytes that it reads.
type byteServer struct {
	url   string
	close func() // waits for the connections, so that all bytes are counted
	bytes atomic.Int64
	dials atomic.Int64
}

// countedConn counts the bytes that its server reads.
type countedConn struct {
	net.Conn
	s *byteServer
}

func (c countedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.s.bytes.Add(int64(n))
	return n, err
}

// countedListener wraps accepted connections in countedConn.
type countedListener struct {
	net.Listener
	s *byteServer
}

func (l countedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.s.dials.Add(1)
	return countedConn{c, l.s}, nil
}

func serveBytes(t *testing.T) *byteServer {
	t.Helper()
	s := &byteServer{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }))
	server.Listener = countedListener{server.Listener, s}
	server.Start()
	s.url, s.close = server.URL, server.Close
	t.Cleanup(server.Close)
	return s
}

// lapse returns a context whose guard allows n writes, and the number of calls of
// the guard.
func lapse(ctx context.Context, n int64) (context.Context, *atomic.Int64) {
	asked := new(atomic.Int64)
	return publish.WithGuard(ctx, func() bool { return asked.Add(1) <= n }), asked
}

func wantLapsed(t *testing.T, what string, err error) {
	t.Helper()
	if e := publish.AsError(err); e.Code != publish.CodeLeaseLapsed || e.Outcome != schedctl.OutcomeNotPublished {
		t.Errorf("%s: got %q %s (%v), want lease_lapsed not_published", what, e.Code, e.Outcome, err)
	}
}

// guardedCalls are requests of all kinds.
var guardedCalls = map[string]func(context.Context, *http.Client, string) (outbound.Response, error){
	"post": func(ctx context.Context, c *http.Client, url string) (outbound.Response, error) {
		return outbound.Post(ctx, c, url, nil, []byte("x"))
	},
	"post of many bytes": func(ctx context.Context, c *http.Client, url string) (outbound.Response, error) {
		return outbound.Post(ctx, c, url, nil, make([]byte, 1<<20))
	},
	"post with a key": func(ctx context.Context, c *http.Client, url string) (outbound.Response, error) {
		return outbound.Post(ctx, c, url, keyed, nil)
	},
	"post without a body": func(ctx context.Context, c *http.Client, url string) (outbound.Response, error) {
		return outbound.Post(ctx, c, url, nil, nil)
	},
	"post on a connection of its own": func(ctx context.Context, c *http.Client, url string) (outbound.Response, error) {
		return outbound.Post(ctx, c, url, http.Header{"Connection": {"close"}}, []byte("x"))
	},
	"put": func(ctx context.Context, c *http.Client, url string) (outbound.Response, error) {
		return outbound.Put(ctx, c, url, nil, []byte("x"))
	},
	"get": func(ctx context.Context, c *http.Client, url string) (outbound.Response, error) {
		return outbound.Get(ctx, c, url, nil)
	},
}

// If the lease lapses between the start of a request and its first write, not one
// byte is sent, neither on a new connection nor on a reused one.
func TestLapseBeforeTheFirstWrite(t *testing.T) {
	t.Parallel()
	for name, call := range guardedCalls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serveBytes(t)
			client := outbound.Client(outbound.AllowPrivate)
			ctx, _ := lapse(t.Context(), 0)
			_, err := call(ctx, client, s.url)
			wantLapsed(t, "before all", err)
			if n := s.dials.Load(); n != 0 {
				t.Errorf("%d connections for a request that must not start", n)
			}
			ctx, asked := lapse(t.Context(), 1)
			_, err = call(ctx, client, s.url)
			wantLapsed(t, "new connection", err)
			if n := asked.Load(); n < 2 {
				t.Errorf("the guard was called %d times, want another call before the write", n)
			}
			client.CloseIdleConnections()
			if n := s.bytes.Load(); n != 0 {
				t.Errorf("%d bytes left", n)
			}

			if _, err := call(t.Context(), client, s.url); err != nil {
				t.Fatal(err)
			}
			before := s.bytes.Load()
			ctx, _ = lapse(t.Context(), 1)
			_, err = call(ctx, client, s.url)
			wantLapsed(t, "kept connection", err)
			s.close()
			if n := s.bytes.Load() - before; n != 0 {
				t.Errorf("%d bytes were sent on the reused connection", n)
			}
		})
	}
}

// A lease that lapses in the middle of a request leaves the request incomplete: the
// node that takes over may already have asked the network for the post.
func TestLapseInTheMiddle(t *testing.T) {
	t.Parallel()
	var handled atomic.Int64
	cut := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err == nil {
			handled.Add(1)
		}
	}))
	t.Cleanup(cut.Close)
	ctx, _ := lapse(t.Context(), 2)
	_, err := outbound.Post(ctx, outbound.Client(outbound.AllowPrivate), cut.URL, nil, make([]byte, 1<<20))
	if e := publish.AsError(err); e.Outcome != schedctl.OutcomeUnknown {
		t.Errorf("got %q %s, want outcome unknown", e.Code, e.Outcome)
	}
	cut.Close()
	if n := handled.Load(); n != 0 {
		t.Error("the network received the whole request")
	}
}

// A request is not affected by the guard of the previous request on its connection.
func TestGuardEndsWithItsCall(t *testing.T) {
	t.Parallel()
	s := serveBytes(t)
	client := outbound.Client(outbound.AllowPrivate)
	var over atomic.Bool
	ctx := publish.WithGuard(t.Context(), func() bool { return !over.Load() })
	for _, body := range [][]byte{[]byte("x"), nil, make([]byte, 1<<20)} {
		over.Store(false)
		if _, err := outbound.Post(ctx, client, s.url, nil, body); err != nil {
			t.Fatalf("guarded: %v", err)
		}
		over.Store(true)
		if _, err := outbound.Post(t.Context(), client, s.url, nil, body); err != nil {
			t.Errorf("without a guard, after a request whose guard has expired: %v", err)
		}
	}
	if n := s.dials.Load(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

// Connections call the guard. That is correct as long as a connection serves one
// request at a time, so HTTP/2 must stay off. Under TLS the guard is called after
// the handshake.
func TestGuardUnderTLS(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex // mu guards protocols
	var protocols []string
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		protocols = append(protocols, r.Proto)
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(new(bytes.Buffer), "", 0)
	server.StartTLS()
	defer server.Close()
	client := outbound.Client(outbound.AllowPrivate)
	client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}

	ctx, asked := lapse(t.Context(), 1)
	_, err := outbound.Post(ctx, client, server.URL, nil, []byte("x"))
	wantLapsed(t, "after the handshake", err)
	if n := asked.Load(); n < 2 {
		t.Errorf("the guard was called %d times, want another call before the write", n)
	}
	ctx, _ = lapse(t.Context(), 100)
	if _, err := outbound.Post(ctx, client, server.URL, nil, []byte("x")); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(protocols) != 1 || protocols[0] != "HTTP/1.1" {
		t.Errorf("the server received %v, want one request by HTTP/1.1", protocols)
	}
}

// When an idle connection breaks, net/http repeats a Get on another one. The guard
// is called there too.
func TestGuardOfARepeatedRequest(t *testing.T) {
	t.Parallel()
	server := closingServer(t)
	client := outbound.Client(outbound.AllowPrivate)
	if _, err := outbound.Get(t.Context(), client, server.url, nil); err != nil {
		t.Fatal(err)
	}
	ctx, asked := lapse(t.Context(), 2) // the start, and the write on the connection that breaks
	_, err := outbound.Get(ctx, client, server.url, nil)
	if err == nil || asked.Load() < 3 {
		t.Errorf("the guard was called %d times, error %v; want a third call that refuses", asked.Load(), err)
	}
	if n := server.requests.Load(); n != 2 {
		t.Errorf("the server received %d requests, want the first and the interrupted one", n)
	}
}
