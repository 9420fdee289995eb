package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// The layout of a page: a header of id:8 flags:2 count:2 overflow:4, the elements, and
// the data of the elements. An element has the offset of its data from itself.
const (
	branchPage   = 0x01
	leafPage     = 0x02
	freelistPage = 0x10
	elementSize  = 16
	bucketFlag   = 0x01
	bucketSize   = 16 // of the value of a bucket: root:8 sequence:8
	noFreelist   = 1<<64 - 1
	longFreelist = 0xFFFF // the count if the real count is the first entry
)

// walkFile checks that the pages of a file are a tree. Every page must be reached once,
// match its header, start with the key of its link, and point to existing pages. A page of
// the tree must not be in the freelist. bbolt assumes all this, and its own check can run
// forever otherwise.
func walkFile(ctx context.Context, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	m, err := newestMeta(f)
	if err != nil {
		return damaged(err.Error())
	}
	w := walker{file: f, meta: m, seen: make([]bool, m.pages), next: []link{{id: m.root}}}
	for len(w.next) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := w.next[len(w.next)-1]
		w.next = w.next[:len(w.next)-1]
		if err := w.visit(to); err != nil {
			return damaged(fmt.Sprintf("page %d: %v", to.id, err))
		}
	}
	return w.free()
}

// walker walks through the pages of a file.
type walker struct {
	file io.ReaderAt
	meta metaPage
	seen []bool // by page
	next []link // pages to visit
	want uint16 // their required type; 0 for any
	leaf []byte // memory for the next leaf
}

// link points to a page. The page must start with key, which is nil for the root of a
// tree. When bbolt moves a page, it finds the link to update by this key. If it does not
// find the link, the old one stays and points to a free page. That page may later become
// part of a different tree, or a branch above the link. The keys of the page must be in
// order and below the key of the next page, because a split page adds its own key to the
// branch.
type link struct {
	id    uint64
	key   []byte
	below []byte // nil for the last page
}

// visit checks a page and adds the pages that it points to.
func (w *walker) visit(to link) error {
	if to.id < 2 || to.id >= w.meta.pages {
		return fmt.Errorf("the page does not exist, the file has %d", w.meta.pages)
	}
	page, err := w.read(to.id)
	if err != nil {
		return err
	}
	if to.id == w.meta.freelist {
		return checkFreelist(page)
	}
	before := len(w.next)
	if err := w.follow(page, to.below); err != nil {
		return err
	}
	if key, ok := firstKey(page); to.key != nil && (!ok || !bytes.Equal(key, to.key)) {
		w.next = w.next[:before]
		return errors.New("it does not start with the key of its link")
	}
	return nil
}

// read reads a page with its continuation and marks it. The memory of a leaf is reused for
// the next one.
func (w *walker) read(id uint64) ([]byte, error) {
	if w.leaf == nil {
		w.leaf = make([]byte, w.meta.pageSize)
	}
	page, at := w.leaf[:w.meta.pageSize], int64(id)*int64(w.meta.pageSize)
	if _, err := w.file.ReadAt(page, at); err != nil {
		return nil, err
	}
	order := binary.NativeEndian
	span := uint64(order.Uint32(page[12:])) + 1
	switch own := order.Uint64(page); {
	case own != id:
		return nil, fmt.Errorf("it says that it is page %d", own)
	case span > w.meta.pages-id || span*uint64(w.meta.pageSize) > maxSpan:
		return nil, fmt.Errorf("it says that it is %d pages long", span)
	}
	if err := w.mark(id, span); err != nil {
		return nil, err
	}
	if order.Uint16(page[8:]) != leafPage {
		w.leaf = nil // the keys of a branch are used later
	}
	if span == 1 {
		return page, nil
	}
	page = make([]byte, span*uint64(w.meta.pageSize))
	_, err := w.file.ReadAt(page, at)
	return page, err
}

// mark marks pages as reached.
func (w *walker) mark(id, span uint64) error {
	if id < 2 || id >= w.meta.pages {
		return fmt.Errorf("the page does not exist, the file has %d", w.meta.pages)
	}
	for i := id; i < id+span; i++ {
		if w.seen[i] {
			return fmt.Errorf("page %d is reached twice", i)
		}
		w.seen[i] = true
	}
	return nil
}

