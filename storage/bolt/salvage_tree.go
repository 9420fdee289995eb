package bolt

import "bytes"

// part is a part of a bucket, from a key up to another, exclusive. A nil to is
// the end.
type part struct{ from, to []byte }

// hole is a part of a bucket that cannot be read.
type hole struct {
	part
	depth int  // of its page below the root of the bucket
	leaf  bool // that page has no others below it: none of them can be found

	// whose says that it is known which page should be there, and that cannot be
	// read. Where a tree begins a root that is a guess may be wrong.
	whose bool
}

func (s part) has(key []byte) bool {
	return bytes.Compare(key, s.from) >= 0 && (s.to == nil || bytes.Compare(key, s.to) < 0)
}

// deepest bounds how deep a tree may be. One of a million pages has four levels.
const deepest = 24

// descend goes through a tree in the order of its keys. It calls leaf for each
// leaf, and hole for each page that cannot be read, that leaf returns false for,
// or that should not be there.
func (s *findings) descend(w *descent, id uint64, in part, depth int, free bool) {
	p, err := s.page(id)
	free = s.free[id] || free && !s.outdated
	gap := hole{part: in, depth: depth}
	switch {
	case w.seen[id] || depth > deepest:
		w.hole(id, gap)
		return
	case err != nil:
		gap.whose = s.most == 0 || id < s.most // else it is what leads to it that is damaged
		w.hole(id, gap)
		if p = s.loosely(id); len(p.items) == 0 || !in.has(p.items[0].key) || !w.guess {
			return
		}
	case p.broken || len(p.items) == 0 && depth > 0 || free:
		gap.whose = p.broken && p.leaf && !free && (depth > 0 || s.root.tx > 0)
		w.hole(id, gap)
	}
	w.seen[id] = true
	if p.leaf {
		if !w.leaf(p, in, free) {
			delete(w.seen, id)
			w.hole(id, hole{part: in, depth: depth})
		} else if w.leaves != nil {
			w.leaves[depth]++
		}
		return
	}
	for i, it := range p.items {
		s.descend(w, it.child, partOf(p, i, in), depth+1, free)
	}
}

// descent is one way through a tree.
type descent struct {
	seen   map[uint64]bool
	guess  bool        // pages with a wrong header may be leaves
	leaves map[int]int // how many there are in each depth; nil when nobody asks
	leaf   func(p rawPage, in part, free bool) bool
	hole   func(id uint64, h hole)
}

// partOf returns the part of a tree that a child of a branch should have. The
// first one also has what comes before its key.
func partOf(p rawPage, i int, in part) part {
	if p.broken {
		return in
	}
	sub := part{from: p.items[i].key, to: in.to}
	if i == 0 {
		sub.from = in.from
	}
	if i+1 < len(p.items) {
		sub.to = p.items[i+1].key
	}
	return sub
}
