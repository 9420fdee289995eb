package postgrestest

import (
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
)

// Stall is a proxy in front of a server that can stop forwarding messages. Its
// connections stay open, as in a network that loses packets.
type Stall struct {
	dir, server string
	listener    net.Listener
	copies      sync.WaitGroup

	mu        sync.Mutex // mu guards what follows
	remaining int        // messages of clients to forward before the stall; negative for none
	side      Side
	stalling  bool          // a message is held
	stalled   chan struct{} // closed when the stall has started
	released  chan struct{} // closed when the stall has ended
	conns     []net.Conn
}

// Side says whose messages a [Stall] holds.
type Side int

// The sides.
const (
	Requests  Side = iota // from clients to the server
	Responses             // from the server to clients
)

// NewStall starts a proxy in front of the server of a URL from [Schema] or
// [Cluster.URL], and returns it with the URL to use instead.
func NewStall(tb testing.TB, target string) (*Stall, string) {
	tb.Helper()
	u, err := url.Parse(target)
	if err != nil {
		tb.Fatal(err)
	}
	query := u.Query()
	s := &Stall{dir: tb.TempDir(), server: filepath.Join(query.Get("host"), ".s.PGSQL.5432"), remaining: -1}
	if s.listener, err = net.Listen("unix", filepath.Join(s.dir, ".s.PGSQL.5432")); err != nil {
		tb.Fatal(err)
	}
	s.copies.Go(s.accept)
	tb.Cleanup(s.close)
	query.Set("host", s.dir)
	u.RawQuery = query.Encode()
	return s, u.String()
}

// After stalls one direction of all connections after the given number of client
// messages: requests with the next one, responses at once. The channel is closed when a
// message is held. Release ends the stall.
func (s *Stall) After(messages int, side Side) (held <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remaining, s.side, s.stalling = messages, side, false
	s.stalled, s.released = make(chan struct{}), make(chan struct{})
	return s.stalled
}

// Release forwards the held messages and ends the stall, or the wait for it.
func (s *Stall) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.remaining >= 0 {
		s.remaining = -1
		close(s.released)
	}
}

// pass counts a forwarded client message.
func (s *Stall) pass() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.remaining > 0 {
		s.remaining--
	}
}

// wait waits while a direction is stalled.
func (s *Stall) wait(side Side) {
	s.mu.Lock()
	if s.remaining != 0 || s.side != side {
		s.mu.Unlock()
		return
	}
	if !s.stalling {
		s.stalling = true
		close(s.stalled)
	}
	freed := s.released
	s.mu.Unlock()
	<-freed
}

func (s *Stall) accept() {
	for {
		client, err := s.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("unix", s.server)
		if err != nil {
			client.Close()
			continue
		}
		s.mu.Lock()
		s.conns = append(s.conns, client, server)
		s.mu.Unlock()
		s.copies.Go(func() { s.requests(client, server) })
		s.copies.Go(func() { s.responses(server, client) })
	}
}

// requests forwards the messages of a client one by one. The first message has no type
// before its length.
func (s *Stall) requests(client, server net.Conn) {
	defer client.Close()
	defer server.Close()
	for header := 4; ; header = 5 {
		message := make([]byte, header)
		if _, err := io.ReadFull(client, message); err != nil {
			return
		}
		length := int(binary.BigEndian.Uint32(message[header-4:])) - 4
		message = append(message, make([]byte, max(0, length))...)
		if _, err := io.ReadFull(client, message[header:]); err != nil {
			return
		}
		s.wait(Requests)
		if _, err := server.Write(message); err != nil {
			return
		}
		s.pass()
	}
}

// responses forwards the messages of the server.
func (s *Stall) responses(server, client net.Conn) {
	defer client.Close()
	defer server.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := server.Read(buf)
		if err != nil {
			return
		}
		s.wait(Responses)
		if _, err := client.Write(buf[:n]); err != nil {
			return
		}
	}
}

func (s *Stall) close() {
	s.Release()
	s.listener.Close()
	s.mu.Lock()
	for _, c := range s.conns {
		c.Close()
	}
	s.mu.Unlock()
	s.copies.Wait()
}
