package api

import (
	"sync"
	"time"
)

// buckets are token buckets: each caller may do something burst times at once,
// and then once more every so often.
//
// A bucket is kept as the time at which it will be full again (the generic cell
// rate algorithm), so that a full one is not kept at all.
type buckets[K comparable] struct {
	every time.Duration // more than 0
	burst int           // 1 or more
	most  int           // buckets that are kept; callers beyond share one

	mu    sync.Mutex // mu guards full and swept
	full  map[K]time.Time
	swept time.Time
}

// allowance is what a bucket grants.
type allowance struct {
	granted   bool
	remaining int           // how many more there are at once
	wait      time.Duration // until one more is granted; 0 when this one is
	full      time.Time     // when the bucket is full again
}

// take takes a token from the bucket of a caller, if there is one.
func (b *buckets[K]) take(caller K, now time.Time) allowance {
	b.mu.Lock()
	defer b.mu.Unlock()
	caller = b.place(caller, now)
	full := b.full[caller]
	if full.Before(now) {
		full = now
	}
	room := b.every * time.Duration(b.burst)
	after := full.Add(b.every)
	if over := after.Sub(now) - room; over > 0 {
		return allowance{wait: over, full: full}
	}
	b.full[caller] = after
	return allowance{granted: true, remaining: int((room - after.Sub(now)) / b.every), full: after}
}

// place returns where the caller's bucket is: its own place, or when there is no
// more room, the one of the zero value.
func (b *buckets[K]) place(caller K, now time.Time) K {
	if b.full == nil {
		b.full = make(map[K]time.Time)
	}
	if _, there := b.full[caller]; there || len(b.full) < b.most {
		return caller
	}
	if b.sweep(now); len(b.full) < b.most {
		return caller
	}
	var shared K
	return shared
}

// sweep drops full buckets. It looks at all of them, and so not more often than
// a token comes back.
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
