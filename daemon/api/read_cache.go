package api

import (
	"context"
	"sync"
)

const (
	maxKeptAnswer  = 256 << 10 // larger ones are made anew each time
	maxKeptAnswers = 4 << 20   // all together
	keptOverhead   = 512       // of memory for each one, beside its texts
)

// readCache keeps what reads were answered with until the next commit, whatever
// it changes: who polls a daemon that does nothing meanwhile costs next to
// nothing. It says the same as the store: a commit is told before whoever made it
// has an answer. That is true of the commits of one process: there is none where
// several daemons use a store.
type readCache struct {
	mu      sync.Mutex // mu guards what follows
	commits uint64
	kept    map[readKey]answer // as of that many commits
	size    int                // of what is kept, in bytes of memory
}

// readKey is all that an answer depends on, beside the store. What a key may see
// is in the store.
type readKey struct{ keyID, action, id, query string }

// keptSize is about how much memory an answer takes that is kept. Whoever asks
// chooses how long the id and the query are.
func keptSize(k *readKey, a *answer) int {
	return keptOverhead + len(k.keyID) + len(k.id) + len(k.query) + cap(a.body) + len(a.etag) + len(a.location)
}

// get returns the answer, if it is kept; who makes it gives commits to put.
func (c *readCache) get(k readKey) (a answer, commits uint64, found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a, found = c.kept[k]
	return a, c.commits, found
}

// put keeps an answer that was just made, unless there was a commit since the
// reading for it began.
func (c *readCache) put(k readKey, a answer, commits uint64) {
	size := keptSize(&k, &a)
	if size > maxKeptAnswer {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.commits != commits {
		return
	}
	if c.kept == nil || c.size+size > maxKeptAnswers {
		c.kept, c.size = make(map[readKey]answer), 0
	}
	if _, there := c.kept[k]; there {
		return // by another request meanwhile
	}
	c.kept[k] = a
	c.size += size
}

// committed forgets all that is kept.
func (c *readCache) committed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.commits++
	c.kept, c.size = nil, 0
}

// kept has the answers of a handler kept. They must depend on the key, the path,
// the query and the store alone, not on the time.
func (s *Server) kept(next handler) handler {
	if s.shared != nil {
		return next
	}
	return func(ctx context.Context, c *call) (answer, error) {
		k := readKey{c.key.ID, c.action, c.id, c.query}
		a, commits, found := s.reads.get(k)
		if found {
			return a, nil
		}
		a, err := next(ctx, c)
		if err == nil {
			s.reads.put(k, a, commits)
		}
		return a, err
	}
}
