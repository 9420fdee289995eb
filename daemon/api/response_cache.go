package api

import (
	"context"
	"time"
)

// Limits of the response cache in bytes of memory.
const (
	maxCachedResponse      = 256 << 10 // one response
	maxCachedResponses     = 4 << 20   // all responses
	cachedResponseOverhead = 512       // one response, in addition to its strings
)

// responseKey holds all inputs of a response except the store. The permissions of
// the API key are in the store.
type responseKey struct{ keyID, action, id, query string }

// cachedSize returns the approximate memory use of a cached response. Clients
// choose the length of the id and of the query.
func cachedSize(k *responseKey, a *response) int {
	return cachedResponseOverhead + len(k.keyID) + len(k.id) + len(k.query) + cap(a.body) + len(a.etag) + len(a.location)
}

// cacheResponses caches the responses of a handler until the next commit, so that
// polling an idle daemon is cheap. The responses must depend only on the
// responseKey and the store, in particular not on the time.
//
// A cached response is never older than the store: the cache is cleared before the
// writer of a commit gets its response. This holds within one process, so caching
// is off when several daemons share the store.
func (s *Server) cacheResponses(next handler) handler {
	if s.shared != nil {
		return next
	}
	return func(ctx context.Context, c *request) (response, error) {
		k := responseKey{c.Key.ID, c.action, c.ID, c.query}
		a, generation, found := s.responses.get(k, c.Now)
		if found {
			return a, nil
		}
		a, err := next(ctx, c)
		if err == nil && !a.fresh {
			s.cacheResponse(k, a, generation)
		}
		return a, err
	}
}

func (s *Server) cacheResponse(k responseKey, a response, generation uint64) {
	if size := cachedSize(&k, &a); size <= maxCachedResponse {
		s.responses.put(k, a, size, generation, time.Time{})
	}
}
