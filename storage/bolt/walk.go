package bolt

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// The layout of a page: a header of id:8 flags:2 count:2 overflow:4, then its
// elements, then what they point to, each relative to itself.
const (
	branchPage   = 0x01
	leafPage     = 0x02
	freelistPage = 0x10
	elementSize  = 16
	bucketFlag   = 0x01
	bucketSize   = 16 // of what a bucket's element holds: root:8 sequence:8
	noFreelist   = 1<<64 - 1
	manyFree     = 0xFFFF // the count of a list whose length is its first entry
)

// walkFile goes through the tree of pages and sees that it is one: that every
// page is reached once, holds what it says, and points to others that are there.
// bbolt takes that for granted; what is not so keeps its own check busy for ever.
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
	w := walker{file: f, meta: m, seen: make([]bool, m.pages), next: []uint64{m.root}}
	if m.freelist != noFreelist {
		w.next = append(w.next, m.freelist)
	}
	for len(w.next) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		id := w.next[len(w.next)-1]
		w.next = w.next[:len(w.next)-1]
		if err := w.visit(id); err != nil {
			return damaged(fmt.Sprintf("page %d: %v", id, err))
		}
	}
	return nil
}

// walker is on its way through a file.
type walker struct {
	file io.ReaderAt
	meta metaPage
	seen []bool   // by page
	next []uint64 // pages to visit
}

// visit looks at a page and notes those it points to.
func (w *walker) visit(id uint64) error {
	if id < 2 || id >= w.meta.pages {
		return fmt.Errorf("there is no such page of %d", w.meta.pages)
	}
	var header [pageHeaderSize]byte
	at := int64(id) * int64(w.meta.pageSize)
	if _, err := w.file.ReadAt(header[:], at); err != nil {
		return err
	}
	order := binary.NativeEndian
	span := uint64(order.Uint32(header[12:])) + 1
	switch own := order.Uint64(header[:]); {
	case own != id:
		return fmt.Errorf("it says that it is page %d", own)
	case span > w.meta.pages-id:
		return fmt.Errorf("it says that it is %d pages long", span)
	}
	for i := id; i < id+span; i++ {
		if w.seen[i] {
			return fmt.Errorf("page %d is reached twice", i)
		}
		w.seen[i] = true
	}
	page := make([]byte, span*uint64(w.meta.pageSize))
	if _, err := w.file.ReadAt(page, at); err != nil {
		return err
	}
	if id == w.meta.freelist {
		return checkFreelist(page)
	}
	return w.follow(page)
}

// follow checks the elements of a page of the tree.
func (w *walker) follow(page []byte) error {
	order := binary.NativeEndian
	flags, count := order.Uint16(page[8:]), int(order.Uint16(page[10:]))
	if flags != branchPage && flags != leafPage {
		return fmt.Errorf("it is of no kind that belongs into the tree: %#x", flags)
	}
	if pageHeaderSize+count*elementSize > len(page) {
		return fmt.Errorf("it says that it has %d elements", count)
	}
	for i := range count {
		at := pageHeaderSize + i*elementSize
		e := page[at:]
		if flags == branchPage {
			if _, err := within(page, at, order.Uint32(e), order.Uint32(e[4:])); err != nil {
				return fmt.Errorf("element %d: %w", i, err)
			}
			w.next = append(w.next, order.Uint64(e[8:]))
			continue
		}
		key, value := order.Uint32(e[8:]), order.Uint32(e[12:])
		whole, err := within(page, at, order.Uint32(e[4:]), key, value)
		if err == nil && order.Uint32(e)&bucketFlag != 0 {
			err = w.enter(whole[key:])
		}
		if err != nil {
			return fmt.Errorf("element %d: %w", i, err)
		}
	}
	return nil
}

// enter checks a bucket: a tree of its own, or a page inside the element.
func (w *walker) enter(bucket []byte) error {
	if len(bucket) < bucketSize {
		return errors.New("its bucket is cut off")
	}
	if root := binary.NativeEndian.Uint64(bucket); root != 0 {
		w.next = append(w.next, root)
		return nil
	}
	inside := bucket[bucketSize:]
	if len(inside) < pageHeaderSize || binary.NativeEndian.Uint16(inside[8:]) != leafPage {
		return errors.New("the page of its bucket is cut off, or none")
	}
	return w.follow(inside)
}

// within returns what an element points to: sizes bytes from pos on.
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

// checkFreelist checks that a list of free pages is as long as it says.
func checkFreelist(page []byte) error {
	order := binary.NativeEndian
	if flags := order.Uint16(page[8:]); flags != freelistPage {
		return fmt.Errorf("it should hold the list of free pages, and its kind is %#x", flags)
	}
	count, room := uint64(order.Uint16(page[10:])), uint64(len(page)-pageHeaderSize)/8
	if count == manyFree {
		count, room = order.Uint64(page[pageHeaderSize:]), room-1
	}
	if count > room {
		return fmt.Errorf("it says that %d pages are free", count)
	}
	return nil
}
