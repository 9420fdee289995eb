package bolt

import (
	"fmt"
	"slices"
	"sync"

	bbolt "go.etcd.io/bbolt"
)

// answerIndex says when the answers of a hash were made, which is the first
// half of their key. It holds but a part of each hash, because there may be
// millions: what it finds has to be looked up with the whole key. It may also
// know of answers that are not committed yet, or not there any more.
type answerIndex struct {
	mu     sync.RWMutex // mu guards shards
	shards [shardCount][]answerSlot
}

// shardCount keeps shards short enough to look at every slot.
const shardCount = 1 << 12

// answerSlot has 12 bytes, and no pointers for the garbage collector to follow.
type answerSlot struct{ hash, high, low uint32 }

// answerRef is what the index knows of an answer.
type answerRef struct {
	hash uint64 // the first bytes of the hash
	time uint64 // as in the key
}

// answerRefOf reads the key of an answer, or of its hash.
func answerRefOf(key []byte) answerRef {
	return answerRef{hash: readTime(key[8:]), time: readTime(key)}
}

// answerHashSize is how much of the key of an answer is in the bucket that is
// read at the start.
const answerHashSize = 16

func (r answerRef) shard() int { return int(r.hash % shardCount) }

func (r answerRef) slot() answerSlot {
	return answerSlot{hash: uint32(r.hash >> 32), high: uint32(r.time >> 32), low: uint32(r.time)}
}

// load reads what is in the file.
func (x *answerIndex) load(tx *bbolt.Tx) error {
	bs := buckets{bolt: tx}
	c := bs.in(answerHashes).Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		if len(k) != answerHashSize {
			return damaged(fmt.Sprintf("a key in %q has %d bytes", answerHashes, len(k)))
		}
		x.add(answerRefOf(k))
	}
	return nil
}

// add adds an answer and reports whether it is new.
func (x *answerIndex) add(r answerRef) bool {
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

func (x *answerIndex) remove(refs ...answerRef) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, r := range refs {
		shard := &x.shards[r.shard()]
		if i := slices.Index(*shard, r.slot()); i >= 0 {
			*shard = slices.Delete(*shard, i, i+1)
		}
	}
}

// find returns the times at which answers of the hash may have been made.
func (x *answerIndex) find(hash uint64) (times []uint64) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	r := answerRef{hash: hash}
	for _, s := range x.shards[r.shard()] {
		if s.hash == r.slot().hash {
			times = append(times, uint64(s.high)<<32|uint64(s.low))
		}
	}
	return times
}
