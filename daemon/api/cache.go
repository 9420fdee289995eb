package api

import (
	"sync"
	"time"
)

// cache holds values that were read from the store. An entry expires after ttl; a
// ttl of 0 means never. When a new entry does not fit into maxSize, the cache is
// emptied first. All methods may be called from any goroutine.
//
// Every invalidation starts a new generation. A caller that misses reads the
// value from the store and passes the generation of the miss to put, which drops
// a value that may be older than the last invalidation.
type cache[K comparable, V any] struct {
	maxSize int
	ttl     time.Duration

	mu         sync.RWMutex // mu guards the fields below
	entries    map[K]cacheEntry[V]
	size       int
	generation uint64
}

type cacheEntry[V any] struct {
	value   V
	size    int
	expires time.Time // zero for never
}

func newCache[K comparable, V any](maxSize int, ttl time.Duration) *cache[K, V] {
	return &cache[K, V]{maxSize: maxSize, ttl: ttl}
}

// get returns the value of a key, and the generation to pass to put after a miss.
// Callers share the value and must not modify it.
func (c *cache[K, V]) get(k K, now time.Time) (value V, generation uint64, found bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e, found := c.entries[k]
	return e.value, c.generation, found && (c.ttl == 0 || now.Before(e.expires))
}

// put stores a value that was read after get returned this generation. size has the
// unit of maxSize.
func (c *cache[K, V]) put(k K, value V, size int, generation uint64, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.generation != generation {
		return
	}
	c.size -= c.entries[k].size
	if c.entries == nil || c.size+size > c.maxSize {
		c.entries, c.size = make(map[K]cacheEntry[V]), 0
	}
	c.entries[k] = cacheEntry[V]{value: value, size: size, expires: now.Add(c.ttl)}
	c.size += size
}

// remove invalidates one entry. Call it after the commit of a change.
func (c *cache[K, V]) remove(k K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.size -= c.entries[k].size
	delete(c.entries, k)
	c.generation++
}

// clear invalidates all entries. Call it after the commit of a change.
func (c *cache[K, V]) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries, c.size = nil, 0
	c.generation++
}
