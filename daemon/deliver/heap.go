package deliver

import "slices"

// heap is a binary min-heap of values. The zero value is empty.
type heap[T interface{ Before(T) bool }] struct{ items []T }

func (h *heap[T]) len() int { return len(h.items) }

// head returns the least item; the heap must not be empty.
func (h *heap[T]) head() T { return h.items[0] }

func (h *heap[T]) push(item T) {
	h.items = append(h.items, item)
	i := len(h.items) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !item.Before(h.items[parent]) {
			break
		}
		h.items[i] = h.items[parent]
		i = parent
	}
	h.items[i] = item
}

// pop removes and returns the least item; the heap must not be empty.
func (h *heap[T]) pop() T {
	least, last := h.items[0], len(h.items)-1
	item := h.items[last]
	clear(h.items[last:])
	h.items = h.items[:last]
	if last > 0 {
		h.sink(0, item)
	}
	if last < cap(h.items)/4 {
		h.items = slices.Clone(h.items) // give memory back after a burst
	}
	return least
}

// sink moves item down from index i to its position.
func (h *heap[T]) sink(i int, item T) {
	for {
		child := 2*i + 1
		if child >= len(h.items) {
			break
		}
		if right := child + 1; right < len(h.items) && h.items[right].Before(h.items[child]) {
			child = right
		}
		if !h.items[child].Before(item) {
			break
		}
		h.items[i] = h.items[child]
		i = child
	}
	h.items[i] = item
}

// filter removes and returns the items for which keep is false.
func (h *heap[T]) filter(keep func(*T) bool) (removed []T) {
	kept := h.items[:0]
	for i := range h.items {
		if item := &h.items[i]; keep(item) {
			kept = append(kept, *item)
		} else {
			removed = append(removed, *item)
		}
	}
	if removed == nil {
		return nil
	}
	clear(h.items[len(kept):])
	h.items = kept
	for i := len(h.items)/2 - 1; i >= 0; i-- {
		h.sink(i, h.items[i])
	}
	return removed
}
