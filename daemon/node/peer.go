package node

import (
	"hash/fnv"
	"time"

	"github.com/schedctl/schedctl/storage"
)

// peer is a node among which keys are distributed.
type peer struct {
	id          string
	seed        uint64
	heartbeatAt time.Time // by the clock of the database; zero for this node
}

// peersOf returns the living nodes, always including this one. heartbeatAt is the last
// heartbeat of this node by the clock of the database, if it is known.
func peersOf(nodes []storage.Node, own string) (peers []peer, beatAt time.Time) {
	for _, n := range nodes {
		switch {
		case n.ID == own:
			beatAt = n.HeartbeatAt
		case n.Alive:
			peers = append(peers, peer{n.ID, hash(n.ID), n.HeartbeatAt})
		}
	}
	return append(peers, peer{id: own, seed: hash(own)}), beatAt
}

// preferred returns the id of the peer with the highest weight for a key (rendezvous
// hashing). Every node computes the same result, and the keys of a peer that leaves
// spread evenly over the others. Peers without a heartbeat since the given time are
// ignored.
func preferred(peers []peer, key string, since time.Time) (id string) {
	var highest uint64
	of := hash(key)
	for i := range peers {
		p := &peers[i]
		if !p.heartbeatAt.IsZero() && p.heartbeatAt.Before(since) {
			continue
		}
		if drawn := mix(of ^ p.seed); id == "" || drawn > highest || drawn == highest && p.id < id {
			id, highest = p.id, drawn
		}
	}
	return id
}

// hash is the same in every process and version.
func hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return mix(h.Sum64())
}

// mix spreads every bit over all others: the finalizer of SplitMix64 (Steele, Lea
// and Flood, Fast splittable pseudorandom number generators, 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