// follow checks the elements of a page of the tree.
func (w *walker) follow(page, below []byte) error {
	order := binary.NativeEndian
	flags, count := order.Uint16(page[8:]), int(order.Uint16(page[10:]))
	if flags != branchPage && flags != leafPage {
		return fmt.Errorf("its type %#x does not belong into the tree", flags)
	}
	if w.want != 0 && flags != w.want {
		return fmt.Errorf("its type %#x is wrong here", flags)
	}
	if pageHeaderSize+count*elementSize > len(page) {
		return fmt.Errorf("it says that it has %d elements", count)
	}
	if flags == branchPage {
		return w.fork(page, count, below)
	}
	var last []byte
	for i := range count {
		at := pageHeaderSize + i*elementSize
		e := page[at:]
		key, value := order.Uint32(e[8:]), order.Uint32(e[12:])
		whole, err := within(page, at, order.Uint32(e[4:]), key, value)
		if err == nil && bytes.Compare(whole[:key], last) <= 0 {
			err = errUnordered
		}
		if err == nil && order.Uint32(e)&bucketFlag != 0 {
			err = w.enter(whole[key:])
		}
		if err != nil {
			return fmt.Errorf("element %d: %w", i, err)
		}
		last = whole[:key]
	}
	return checkBelow(last, below)
}

var errUnordered = errors.New("its key is not greater than the previous key")

// fork checks the elements of a branch and adds their links.
func (w *walker) fork(page []byte, count int, below []byte) error {
	if count == 0 {
		return errors.New("it has no elements")
	}
	order := binary.NativeEndian
	var last []byte
	for i := range count {
		at := pageHeaderSize + i*elementSize
		e := page[at:]
		key, err := within(page, at, order.Uint32(e), order.Uint32(e[4:]))
		if err == nil && bytes.Compare(key, last) <= 0 {
			err = errUnordered
		}
		if err != nil {
			return fmt.Errorf("element %d: %w", i, err)
		}
		if i > 0 {
			w.next[len(w.next)-1].below = key
		}
		w.next = append(w.next, link{id: order.Uint64(e[8:]), key: key, below: below})
		last = key
	}
	return checkBelow(last, below)
}

// checkBelow checks that the last key of a page is below the first key of the next page.
func checkBelow(last, below []byte) error {
	if below != nil && bytes.Compare(last, below) >= 0 {
		return errors.New("its last key is not below the first key of the next page")
	}
	return nil
}

// firstKey returns the first key of a page that [walker.follow] has checked. ok is false
// for an empty page.
func firstKey(page []byte) (key []byte, ok bool) {
	order, e := binary.NativeEndian, page[pageHeaderSize:]
	if order.Uint16(page[10:]) == 0 {
		return nil, false
	}
	pos, size := order.Uint32(e), order.Uint32(e[4:])
	if order.Uint16(page[8:]) == leafPage {
		pos, size = order.Uint32(e[4:]), order.Uint32(e[8:])
	}
	key, err := within(page, pageHeaderSize, pos, size)
	return key, err == nil
}

// enter checks a bucket: its own tree, or an inline page.
func (w *walker) enter(bucket []byte) error {
	if len(bucket) < bucketSize {
		return errors.New("its bucket is cut off")
	}
	if root := binary.NativeEndian.Uint64(bucket); root != 0 {
		w.next = append(w.next, link{id: root})
		return nil
	}
	inside := bucket[bucketSize:]
	if len(inside) < pageHeaderSize || binary.NativeEndian.Uint16(inside[8:]) != leafPage {
		return errors.New("the page of its bucket is cut off or is not a leaf")
	}
	return w.follow(inside, nil)
}

// within returns the data of an element: the bytes from pos with the sum of sizes.
func within(page []byte, at int, pos uint32, sizes ...uint32) ([]byte, error) {
	begin := uint64(at) + uint64(pos)
	end := begin
	for _, size := range sizes {
		end += uint64(size)
	}
	if end > uint64(len(page)) {
		return nil, errors.New("it reaches beyond its page")
	}
	return page[begin:end], nil
}

// checkFreelist checks the type and length of a freelist page.
func checkFreelist(page []byte) error {
	order := binary.NativeEndian
	if flags := order.Uint16(page[8:]); flags != freelistPage {
		return fmt.Errorf("it should be the freelist, and its type is %#x", flags)
	}
	count, room := uint64(order.Uint16(page[10:])), uint64(len(page)-pageHeaderSize)/8
	if count == longFreelist {
		count, room = order.Uint64(page[pageHeaderSize:]), room-1
	}
	if count > room {
		return fmt.Errorf("it says that %d pages are free", count)
	}
	return nil
}
