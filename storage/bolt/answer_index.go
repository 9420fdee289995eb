package bolt

import (
	"slices"
	"sync"

	bbolt "go.etcd.io/bbolt"
)

// answerIndex says when the answers of a hash were made, which is the first
// half of their key. It holds 64 bits of each hash: two answers may share them,
// and readers check the whole key in the bucket. It may know of answers that
// are not committed or not there any more.
type answerIndex struct {
	mu    sync.RWMutex        // mu guards the rest
	first map[uint64]uint64   // hash → time key
	more  map[uint64][]uint64 // those beyond the first of a hash
}

func newAnswerIndex() *answerIndex {
	return &answerIndex{first: make(map[uint64]uint64), more: make(map[uint64][]uint64)}
}

// load reads what is in the file.
func (x *answerIndex) load(tx *bbolt.Tx) error {
	bs := buckets{bolt: tx}
	c := bs.in(answers).Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		x.add(answerRefOf(k))
	}
	return nil
}

// answerRef is an entry of the index.
type answerRef struct{ hash, time uint64 }

func answerRefOf(key []byte) answerRef {
	return answerRef{hash: readTime(key[8:]), time: readTime(key)}
}

// add adds an entry and reports whether it is new.
func (x *answerIndex) add(r answerRef) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	at, there := x.first[r.hash]
	switch {
	case !there:
		x.first[r.hash] = r.time
	case at == r.time || slices.Contains(x.more[r.hash], r.time):
		return false
	default:
		x.more[r.hash] = append(x.more[r.hash], r.time)
	}
	return true
}

func (x *answerIndex) remove(refs ...answerRef) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, r := range refs {
		more := slices.DeleteFunc(x.more[r.hash], func(at uint64) bool { return at == r.time })
		if at, there := x.first[r.hash]; there && at == r.time {
			if len(more) == 0 {
				delete(x.first, r.hash)
			} else {
				x.first[r.hash], more = more[0], more[1:]
			}
		}
		if len(more) == 0 {
			delete(x.more, r.hash)
		} else {
			x.more[r.hash] = more
		}
	}
}

// find returns the times at which answers of the hash may have been made.
func (x *answerIndex) find(hash uint64) (times []uint64) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if at, there := x.first[hash]; there {
		times = append(append(times, at), x.more[hash]...)
	}
	return times
}
