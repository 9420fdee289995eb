package daemon

import (
	"net"
	"net/http"
	"sync"
)

// idleConns are the connections on which nothing was said yet, such as those that a
// client opens in advance. An [http.Server] that shuts down waits for them for
// five seconds, as if a request were under way.
type idleConns struct {
	mu     sync.Mutex // mu guards what follows
	closed bool
	conns  map[net.Conn]struct{}
}

// track is told of the state of every connection; see [http.Server.ConnState].
func (s *idleConns) track(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(s.conns, c)
	case s.closed:
		c.Close()
	default:
		if s.conns == nil {
			s.conns = map[net.Conn]struct{}{}
		}
		s.conns[c] = struct{}{}
	}
}

// closeAll closes them, and those that come later.
func (s *idleConns) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for c := range s.conns {
		c.Close()
	}
}
