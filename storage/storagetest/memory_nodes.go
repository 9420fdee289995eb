package storagetest

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/schedctl/schedctl/storage"
)

// nodeRetention is how long nodes are listed after their leases have ended.
const nodeRetention = time.Hour

// nodeTable holds the nodes, holds and buckets of a [SharedMemory].
type nodeTable struct {
	mu      sync.Mutex // mu guards the fields below
	nodes   map[string]*nodeLease
	holds   map[string]hold
	buckets map[string]time.Time // when each bucket will be full again
}

// nodeLease is a node with its lease.
type nodeLease struct {
	storage.Node
	until  time.Time
	number int // number of its leases so far
}

// hold is the node that holds a name, and the number of its lease.
type hold struct {
	nodeID string
	number int
}

func newNodeTable() nodeTable {
	return nodeTable{nodes: make(map[string]*nodeLease), holds: make(map[string]hold), buckets: make(map[string]time.Time)}
}

func (l *nodeLease) alive() bool { return l.until.After(time.Now()) }

func (f *nodeTable) heartbeat(n storage.Node, lease time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	l := f.nodes[n.ID]
	if l == nil {
		l = &nodeLease{}
		f.nodes[n.ID] = l
	}
	if !l.alive() {
		l.number++
	}
	l.Node, l.until = n, now.Add(lease)
	l.HeartbeatAt = now
}

func (f *nodeTable) leave(nodeID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.nodes[nodeID]; l != nil && l.alive() {
		l.until = time.Now()
	}
}

func (f *nodeTable) list() []storage.Node {
	f.mu.Lock()
	defer f.mu.Unlock()
	var nodes []storage.Node
	for _, id := range slices.Sorted(maps.Keys(f.nodes)) {
		l := f.nodes[id]
		if time.Since(l.until) >= nodeRetention {
			continue
		}
		n := l.Node
		n.Alive = l.alive()
		nodes = append(nodes, n)
	}
	return nodes
}

func (f *nodeTable) hold(nodeID, name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.nodes[nodeID]
	if l == nil || !l.alive() {
		return false
	}
	h := f.holds[name]
	if holder := f.nodes[h.nodeID]; holder != nil && holder != l && holder.alive() && holder.number == h.number {
		return false
	}
	f.holds[name] = hold{nodeID, l.number}
	return true
}

func (f *nodeTable) release(nodeID, name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.holds[name].nodeID == nodeID {
		delete(f.holds, name)
	}
}

func (f *nodeTable) useTokens(spent []storage.TokenUse) []time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	for _, s := range spent {
		full := f.buckets[s.Bucket]
		if full.Before(now) {
			full = now
		}
		f.buckets[s.Bucket] = full.Add(time.Duration(s.Tokens) * s.Every)
	}
	full := make([]time.Time, len(spent))
	for i, s := range spent {
		full[i] = f.buckets[s.Bucket]
	}
	return full
}
