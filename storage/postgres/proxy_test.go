package postgres_test

import (
	"bytes"
	"fmt"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// cut says where a proxy cuts a connection: during a commit, or during an earlier
// response.
type cut int

const (
	nowhere           cut = iota
	lostResponse          // the server commits, and the client gets no response
	lostRequest           // the commit never reaches the server
	lateRequest           // the client is cut off, and the server commits later
	truncatedResponse     // the client gets the requested rows without the end of the response
)

// proxy is a proxy between the engine and a server, on its own unix socket.
type proxy struct {
	dir, server string
	listener    net.Listener
	copies      sync.WaitGroup

	mu         sync.Mutex // mu guards what follows
	nextCut    cut        // cut of the next commit
	onTruncate func()     // called after the server's side is closed and before the client's is
	cuts       int        // number of cuts
	conns      []net.Conn
}

func newProxy(t *testing.T, server string) *proxy {
	t.Helper()
	p := &proxy{dir: t.TempDir(), server: server}
	var err error
	if p.listener, err = net.Listen("unix", filepath.Join(p.dir, ".s.PGSQL.5432")); err != nil {
		t.Fatal(err)
	}
	p.copies.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

// url returns the URL of the same database through the proxy.
func (p *proxy) url(t *testing.T, url string) string {
	t.Helper()
	return fmt.Sprintf("postgres:///%s?host=%s&user=schedctl&sslmode=disable", nameIn(t, url), p.dir)
}

// socketIn returns the path of the unix socket in a URL.
func socketIn(t *testing.T, url string) string {
	t.Helper()
	return filepath.Join(hostIn(t, url), ".s.PGSQL.5432")
}

func (p *proxy) close() {
	p.listener.Close()
	p.mu.Lock()
	for _, c := range p.conns {
		c.Close()
	}
	p.mu.Unlock()
	p.copies.Wait()
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("unix", p.server)
		if err != nil {
			client.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, client, server)
		p.mu.Unlock()
		p.copies.Go(func() { p.copy(client, server, lostRequest, lateRequest) })
		p.copies.Go(func() { p.copy(server, client, lostResponse, truncatedResponse) })
	}
}

// cutNext cuts one of the next commits.
func (p *proxy) cutNext(c cut) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.nextCut = c
}

// truncateNext cuts the end of the next response within a transaction. then is called
// when the server side is closed and the client does not know it.
func (p *proxy) truncateNext(then func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.nextCut, p.onTruncate = truncatedResponse, then
}

// takeCut returns the cut to make at this message, if it is one of the given kinds.
func (p *proxy) takeCut(sent []byte, of ...cut) cut {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range of {
		if p.nextCut == c && c.matches(sent) {
			p.nextCut = nowhere
			p.cuts++
			return c
		}
	}
	return nowhere
}

// readyInTransaction ends a response within a transaction.
var readyInTransaction = []byte("Z\x00\x00\x00\x05T")

// matches reports whether to cut at this message. The text of a commit is in the
// request when statements are not prepared, and always in the response.
func (c cut) matches(sent []byte) bool {
	if c == truncatedResponse {
		return bytes.HasSuffix(sent, readyInTransaction)
	}
	return bytes.Contains(sent, []byte("COMMIT\x00"))
}

// copy forwards the messages of one side.
func (p *proxy) copy(from, to net.Conn, may ...cut) {
	defer from.Close()
	defer to.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		switch p.takeCut(buf[:n], may...) {
		case lostResponse, lostRequest:
			return
		case lateRequest:
			from.Close()
			time.Sleep(50 * time.Millisecond)
			to.Write(buf[:n])
			time.Sleep(50 * time.Millisecond) // time for the server to receive it
			return
		case truncatedResponse:
			to.Write(buf[:n-len(readyInTransaction)])
			from.Close()
			p.onTruncate()
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}
