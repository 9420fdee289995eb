package schedule

import "github.com/schedctl/schedctl"

// pageLen is the number of entries in a page. A page has 96 KiB, which fits the
// allocator's pages exactly.
const pageLen = 4096

type page [pageLen]schedctl.Due

// heap is a binary min-heap of values in pages. It grows without copying, holds at
// most two unused pages, and releases pages as it shrinks. Its only pointers are those
// to the pages, so it costs the garbage collector little. The zero value is empty.
type heap struct {
	pages []*page
	n     int
}

func (h *heap) len() int { return h.n }

// head returns the least entry; the heap must not be empty.
func (h *heap) head() schedctl.Due { return *h.at(0) }

func (h *heap) at(i int) *schedctl.Due { return &h.pages[i/pageLen][i%pageLen] }

// push adds an entry. It costs one comparison if entries are added in order.
func (h *heap) push(d schedctl.Due) {
	if h.n == len(h.pages)*pageLen {
		h.pages = append(h.pages, new(page))
	}
	i := h.n
	h.n++
	for i > 0 {
		parent := (i - 1) / 2
		p := h.at(parent)
		if d.Compare(*p) >= 0 {
			break
		}
		*h.at(i) = *p
		i = parent
	}
	*h.at(i) = d
}

// pop removes and returns the least entry; the heap must not be empty.
func (h *heap) pop() schedctl.Due {
	least := h.head()
	h.n--
	if h.n > 0 {
		h.sink(*h.at(h.n))
	}
	h.shrink()
	return least
}

// sink moves d down from the root to its position.
func (h *heap) sink(d schedctl.Due) {
	i := 0
	for {
		child := 2*i + 1
		if child >= h.n {
			break
		}
		c := h.at(child)
		if child+1 < h.n {
			if right := h.at(child + 1); right.Compare(*c) < 0 {
				child, c = child+1, right
			}
		}
		if d.Compare(*c) <= 0 {
			break
		}
		*h.at(i) = *c
		i = child
	}
	*h.at(i) = d
}

// shrink keeps one empty page, so that a heap whose size varies around a page boundary
// does not allocate each time.
func (h *heap) shrink() {
	if keep := h.n/pageLen + 2; len(h.pages) > keep {
		h.pages[keep] = nil
		h.pages = h.pages[:keep]
	}
}

// reset empties the heap and releases its memory.
func (h *heap) reset() { *h = heap{} }
