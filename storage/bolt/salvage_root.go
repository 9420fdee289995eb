package bolt

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"slices"
)

// root is a page where the tree begins, or perhaps began once.
type root struct {
	page     uint64
	tx       uint64 // that wrote it; 0 when a guess
	free     uint64 // where the list of free pages is; 0 when a guess
	buckets  map[bucket]branchOff
	torn     bool        // not all of its own pages can be read, or are its own
	readable int         // of the buckets
	unnamed  []branchOff // whose names are none of ours
	foreign  int         // buckets with names that could be those of a newer version
	mark     []byte      // the last keys of some buckets that grow at their end
}

// branchOff is where a bucket is: a page, or bytes within another page.
type branchOff struct {
	page   uint64
	inline []byte
}

// newest returns the root of the last state. Pages of an older one may have been
// written over by those of a newer, so that both lead to the same last records.
func (s *findings) newest(candidates []root) root {
	best := slices.MaxFunc(candidates, compareRoots)
	var had *holding
	for _, r := range candidates {
		if r.page == best.page || !sameEnd(r, best) {
			continue
		}
		if had == nil {
			had = s.holding(best)
		}
		if has := s.holding(r); has.newer(had) {
			best, had = r, has
		}
	}
	return best
}

// holding is what a root leads to of the posts.
type holding struct {
	whole bool // all of their pages can be read
	last  []byte
	count int
}

// newer compares the posts of roots that lead to the same last records. When they
// have the same last post, too, the one with fewer is the newer: what is made
// leaves records, and what is deleted need not.
func (h *holding) newer(than *holding) bool {
	if h.whole != than.whole {
		return h.whole
	}
	if c := bytes.Compare(h.last, than.last); c != 0 {
		return c > 0
	}
	return h.whole && h.count < than.count
}

// sameEnd reports whether nothing but their posts tells which of two roots is the
// newer.
func sameEnd(a, b root) bool {
	return a.torn == b.torn && a.readable == b.readable && bytes.Equal(a.mark, b.mark) && (a.tx == 0 || b.tx == 0)
}

// holding reads the posts that a root leads to.
func (s *findings) holding(r root) *holding {
	at, ok := r.buckets[posts]
	h := &holding{whole: ok, last: s.lastKey(at, 16)}
	if at.page == 0 {
		p, err := parsePage(at.inline)
		h.whole, h.count = err == nil && !p.broken, len(p.items)
		return h
	}
	s.descend(&descent{
		seen: map[uint64]bool{},
		leaf: func(p rawPage, in part, _ bool) bool {
			h.count += len(p.items)
			return isOf(posts, p, in)
		},
		hole: func(uint64, hole) { h.whole = false },
	}, at.page, part{}, 0, false)
	return h
}

// compareRoots orders roots: one that can be read wholly is better, and then the
// newer one. Of guesses those are better that lead to more.
func compareRoots(a, b root) int {
	if a.torn != b.torn {
		if b.torn {
			return 1
		}
		return -1
	}
	if a.tx != 0 && b.tx != 0 {
		return cmp.Compare(a.tx, b.tx)
	}
	return cmp.Or(cmp.Compare(a.readable, b.readable), bytes.Compare(a.mark, b.mark), cmp.Compare(a.tx, b.tx))
}

// rootAt reads the buckets that a root leads to.
func (s *findings) rootAt(r root) root {
	r.buckets = map[bucket]branchOff{}
	r.torn = s.eachRootPage(r, func(p rawPage) {
		for _, it := range p.items {
			s.addBucket(&r, it)
		}
	})
	r.mark = concat(nil, s.lastKey(r.buckets[events], 16), s.lastKey(r.buckets[answers], 40), s.lastKey(r.buckets[audit], 32))
	return r
}

// eachRootPage calls fn for the leaves that have the buckets, and reports whether
// some cannot be read, or have none: another page is in their place.
func (s *findings) eachRootPage(r root, fn func(rawPage)) (torn bool) {
	s.descend(&descent{
		seen: map[uint64]bool{},
		leaf: func(p rawPage, _ part, _ bool) bool {
			if !slices.ContainsFunc(p.items, func(it item) bool { return it.bucket }) {
				if r.tx > 0 {
					s.misplaced[p.id] = true
				}
				return false
			}
			fn(p)
			return true
		},
		hole: func(uint64, hole) { torn = true },
	}, r.page, part{}, 0, false)
	return torn
}

// addBucket notes a bucket of a root.
func (s *findings) addBucket(r *root, it item) {
	if !it.bucket || len(it.value) < bucketSize {
		return
	}
	at := branchOff{page: binary.NativeEndian.Uint64(it.value)}
	if at.page == 0 {
		at.inline = it.value[bucketSize:]
	}
	for b, name := range bucketNames {
		if name == string(it.key) {
			_, twice := r.buckets[bucket(b)]
			if _, err := s.top(at); err == nil && !twice {
				r.readable++
			}
			r.buckets[bucket(b)] = at
			return
		}
	}
	r.unnamed = append(r.unnamed, at)
	if plain(it.key) {
		r.foreign++
	}
}

// plain reports whether a name can be one that a person gave a bucket.
func plain(name []byte) bool {
	for _, c := range name {
		if (c < 'a' || c > 'z') && c != ' ' {
			return false
		}
	}
	return true
}

// top reads the page where a bucket begins.
func (s *findings) top(at branchOff) (rawPage, error) {
	if at.page != 0 {
		return s.page(at.page)
	}
	return parsePage(at.inline)
}

// lastKey returns the last key of a bucket, as long as its keys are; zeros when
// it cannot be read.
func (s *findings) lastKey(at branchOff, width int) []byte {
	key := make([]byte, width)
	p, err := s.top(at)
	for depth := 0; err == nil && len(p.items) > 0 && depth < deepest; depth++ {
		last := p.items[len(p.items)-1]
		if p.leaf {
			if len(last.key) == width {
				return last.key
			}
			break
		}
		p, err = s.page(last.child)
	}
	return key
}

// guessRoots looks for pages where the tree may begin, in all of the file.
func (s *findings) guessRoots(ctx context.Context) (list []root, err error) {
	var tops []uint64
	err = s.eachPage(ctx, func(p rawPage) {
		if slices.ContainsFunc(p.items, func(it item) bool { return isName(it.key) && (it.bucket || !p.leaf) }) {
			tops = append(tops, p.id)
		}
	})
	for _, id := range tops {
		if r := s.rootAt(root{page: id}); r.readable > 0 {
			list = append(list, r)
		}
	}
	return list, err
}

func isName(key []byte) bool { return slices.Contains(bucketNames[:], string(key)) }
