package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// maxSpan bounds how much is read for one page, whatever it says of its length:
// no record comes near it.
const maxSpan = 64 << 20

// rawPage is what can be read of a page of the tree.
type rawPage struct {
	id     uint64
	leaf   bool
	items  []item
	broken bool // there are elements that cannot be read
	used   int  // the bytes from the first to the last that belong to it
}

// item is one element of a page. It points into what the page was read from.
type item struct {
	key, value []byte
	child      uint64 // of a branch
	bucket     bool   // value is that of a bucket
}

// parsePage reads a page of the tree. Elements that cannot be are left out, and
// make the page broken; a page of another kind is an error.
func parsePage(b []byte) (p rawPage, err error) {
	if len(b) < pageHeaderSize {
		return p, errShort
	}
	order := binary.NativeEndian
	flags := order.Uint16(b[8:])
	if flags != branchPage && flags != leafPage {
		return p, fmt.Errorf("it is of no kind that belongs into the tree: %#x", flags)
	}
	p = parseItems(b, flags == leafPage, int(order.Uint16(b[10:])))
	p.id = order.Uint64(b)
	return p, nil
}

// parseItems reads the elements of a page. How many there are is in its header,
// and in the first of them, which says where its data begins: behind the last
// one. When the two differ, the one counts by which more of the page makes sense.
func parseItems(b []byte, leaf bool, count int) rawPage {
	p, sense := countedItems(b, leaf, count)
	at := pageHeaderSize
	if leaf {
		at += 4
	}
	if len(b) < pageHeaderSize+elementSize {
		return p
	}
	if told := int(binary.NativeEndian.Uint32(b[at:]) / elementSize); told != count && told > 0 && told < manyFree {
		if other, more := countedItems(b, leaf, told); more > sense {
			p = other
		}
		p.broken = true
	}
	return p
}

// countedItems reads as many elements, and says of how many the data follows
// that of the one before.
func countedItems(b []byte, leaf bool, count int) (p rawPage, sense int) {
	begin := pageHeaderSize + count*elementSize
	p = rawPage{leaf: leaf, used: min(begin, len(b)), items: make([]item, 0, min(count, len(b)/elementSize))}
	last := begin
	for i := range count {
		at := pageHeaderSize + i*elementSize
		if at+elementSize > len(b) {
			p.broken = true
			break
		}
		it, end, err := parseItem(b, at, leaf)
		from := end - len(it.key) - len(it.value)
		if err != nil || len(it.key) == 0 || from < begin {
			p.broken = true
			continue
		}
		if from == last {
			sense++
		}
		last = end
		p.items, p.used = append(p.items, it), max(p.used, end)
	}
	return p, sense
}

// parseItem reads the element at a place of a page, and says where what it
// points to ends.
func parseItem(page []byte, at int, leaf bool) (it item, end int, err error) {
	order, e := binary.NativeEndian, page[at:]
	if !leaf {
		pos, size := order.Uint32(e), order.Uint32(e[4:])
		it.key, err = within(page, at, pos, size)
		it.child = order.Uint64(e[8:])
		return it, at + int(pos) + int(size), err
	}
	pos, key, value := order.Uint32(e[4:]), order.Uint32(e[8:]), order.Uint32(e[12:])
	whole, err := within(page, at, pos, key, value)
	if err != nil {
		return it, 0, err
	}
	it.key, it.value = whole[:key:key], whole[key:]
	it.bucket = order.Uint32(e)&bucketFlag != 0
	return it, at + int(pos) + len(whole), nil
}

// pageFile reads the pages of a file of which nothing is sure.
type pageFile struct {
	file   io.ReaderAt
	length int64
	size   int64 // of a page
	moved  map[uint64]uint64
}

// count returns how many pages there are, the last one perhaps cut off.
func (f *pageFile) count() uint64 { return uint64((f.length + f.size - 1) / f.size) }

var errNoPage = errors.New("there is no such page")

