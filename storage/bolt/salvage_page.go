package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// maxSpan bounds how many bytes are read for one page, whatever length its header
// has. No record is that long.
const maxSpan = 64 << 20

// rawPage is the readable part of a page of the tree.
type rawPage struct {
	id     uint64
	leaf   bool
	items  []item
	broken bool // some elements cannot be read
	used   int  // the length of the page with its data, in bytes
}

// item is one element of a page. It points into the bytes of the page.
type item struct {
	key, value []byte
	child      uint64 // of a branch
	bucket     bool   // value is a bucket
}

// parsePage reads a branch or a leaf. Elements that cannot be read are left out
// and make the page broken. Any other page is an error.
func parsePage(b []byte) (p rawPage, err error) {
	if len(b) < pageHeaderSize {
		return p, errShort
	}
	order := binary.NativeEndian
	flags, count := order.Uint16(b[8:]), int(order.Uint16(b[10:]))
	if flags != branchPage && flags != leafPage {
		return p, fmt.Errorf("its type %#x does not belong into the tree", flags)
	}
	data := pageHeaderSize + count*elementSize
	p = rawPage{id: order.Uint64(b), leaf: flags == leafPage, used: min(data, len(b))}
	for i := range count {
		at := pageHeaderSize + i*elementSize
		if at+elementSize > len(b) {
			p.broken = true
			break
		}
		it, end, err := parseItem(b, at, p.leaf)
		if err != nil || len(it.key) == 0 || end-len(it.key)-len(it.value) < data {
			p.broken = true
			continue
		}
		p.items, p.used = append(p.items, it), max(p.used, end)
	}
	return p, nil
}

// parseItem reads the element at an offset of a page, and returns the offset of the
// end of its data.
func parseItem(page []byte, at int, leaf bool) (it item, end int, err error) {
	order, e := binary.NativeEndian, page[at:]
	if !leaf {
		pos, size := order.Uint32(e), order.Uint32(e[4:])
		it.key, err = within(page, at, pos, size)
		it.child = order.Uint64(e[8:])
		return it, at + int(pos) + int(size), err
	}
	pos, key, value := order.Uint32(e[4:]), order.Uint32(e[8:]), order.Uint32(e[12:])
	data, err := within(page, at, pos, key, value)
	if err != nil {
		return it, 0, err
	}
	it.key, it.value = data[:key:key], data[key:]
	it.bucket = order.Uint32(e)&bucketFlag != 0
	return it, at + int(pos) + len(data), nil
}

// rows returns the rows of a leaf, with those of the small buckets in it.
func (p rawPage) rows() (rows []item) {
	for _, it := range p.items {
		if !it.bucket {
			rows = append(rows, it)
		} else if len(it.value) > bucketSize {
			if inline, err := parsePage(it.value[bucketSize:]); err == nil && inline.leaf {
				rows = append(rows, inline.items...)
			}
		}
	}
	return rows
}

// pageFile reads the pages of a file that may be damaged.
type pageFile struct {
	file   io.ReaderAt
	length int64
	size   int64 // of a page
}

// count returns the number of pages. The last one may be cut off.
func (f *pageFile) count() uint64 { return uint64((f.length + f.size - 1) / f.size) }

// page reads a page of the tree with its continuation.
func (f *pageFile) page(id uint64) (rawPage, error) {
	b, err := f.bytes(id)
	if err != nil {
		return rawPage{}, err
	}
	return parsePage(b)
}

// bytes returns a page with its continuation, as far as the file has it.
func (f *pageFile) bytes(id uint64) ([]byte, error) {
	if id < 2 || id >= f.count() {
		return nil, fmt.Errorf("page %d does not exist", id)
	}
	at := int64(id) * f.size
	var header [pageHeaderSize]byte
	if _, err := f.file.ReadAt(header[:], at); err != nil {
		return nil, err
	}
	order := binary.NativeEndian
	if own := order.Uint64(header[:]); own != id {
		return nil, fmt.Errorf("its header has the id %d", own)
	}
	span := (int64(order.Uint32(header[12:])) + 1) * f.size
	b := make([]byte, min(span, f.length-at, maxSpan))
	if _, err := f.file.ReadAt(b, at); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b, nil
}

// freelist returns the pages in the freelist of a meta page, or nil when it cannot
// be read.
func (f *pageFile) freelist(m metaPage) map[uint64]bool {
	b, err := f.bytes(m.freelist)
	if err != nil || checkFreelist(b) != nil {
		return nil
	}
	order := binary.NativeEndian
	count, ids := uint64(order.Uint16(b[10:])), b[pageHeaderSize:]
	if count == longFreelist {
		count, ids = order.Uint64(ids), ids[8:]
	}
	free := make(map[uint64]bool, count)
	for last := uint64(1); count > 0; count-- {
		id := order.Uint64(ids)
		if id <= last || id >= m.pages {
			return nil
		}
		free[id], last, ids = true, id, ids[8:]
	}
	return free
}
