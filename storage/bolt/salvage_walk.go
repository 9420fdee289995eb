package bolt

import (
	"context"
	"slices"
)

// walk calls fn for all that can be read of a bucket, in the order of its keys
// where the tree has one. stray says that it is not clear that the page is one
// of the tree. What cannot be read becomes a hole. It may be repeated.
func (s *findings) walk(b bucket, fn func(it item, stray bool)) {
	s.holes[b] = nil
	at, ok := s.root.buckets[b]
	if !ok {
		s.holes[b] = []hole{{}}
		return
	}
	if at.page == 0 {
		p, err := parsePage(at.inline)
		if err != nil || p.broken || s.outdated {
			s.holes[b] = []hole{{}}
		}
		for _, it := range p.items {
			fn(it, false)
		}
		return
	}
	w := &descent{
		seen: map[uint64]bool{}, guess: kindOfBucket(b) != nil, leaves: map[int]int{},
		leaf: func(p rawPage, in part, free bool) bool {
			if !isOf(b, p, in) {
				s.misplaced[p.id] = s.root.tx > 0
				return false
			}
			s.leaf(p, free, fn)
			return true
		},
		hole: func(id uint64, h hole) {
			s.missing[id] = true
			s.holes[b] = append(s.holes[b], h)
		},
	}
	s.descend(w, at.page, part{}, 0, false)
	for i := range s.holes[b] {
		h := &s.holes[b][i]
		h.leaf = h.whose && w.leaves[h.depth] > 0
	}
}

// isOf reports whether a leaf that the tree of a bucket leads to is one of that
// part of the bucket.
func isOf(b bucket, p rawPage, in part) bool {
	if k := kindOfBucket(b); len(p.items) > 0 && k != nil {
		// Some records can be read as one of another kind.
		if best := kindOfPage(p); best == nil || best.rows(p) > k.rows(p) {
			return false
		}
	} else if len(p.items) > 0 && !slices.ContainsFunc(p.items, func(it item) bool { return fitsIndex(b, it) }) {
		return false
	}
	if len(p.items) > 0 && oneByteOff(p.items[0].key, in.from) {
		return true // what leads to it is damaged, not the page
	}
	n := 0
	for _, it := range p.items {
		if in.has(it.key) {
			n++
		}
	}
	return n*2 >= len(p.items)
}

// oneByteOff reports whether keys differ by one byte at most.
func oneByteOff(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	n := 0
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n <= 1
}

// fitsIndex reports whether an item can be one of an index. What an old root that is a
// guess leads to was mostly written over since, with pages of other buckets.
func fitsIndex(b bucket, it item) bool {
	w, ok := indexWidths[b]
	return !ok || (w.key == anyWidth || len(it.key) == w.key) && (w.value == anyWidth || len(it.value) == w.value)
}

const anyWidth = -1

// indexWidths are the widths of keys and values of the indexes, which doc.go draws.
var indexWidths = map[bucket]struct{ key, value int }{
	keyHashes: {32, 32}, accountNames: {anyWidth, 16}, feeds: {anyWidth, 32}, targets: {16, 48}, externalIDs: {48, 16}, due: {24, 0}, postsByAge: {49, 0},
	postsByTime: {57, 0}, running: {20, 0}, published: {40, 32}, contents: {56, 0}, networkIDs: {anyWidth, 0}, identities: {48, 0}, answerHashes: {16, 0}, eventsByPost: {32, anyWidth},
	webhookOwners: {16, 16}, pendingDeliveries: {40, 0},
}

// leaf hands on the rows of a leaf. What the last state no longer has is left out.
func (s *findings) leaf(p rawPage, free bool, fn func(it item, stray bool)) {
	if free && s.outdated {
		return
	}
	s.reach(p)
	for _, it := range p.items {
		fn(it, free)
	}
}

// reach notes that a page, and those it goes on in, are of the tree.
func (s *findings) reach(p rawPage) {
	for id := p.id; id < uint64(len(s.reached)) && id <= p.id+uint64(max(p.used-1, 0))/uint64(s.size); id++ {
		s.reached[id] = true
	}
}

func kindOfBucket(b bucket) *kind {
	if i := slices.IndexFunc(kinds, func(k kind) bool { return k.bucket == b }); i >= 0 {
		return &kinds[i]
	}
	return nil
}

// inHole reports whether a key of a bucket may have been on a page that cannot be
// read.
func (s *findings) inHole(b bucket, key []byte) bool {
	return slices.ContainsFunc(s.holes[b], func(h hole) bool { return h.has(key) })
}

// astray reports whether a key of a bucket may have been on a page that is there
// and that nothing leads to.
func (s *findings) astray(b bucket, key []byte) bool {
	return slices.ContainsFunc(s.holes[b], func(h hole) bool { return !h.leaf && h.has(key) })
}

// strayPage is a page with records that nothing leads to.
type strayPage struct {
	id     uint64
	inside []item // of a page that lies within another
	kind   *kind
}

// items reads what is on a stray page.
func (s *findings) items(st strayPage) []item {
	if st.id == 0 {
		return st.inside
	}
	p, _ := s.page(st.id) // what cannot be read any more has no items
	return p.items
}

// strays calls fn for all pages with records that nothing leads to, but for those
// that are known to be free.
func (s *findings) strays(ctx context.Context, fn func(strayPage)) error {
	add := func(st strayPage, p rawPage) {
		if st.kind = kindOfPage(p); st.kind != nil {
			fn(st)
		}
	}
	for _, at := range s.root.unnamed {
		if p, err := s.top(at); at.page == 0 && err == nil {
			add(strayPage{inside: p.items}, p)
		}
	}
	return s.eachPage(ctx, func(p rawPage) {
		if !p.leaf || s.reached[p.id] || s.free[p.id] || s.misplaced[p.id] {
			return
		}
		add(strayPage{id: p.id}, p)
		for _, it := range p.items { // a page of the root has small buckets within it
			if !it.bucket || !isName(it.key) || len(it.value) < bucketSize {
				continue
			}
			if inside, err := parsePage(it.value[bucketSize:]); err == nil {
				add(strayPage{inside: inside.items}, inside)
			}
		}
	})
}

// settle notes whether the list of free pages is to be believed: it is not when
// it names pages that the tree leads to.
func (s *findings) settle() {
	for id := range s.free {
		if id < uint64(len(s.reached)) && s.reached[id] {
			s.doubtfulFree = true
		}
	}
}

// certain reports whether every page that is neither reached nor free is known
// to be of the last state, and to have lost what led to it.
func (s *findings) certain() bool { return !s.guessed && s.free != nil && !s.doubtfulFree }
