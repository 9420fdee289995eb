package api

import (
	"sync"
	"time"
)

// buckets are token buckets: each caller has a burst of tokens, and gets one token
// back each interval.
//
// A bucket is stored as the time at which it will be full again (the generic cell
// rate algorithm), so that full buckets need no entry.
type buckets[K comparable] struct {
	every      time.Duration // more than 0
	burst      int           // 1 or more
	maxBuckets int           // beyond this, new callers share one bucket

	// newCaller, if not nil, receives a wake-up when a caller arrives that was not
	// part of the last exchange with other daemons. Spent tokens are counted only
	// if newCaller is set.
	newCaller chan struct{}

	mu    sync.Mutex // mu guards the fields below
	full  map[K]time.Time
	swept time.Time
	spent map[K]int      // tokens taken since the last exchange, by caller
	known map[K]struct{} // callers in the last exchange
}

// grant is the result of taking a token.
type grant struct {
	granted   bool
	remaining int           // tokens left
	wait      time.Duration // until the next token; 0 when granted
	full      time.Time     // when the bucket is full again
}

// take takes a token from the caller's bucket, if one is left.
func (b *buckets[K]) take(caller K, now time.Time) grant {
	b.mu.Lock()
	defer b.mu.Unlock()
	caller = b.bucketOf(caller, now)
	full := b.full[caller]
	if full.Before(now) {
		full = now
	}
	room := b.every * time.Duration(b.burst)
	after := full.Add(b.every)
	if over := after.Sub(now) - room; over > 0 {
		b.count(caller, 0)
		return grant{wait: over, full: full}
	}
	b.full[caller] = after
	b.count(caller, 1)
	return grant{granted: true, remaining: int((room - after.Sub(now)) / b.every), full: after}
}

// bucketOf returns the key of the caller's bucket. When there are too many buckets,
// it returns the zero value: new callers then share one bucket.
func (b *buckets[K]) bucketOf(caller K, now time.Time) K {
	if b.full == nil {
		b.full = make(map[K]time.Time)
	}
	if _, there := b.full[caller]; there || len(b.full) < b.maxBuckets {
		return caller
	}
	if b.sweep(now); len(b.full) < b.maxBuckets {
		return caller
	}
	var shared K
	return shared
}

// sweep drops full buckets. It reads all buckets, so it runs at most once per
// refill interval.
func (b *buckets[K]) sweep(now time.Time) {
	if now.Sub(b.swept) < b.every {
		return
	}
	b.swept = now
	for caller, full := range b.full {
		if !full.After(now) {
			delete(b.full, caller)
		}
	}
}

// count counts taken tokens for the exchange with other daemons. It ignores the
// shared bucket, because other daemons do not know its callers.
func (b *buckets[K]) count(caller K, tokens int) {
	var shared K
	if b.newCaller == nil || caller == shared {
		return
	}
	if b.spent == nil {
		b.spent = make(map[K]int)
	}
	_, counted := b.spent[caller]
	_, known := b.known[caller]
	if b.spent[caller] += tokens; counted || known {
		return
	}
	select {
	case b.newCaller <- struct{}{}:
	default:
	}
}

// collectSpent returns the tokens taken since the last call, by caller, minus those
// refilled since.
func (b *buckets[K]) collectSpent(now time.Time) map[K]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.spent
	for caller, tokens := range taken {
		missing := (b.full[caller].Sub(now) + b.every - 1) / b.every
		taken[caller] = max(0, min(tokens, int(missing)))
	}
	b.spent, b.known = nil, make(map[K]struct{}, len(taken))
	for caller := range taken {
		b.known[caller] = struct{}{}
	}
	return taken
}

// returnSpent adds back tokens after a failed exchange.
func (b *buckets[K]) returnSpent(taken map[K]int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.spent == nil {
		b.spent = make(map[K]int, len(taken))
	}
	for caller, tokens := range taken {
		if _, there := b.spent[caller]; there || len(b.spent) < b.maxBuckets {
			b.spent[caller] += tokens
		}
	}
}

// adopt sets the time at which a bucket is full again to the result of the exchange,
// plus the tokens taken since.
func (b *buckets[K]) adopt(caller K, full time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, there := b.full[caller]; there {
		b.full[caller] = full.Add(time.Duration(b.spent[caller]) * b.every)
	}
}
