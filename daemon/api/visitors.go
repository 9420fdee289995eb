package api

import (
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
)

// Limits of the requests without an API key that are at work: for feeds, calendars and
// media.
const (
	maxVisits           = 256
	maxVisitsPerAddress = 64
)

// visitors counts the requests without an API key that are at work.
type visitors struct {
	mu        sync.Mutex // mu guards the fields below
	all       int
	byAddress map[netip.Prefix]int // see addressBlock
}

var (
	errManyVisits error = schedctl.Errorf(schedctl.Unavailable, "", "the daemon serves as many requests without an API key as it can; try again in a few seconds")
	visitWait           = time.Second
)

// enter counts a request until leave is called. Errors: RATE_LIMITED if too many requests
// of the address are at work, UNAVAILABLE if too many of all addresses are.
func (v *visitors) enter(w http.ResponseWriter, r *http.Request) (leave func(), err error) {
	block := addressBlock(r.RemoteAddr)
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.byAddress[block] >= maxVisitsPerAddress && !maybeProxy(block):
		return nil, rateLimited(w, visitWait, "too many requests from your address are at work; wait for their responses, and try again in %d s")
	case v.all >= maxVisits:
		return nil, errManyVisits
	}
	if v.byAddress == nil {
		v.byAddress = map[netip.Prefix]int{}
	}
	v.all, v.byAddress[block] = v.all+1, v.byAddress[block]+1
	return func() { v.leave(block) }, nil
}

func (v *visitors) leave(block netip.Prefix) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.all--
	if v.byAddress[block]--; v.byAddress[block] == 0 {
		delete(v.byAddress, block)
	}
}

// maybeProxy reports whether requests of the address may come from many clients of a
// reverse proxy: it is a Unix socket, or an address of this machine or a private network.
func maybeProxy(block netip.Prefix) bool {
	at := block.Addr()
	return !at.IsValid() || at.IsLoopback() || at.IsPrivate()
}

// public returns a handler for requests without an API key, which limits how many are at
// work.
func (s *Server) public(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		leave, err := s.visitors.enter(w, r)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		defer leave()
		next(w, r)
	}
}
