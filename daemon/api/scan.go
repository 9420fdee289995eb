package api

import (
	"context"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// A scan is a read of many records, such as a search. The number of scans is
// limited for each API key, so that no key occupies all readers, and for the
// daemon, so that scans never delay publishing.
const (
	maxScans       = 8 // per daemon; fewer when the store has few readers
	maxScansPerKey = 4 // per API key, running or next in the queue
	scanPatience   = time.Second
)

// scans limits how many scans run at once.
type scans struct {
	all    chan struct{} // one token for each scan that runs; nil without a limit for all
	perKey int

	mu   sync.Mutex // mu guards keys
	keys map[string]*keyScans
}

// keyScans are the scans of an API key.
type keyScans struct {
	slots chan struct{}
	users int // requests that run or wait
}

// newScans returns the limits for a store with this number of readers, 0 for any
// number. With several readers, at least one stays free for other requests, and at
// least one scan for other keys.
func newScans(readers int) *scans {
	most := maxScans
	if readers > 0 {
		most = max(1, min(most, readers-2))
	}
	return &scans{all: make(chan struct{}, most), perKey: max(1, min(maxScansPerKey, most-1)), keys: map[string]*keyScans{}}
}

// start waits until a scan of the key may run. The caller must call end.
func (s *scans) start(ctx context.Context, keyID string) (end func(), err error) {
	k := s.join(keyID)
	select {
	case k.slots <- struct{}{}:
	case <-ctx.Done():
		s.leave(keyID, k)
		return nil, ctx.Err()
	}
	if s.all != nil {
		select {
		case s.all <- struct{}{}:
		case <-ctx.Done():
			<-k.slots
			s.leave(keyID, k)
			return nil, ctx.Err()
		}
	}
	return func() {
		if s.all != nil {
			<-s.all
		}
		<-k.slots
		s.leave(keyID, k)
	}, nil
}

func (s *scans) join(keyID string) *keyScans {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.keys[keyID]
	if k == nil {
		k = &keyScans{slots: make(chan struct{}, s.perKey)}
		s.keys[keyID] = k
	}
	k.users++
	return k
}

func (s *scans) leave(keyID string, k *keyScans) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k.users--; k.users == 0 {
		delete(s.keys, keyID)
	}
}

// scan is view for reads of many records. It returns RATE_LIMITED when no scan can
// start within [scanPatience].
func (s *Server) scan(ctx context.Context, c *request, fn func(storage.Reader) error) error {
	return s.asScan(ctx, c, func() error { return s.view(ctx, fn) })
}

// asScan calls a function that counts as a scan. It returns RATE_LIMITED as scan does.
func (s *Server) asScan(ctx context.Context, c *request, fn func() error) error {
	patient, stop := context.WithTimeout(ctx, scanPatience)
	defer stop()
	end, err := s.scans.start(patient, c.Key.ID)
	switch {
	case ctx.Err() != nil:
		return storeError(ctx.Err(), "the client did not wait for the response")
	case err != nil:
		return errManyScans
	}
	defer end()
	return fn()
}

var errManyScans = schedctl.Errorf(schedctl.RateLimited, "",
	"this API key, or all keys together, make too many long requests at once; wait for the responses to earlier searches, lists and validations, or repeat the request in 1 s")

// scanner returns scan with the form of view.
func (s *Server) scanner(c *request) func(context.Context, func(storage.Reader) error) error {
	return func(ctx context.Context, fn func(storage.Reader) error) error { return s.scan(ctx, c, fn) }
}

// viewer returns scan for a query that reads more than its page, and view otherwise.
func (s *Server) viewer(c *request, q *storage.PostQuery) func(context.Context, func(storage.Reader) error) error {
	if !q.Scans() {
		return s.view
	}
	return s.scanner(c)
}
