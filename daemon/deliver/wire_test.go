package deliver_test

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// wire connects the client of a daemon to a server through pipes, so that both run in a
// testing/synctest bubble. HTTP is real; time and sockets are not.
type wire struct {
	client *http.Client
	server *http.Server
	pipes  chan net.Conn
	closed chan struct{}
	done   sync.WaitGroup
}

// newWire serves the handler for any host that the client calls.
func newWire(handler http.Handler) *wire {
	w := &wire{
		client: outbound.Client(outbound.AllowPrivate),
		server: &http.Server{Handler: handler, ErrorLog: log.New(io.Discard, "", 0)},
		pipes:  make(chan net.Conn), closed: make(chan struct{}),
	}
	transport := w.client.Transport.(*http.Transport)
	transport.DialContext, transport.DialTLSContext = w.dial, w.dial
	w.done.Go(func() { w.server.Serve(w) })
	return w
}

func (w *wire) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case w.pipes <- far:
		return near, nil
	case <-w.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements [net.Listener].
func (w *wire) Accept() (net.Conn, error) {
	select {
	case c := <-w.pipes:
		return c, nil
	case <-w.closed:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (w *wire) Close() error { return nil }

// Addr implements [net.Listener].
func (w *wire) Addr() net.Addr { return &net.UnixAddr{Name: "wire"} }

// cut ends all connections and the server.
func (w *wire) cut() {
	close(w.closed)
	w.client.CloseIdleConnections()
	w.server.Close()
	w.done.Wait()
	time.Sleep(time.Minute) // the client finishes closing its connections
}
