package bolt

import (
	"encoding/binary"
	"fmt"
	"os"
)

// walkBranches sees that the pages of a file are a tree, as [walkFile] does, but
// of the pages that have no others below them it reads no more than leaves, lest a
// start take long. The others, one in a hundred, are enough to know that no
// way leads in a circle, in which bbolt would go round until its stack is full,
// and that no page in use is named as free, which the next commit would write
// over. A leaf that is longer than it should be, or does not begin with the key
// that leads to it, makes such a circle with the next commits. What else is wrong
// with a page is an error of those who read it.
//
// Nobody may write the file meanwhile.
func walkBranches(path string, leaves int) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	m, err := newestMeta(f)
	if err != nil {
		return damaged(err.Error())
	}
	w := walker{file: f, meta: m, seen: make([]bool, m.pages)}
	if m.freelist == noFreelist {
		leaves = len(w.seen) // bbolt makes a list, and goes through all of the tree
	}
	trees := []link{{id: m.root}} // and those of the buckets in it
	for i := 0; i < len(trees); i++ {
		err := w.tree(trees[i], func(to link) error {
			if leaves--; leaves < 0 && i > 0 {
				return w.mark(to.id, 1)
			}
			err := w.visit(to)
			trees = append(trees, w.next...)
			return err
		})
		if err != nil {
			return err
		}
	}
	return w.free()
}

// tree visits the branches of a tree and calls leaf for the others, in their
// order. All of these are equally deep.
func (w *walker) tree(root link, leaf func(link) error) error {
	height, err := w.height(root.id)
	if err != nil {
		return damaged(err.Error())
	}
	return w.below(root, height, leaf)
}

// below goes through a part of a tree with so many branches above each leaf.
func (w *walker) below(to link, height int, leaf func(link) error) error {
	visit := leaf
	if w.want = leafPage; height > 0 {
		visit, w.want = w.visit, branchPage
	}
	w.next = nil
	if err := visit(to); err != nil {
		return damaged(fmt.Sprintf("page %d: %v", to.id, err))
	}
	if height == 0 {
		return nil
	}
	for _, child := range w.next {
		if err := w.below(child, height-1, leaf); err != nil {
			return err
		}
	}
	return nil
}

// height returns how many branches there are above the first leaf.
func (w *walker) height(root uint64) (height int, err error) {
	order := binary.NativeEndian
	head := make([]byte, pageHeaderSize+elementSize)
	for id := root; height < maxDepth; height++ {
		if id < 2 || id >= w.meta.pages {
			return 0, fmt.Errorf("page %d: there is no such page of %d", id, w.meta.pages)
		}
		if _, err := w.file.ReadAt(head, int64(id)*int64(w.meta.pageSize)); err != nil {
			return 0, fmt.Errorf("page %d: %w", id, err)
		}
		if order.Uint16(head[8:]) != branchPage {
			return height, nil
		}
		id = order.Uint64(head[pageHeaderSize+8:])
	}
	return 0, fmt.Errorf("page %d: the tree below it has no end", root)
}

// free compares the list of free pages with those that were seen.
func (w *walker) free() error {
	if w.meta.freelist == noFreelist {
		return nil
	}
	if err := w.visit(link{id: w.meta.freelist}); err != nil {
		return damaged(fmt.Sprintf("page %d: %v", w.meta.freelist, err))
	}
	f := pageFile{file: w.file, length: int64(w.meta.pages) * int64(w.meta.pageSize), size: int64(w.meta.pageSize)}
	free := f.freelist(w.meta)
	if free == nil {
		return damaged(fmt.Sprintf("page %d: its list of free pages makes no sense", w.meta.freelist))
	}
	for id := range free {
		if w.seen[id] {
			return damaged(fmt.Sprintf("page %d is in use, and in the list of free pages", id))
		}
	}
	return nil
}
