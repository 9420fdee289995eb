package bolt

import (
	"fmt"
	"slices"
	"sync"

	bbolt "go.etcd.io/bbolt"
)

// idempotencyIndex maps hashes of idempotency records to their times, which are the first
// part of their keys. It has only a part of each hash, because there may be millions, so
// a result must be checked with the whole key. It may also have records that are not
// committed yet or are already deleted.
type idempotencyIndex struct {
	mu     sync.RWMutex // mu guards shards
	shards [shardCount][]idempotencySlot
}

// shardCount keeps shards short enough to scan.
const shardCount = 1 << 12

// idempotencySlot has 12 bytes, and no pointers for the garbage collector to follow.
type idempotencySlot struct{ hash, high, low uint32 }

// idempotencyRef is the key of a record in the index.
type idempotencyRef struct {
	hash uint64 // the first bytes of the hash
	time uint64 // as in the key
}

// idempotencyRefOf returns the reference for a key of a record or of its hash.
func idempotencyRefOf(key []byte) idempotencyRef {
	return idempotencyRef{hash: readTime(key[8:]), time: readTime(key)}
}

// idempotencyHashSize is the length of the keys of the bucket idempotencyHashes.
const idempotencyHashSize = 16

func (r idempotencyRef) shard() int { return int(r.hash % shardCount) }

func (r idempotencyRef) slot() idempotencySlot {
	return idempotencySlot{hash: uint32(r.hash >> 32), high: uint32(r.time >> 32), low: uint32(r.time)}
}

// load reads the index from the file.
func (x *idempotencyIndex) load(tx *bbolt.Tx) error {
	bs := buckets{bolt: tx}
	c := bs.in(idempotencyHashes).Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		if len(k) != idempotencyHashSize {
			return damaged(fmt.Sprintf("a key in %q has %d bytes", idempotencyHashes, len(k)))
		}
		x.add(idempotencyRefOf(k))
	}
	return nil
}

// add adds a record and reports whether it is new.
func (x *idempotencyIndex) add(r idempotencyRef) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	shard := &x.shards[r.shard()]
	if slices.Contains(*shard, r.slot()) {
		return false
	}
	if len(*shard) == cap(*shard) { // append alone would double it
		*shard = slices.Grow(*shard, 4+len(*shard)/8)
	}
	*shard = append(*shard, r.slot())
	return true
}

func (x *idempotencyIndex) remove(refs ...idempotencyRef) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, r := range refs {
		shard := &x.shards[r.shard()]
		if i := slices.Index(*shard, r.slot()); i >= 0 {
			*shard = slices.Delete(*shard, i, i+1)
		}
	}
}

// find returns the possible creation times of the records with this hash.
func (x *idempotencyIndex) find(hash uint64) (times []uint64) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	r := idempotencyRef{hash: hash}
	for _, s := range x.shards[r.shard()] {
		if s.hash == r.slot().hash {
			times = append(times, uint64(s.high)<<32|uint64(s.low))
		}
	}
	return times
}
