package bolt

import (
	"encoding/binary"
	"fmt"
	"os"
)

// walkBranches checks that the pages of a file are a tree, as [walkFile] does, but reads
// at most the given number of leaves, so that a start is fast. The branches, one page in a
// hundred, show that there is no cycle, which would overflow the stack of bbolt, and that
// no page in use is in the freelist, which the next commit would overwrite. Leaves are
// checked because a leaf that is too long, or does not start with the key of its link,
// causes a cycle in later commits. Other damage is reported when the page is read.
//
// The file must not be written during the check.
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
		leaves = len(w.seen) // bbolt rebuilds the freelist from the whole tree
	}
	trees := []link{{id: m.root}} // the root, and the trees of its buckets
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

// tree visits the branches of a tree and calls leaf for the leaves in order. All leaves
// must have the same depth.
func (w *walker) tree(root link, leaf func(link) error) error {
	height, err := w.height(root.id)
	if err != nil {
		return damaged(err.Error())
	}
	return w.below(root, height, leaf)
}

// below visits a subtree with height branches above each leaf.
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

// height returns the number of branches above the first leaf.
func (w *walker) height(root uint64) (height int, err error) {
	order := binary.NativeEndian
	head := make([]byte, pageHeaderSize+elementSize)
	for id := root; height < maxDepth; height++ {
		if id < 2 || id >= w.meta.pages {
			return 0, fmt.Errorf("page %d does not exist, the file has %d", id, w.meta.pages)
		}
		if _, err := w.file.ReadAt(head, int64(id)*int64(w.meta.pageSize)); err != nil {
			return 0, fmt.Errorf("page %d: %w", id, err)
		}
		if order.Uint16(head[8:]) != branchPage {
			return height, nil
		}
		id = order.Uint64(head[pageHeaderSize+8:])
	}
	return 0, fmt.Errorf("page %d: the tree below it is too deep", root)
}

// free checks that no reached page is in the freelist.
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
		return damaged(fmt.Sprintf("page %d: its freelist is invalid", w.meta.freelist))
	}
	for id := range free {
		if w.seen[id] {
			return damaged(fmt.Sprintf("page %d is in use and in the freelist", id))
		}
	}
	return nil
}