// page reads a page of the tree with all that it goes on in. One that is not in
// its place is looked for in all others.
func (f *pageFile) page(id uint64) (rawPage, error) {
	b, err := f.bytes(id)
	if err != nil {
		return rawPage{}, err
	}
	return parsePage(b)
}

// loosely reads a page of which the header is wrong as a leaf.
func (f *pageFile) loosely(id uint64) rawPage {
	b, err := f.at(id)
	if err != nil {
		return rawPage{}
	}
	p := parseItems(b, true, int(binary.NativeEndian.Uint16(b[10:])))
	p.id, p.broken = id, true
	return p
}

// bytes returns what there is of a page that says that it is this one.
func (f *pageFile) bytes(id uint64) ([]byte, error) {
	if id < 2 {
		return nil, errNoPage
	}
	b, err := f.at(id)
	if err != nil {
		return nil, err
	}
	own := binary.NativeEndian.Uint64(b)
	if own == id {
		return b, nil
	}
	if place, ok := f.elsewhere()[id]; ok {
		return f.at(place)
	}
	return nil, fmt.Errorf("it says that it is page %d", own)
}

// at returns what there is at the place of a page.
func (f *pageFile) at(place uint64) ([]byte, error) {
	if place >= f.count() {
		return nil, errNoPage
	}
	at := int64(place) * f.size
	var header [pageHeaderSize]byte
	if _, err := f.file.ReadAt(header[:], at); err != nil {
		return nil, err
	}
	span := f.span(place, binary.NativeEndian.Uint32(header[12:])) * f.size
	b := make([]byte, min(span, f.length-at))
	if _, err := f.file.ReadAt(b, at); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b, nil
}

// span returns how many pages a page is long that says that it goes on in others:
// none of these is a page of its own.
func (f *pageFile) span(place uint64, more uint32) int64 {
	var header [pageHeaderSize]byte
	n := int64(1)
	for ; n <= int64(more) && n*f.size < maxSpan; n++ {
		if _, err := f.file.ReadAt(header[:], (int64(place)+n)*f.size); err != nil {
			break
		}
		order := binary.NativeEndian
		if flags := order.Uint16(header[8:]); order.Uint64(header[:]) == place+uint64(n) && isKind(flags) {
			break
		}
	}
	return n
}

// isKind reports whether there are pages of a kind behind the first ones.
func isKind(flags uint16) bool {
	return flags == leafPage || flags == branchPage || flags == freelistPage
}

// elsewhere returns the places of pages that are not where they say.
func (f *pageFile) elsewhere() map[uint64]uint64 {
	if f.moved != nil {
		return f.moved
	}
	f.moved = map[uint64]uint64{}
	var header [pageHeaderSize]byte
	order := binary.NativeEndian
	for place := range f.count() {
		if _, err := f.file.ReadAt(header[:], int64(place)*f.size); err != nil {
			continue
		}
		id, flags := order.Uint64(header[:]), order.Uint16(header[8:])
		if id != place && id > 1 && id < f.count() && isKind(flags) {
			f.moved[id] = place
		}
	}
	return f.moved
}

// freelist returns the pages that a list names as free, or nil when it is not to
// be trusted.
func (f *pageFile) freelist(m metaPage) map[uint64]bool {
	b, err := f.bytes(m.freelist)
	if err != nil || checkFreelist(b) != nil {
		return nil
	}
	order := binary.NativeEndian
	count, ids := uint64(order.Uint16(b[10:])), b[pageHeaderSize:]
	if count == manyFree {
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

// guessPageSize returns the size by which most pages of a file say where they
// are.
func guessPageSize(file io.ReaderAt, length int64) int64 {
	best, most := int64(0), 1 // one page proves nothing
	for size := int64(1 << 12); size <= 1<<16; size <<= 1 {
		n := 0
		var header [8]byte
		for id := int64(2); id*size+8 <= length && id < 1<<16; id++ {
			if _, err := file.ReadAt(header[:], id*size); err == nil && int64(binary.NativeEndian.Uint64(header[:])) == id {
				n++
			}
		}
		if n > most {
			best, most = size, n
		}
	}
	return best
}
