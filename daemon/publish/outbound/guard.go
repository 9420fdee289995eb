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

// leaseGuard is one call under the guard of its context. Its connection asks it before
// each write: that is later than anything net/http can be told to ask, which sends
// the headers of a request before it first reads a body that it does not know.
type leaseGuard struct {
	allowed   func() bool
	wrote     atomic.Bool // something was let through
	refused   atomic.Bool // and nothing is any more
	responded atomic.Bool // so that the connection belongs to the next call
}

// newLeaseGuard returns the passage of a call, nil when its context has no guard.
func newLeaseGuard(ctx context.Context) *leaseGuard {
	if allowed := publish.Guard(ctx); allowed != nil {
		return &leaseGuard{allowed: allowed}
	}
	return nil
}

var errLeaseLapsed = errors.New("the call is not this daemon's own any more")

// check lets a write through, or returns an error. A nil passage lets all through.
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

// unsent reports whether the guard has ended the call before anything of it left.
func (p *leaseGuard) unsent() bool { return p != nil && p.refused.Load() && !p.wrote.Load() }

// watch puts the passage on every connection that the call is given.
func (p *leaseGuard) watch(trace *httptrace.ClientTrace) {
	trace.GotConn = func(info httptrace.GotConnInfo) {
		if c := guardedConnOf(info.Conn); c != nil {
			c.guard.Store(p)
		}
	}
	trace.GotFirstResponseByte = func() { p.responded.Store(true) }
}

// guardedConn is a connection that asks the passage of its current call. HTTP/1
// has one call at a time on a connection.
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

// guardedConnOf returns the guarded connection that a connection is, or is made of.
func guardedConnOf(c net.Conn) *guardedConn {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	guarded, _ := c.(*guardedConn)
	return guarded
}

// guardedDial returns a dial function whose connections can be guarded.
func guardedDial(dial func(context.Context, string, string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &guardedConn{Conn: c}, nil
	}
}
