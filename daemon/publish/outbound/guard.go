package outbound

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/schedctl/schedctl/daemon/publish"
)

// leaseGuard applies the guard of a context to one request. The connection asks it
// before each write. net/http has no later hook: it sends the headers before it
// first reads a request body of unknown type.
type leaseGuard struct {
	allowed   func() bool
	wrote     atomic.Bool // some bytes were written
	refused   atomic.Bool // the guard stopped the request
	responded atomic.Bool // the response has started, so the connection belongs to the next request
}

// newLeaseGuard returns the guard of a request, or nil if its context has none.
func newLeaseGuard(ctx context.Context) *leaseGuard {
	if allowed := publish.Guard(ctx); allowed != nil {
		return &leaseGuard{allowed: allowed}
	}
	return nil
}

var errLeaseLapsed = errors.New("the daemon no longer holds the lease of this attempt")

// check returns an error if nothing more may be written. A nil leaseGuard allows
// everything.
func (p *leaseGuard) check() error {
	switch {
	case p == nil || p.responded.Load():
		return nil
	case p.refused.Load() || !p.allowed():
		p.refused.Store(true)
		return errLeaseLapsed
	}
	p.wrote.Store(true)
	return nil
}

// unsent reports whether the guard stopped the request before its first byte.
func (p *leaseGuard) unsent() bool { return p != nil && p.refused.Load() && !p.wrote.Load() }

// watch attaches the guard to every connection that the request uses.
func (p *leaseGuard) watch(trace *httptrace.ClientTrace) {
	trace.GotConn = func(info httptrace.GotConnInfo) {
		if c := guardedConnOf(info.Conn); c != nil {
			c.guard.Store(p)
		}
	}
	trace.GotFirstResponseByte = func() { p.responded.Store(true) }
}

// guardedConn is a connection that checks the guard of its current request. HTTP/1
// has one request at a time on a connection.
type guardedConn struct {
	net.Conn
	guard atomic.Pointer[leaseGuard]
}

// Write implements [net.Conn].
func (c *guardedConn) Write(b []byte) (int, error) {
	if err := c.guard.Load().check(); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

// guardedConnOf returns the guarded connection in c, which may be wrapped by TLS.
func guardedConnOf(c net.Conn) *guardedConn {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	guarded, _ := c.(*guardedConn)
	return guarded
}

// writeBuffer is how many bytes of a request may wait in the kernel. On a slow
// connection a larger buffer takes longer to drain than a response may take.
const writeBuffer = 512 << 10

// guardedDial wraps dial so that its connections can be guarded.
func guardedDial(dial func(context.Context, string, string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		if tcp, ok := c.(*net.TCPConn); ok {
			tcp.SetWriteBuffer(writeBuffer) // without effect in the worst case
		}
		return &guardedConn{Conn: c}, nil
	}
}
