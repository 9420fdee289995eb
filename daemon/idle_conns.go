package daemon

import (
	"net"
	"net/http"
	"sync"
)

// idleConns are the connections without a request so far, such as those that a client
// opens in advance. [http.Server.Shutdown] would wait five seconds for them, as if they
// had a request in progress.
type idleConns struct {
	mu     sync.Mutex // mu guards what follows
	closed bool
	conns  map[net.Conn]struct{}
}

// track implements [http.Server.ConnState].
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

// closeAll closes the connections, and later ones as soon as they open.
func (s *idleConns) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for c := range s.conns {
		c.Close()
	}
}
