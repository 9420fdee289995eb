// Package feedtest is a feed server for tests that misbehaves on request: its items change in
// the ways that real feeds do, and its responses fail in the ways that real servers do.
//
//	server := feedtest.New(t)
//	server.Set(feedtest.Numbered(3)...)
//	server.Change(feedtest.NewGUIDs)                  // what the feed says
//	server.Respond(feedtest.Status(503, "Retry-After", "60")) // how the server responds
//
// Nothing depends on the clock: items have fixed dates, and what takes forever ends when the
// client leaves or the test ends.
package feedtest

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// Server serves one feed. Its methods may be called from any goroutine.
type Server struct {
	URL  string // of the feed
	Site string // the page of the feed, without a slash at its end

	done chan struct{} // closed at the end of the test

	mu       sync.Mutex // guards what follows
	format   Format
	items    []Item
	respond  Response // nil for the feed
	next     []Response
	requests []*http.Request
}

// New starts a server with an empty feed. It ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{done: make(chan struct{}), format: RSS}
	web := httptest.NewServer(http.HandlerFunc(s.serve))
	s.Site = web.URL
	s.URL = web.URL + "/feed.xml"
	t.Cleanup(func() {
		close(s.done)
		web.CloseClientConnections()
		web.Close()
	})
	return s
}

// SetFormat sets the format of the feed.
func (s *Server) SetFormat(f Format) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.format = f
}

// Set replaces the items of the feed, the newest first.
func (s *Server) Set(items ...Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items = slices.Clone(items)
}

// Publish adds items before all others.
func (s *Server) Publish(items ...Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items = slices.Concat(items, s.items)
}

// Change applies changes to the items.
func (s *Server) Change(changes ...Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, change := range changes {
		s.items = change(slices.Clone(s.items))
	}
}

// Items returns the items of the feed.
func (s *Server) Items() []Item {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.items)
}

// Respond sets the response to all later requests. Nil serves the feed again.
func (s *Server) Respond(r Response) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.respond = r
}

// Next sets the responses to the next requests, each for one of them.
func (s *Server) Next(r ...Response) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = append(s.next, r...)
}

// Requests returns the requests so far, without their bodies.
func (s *Server) Requests() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Body returns the feed as it is served now.
func (s *Server) Body() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.format(s.Site, s.items)
}

// serve responds to each path as the feed does.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r)
	respond, body := s.respond, s.format(s.Site, s.items)
	if len(s.next) > 0 {
		respond, s.next = s.next[0], s.next[1:]
	}
	s.mu.Unlock()
	if respond == nil {
		respond = Feed
	}
	respond(w, r, Content{Body: body, Done: s.done})
}

// Content is what a response can send.
type Content struct {
	Body []byte          // the feed
	Done <-chan struct{} // closed when the test ends
}

// Feed is the response with the feed. It has an ETag, and status 304 if the client has the
// feed already.
func Feed(w http.ResponseWriter, r *http.Request, c Content) {
	sum := sha256.Sum256(c.Body)
	tag := fmt.Sprintf(`"%x"`, sum[:8])
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	contentType := "application/xml; charset=utf-8"
	if len(c.Body) > 0 && c.Body[0] == '{' {
		contentType = "application/feed+json"
	}
	w.Header().Set("Content-Type", contentType)
	w.Write(c.Body)
}
