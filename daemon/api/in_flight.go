package api

import (
	"sync"
	"time"

	"github.com/schedctl/schedctl/storage"
)

// inFlight holds the idempotency keys of requests that this process is handling, and the
// times of these requests.
type inFlight struct {
	mu   sync.Mutex // mu guards keys
	keys map[storage.IdempotencyScope]time.Time
}

func newInFlight() *inFlight {
	return &inFlight{keys: make(map[storage.IdempotencyScope]time.Time)}
}

// add adds the key of a request and returns true. If the key is present already, it
// returns the time of the request that has it, and false.
func (r *inFlight) add(k storage.IdempotencyScope, now time.Time) (time.Time, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if running, there := r.keys[k]; there {
		return running, false
	}
	r.keys[k] = now
	return now, true
}

// since returns the time of the request that has the key, and whether there is one.
func (r *inFlight) since(k storage.IdempotencyScope) (time.Time, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	running, there := r.keys[k]
	return running, there
}

func (r *inFlight) remove(k storage.IdempotencyScope) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.keys, k)
}
