package mutant

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"
	"unsafe"

	bbolt "go.etcd.io/bbolt"
)

// Row is a record of a sound file.
type Row struct {
	Bucket string
	Key    string
	Record []byte

	at   int    // the offset of key and record in the file
	head [2]int // the offsets of the header of its leaf and of its element; 0 for a bucket within a leaf of the root
}

// File is a sound database file.
type File struct {
	Rows []Row // of all buckets with records

	data     []byte
	pageSize int
	root     int // a page id, as is freelist
	freelist int
}

const headerSize = 16 // of a page, and of an element

// Records are the buckets with records. All others are indexes of them.
var Records = []string{
	"workspaces", "keys", "accounts", "webhooks", "posts", "attempts", "answers", "events", "deliveries", "audit", "media",
	"queues", "blackouts", "series", "calendar feeds", "collections", "aliases", "shares", "results", "account results", "sources", "source items",
}

// Read reads a sound file that no other process has open, without the disk reserve
// at its end.
func Read(path string) (f *File, err error) {
	f = new(File)
	if f.data, err = os.ReadFile(path); err != nil {
		return nil, err
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, PreLoadFreelist: true, Timeout: time.Second})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	f.pageSize = db.Info().PageSize
	first := db.Info().Data
	err = db.View(func(tx *bbolt.Tx) error {
		f.data = f.data[:tx.Size()]
		return f.read(tx, first)
	})
	return f, errors.Join(err, db.Close())
}

// read finds all rows and their offsets. The slices of bbolt point into the mapping
// of the file, which starts at first.
func (f *File) read(tx *bbolt.Tx, first uintptr) error {
	f.root, f.freelist = f.pages()
	for _, name := range Records {
		b := tx.Bucket([]byte(name))
		if b == nil {
			continue // an older version of the file
		}
		err := b.ForEach(func(k, v []byte) error {
			at, head := int(uintptr(unsafe.Pointer(&k[0]))-first), [2]int{}
			if at < 0 || at >= len(f.data) { // a copy of a small bucket, which is within a leaf of the root
				var err error
				if at, err = f.inUse(tx, append(bytes.Clone(k), v...)); err != nil {
					return err
				}
			} else {
				head = f.head(at)
			}
			f.Rows = append(f.Rows, Row{Bucket: name, Key: string(k), Record: bytes.Clone(v), at: at, head: head})
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// inUse returns the offset of the bytes in a page that is not free. Free pages may have
// older copies.
func (f *File) inUse(tx *bbolt.Tx, row []byte) (at int, err error) {
	for {
		i := bytes.Index(f.data[at:], row)
		if i < 0 {
			return 0, fmt.Errorf("no page in use has the row %x", row)
		}
		at += i
		page, err := tx.Page(at / f.pageSize)
		if err != nil || page != nil && page.Type != "free" {
			return at, err
		}
		at++
	}
}

// head returns the offsets of the header of the leaf that has the key at an offset,
// and of the element that points to the key.
func (f *File) head(at int) (offsets [2]int) {
	order := binary.NativeEndian
	for page := at / f.pageSize; page > 1; page-- {
		header := f.data[page*f.pageSize:]
		if int(order.Uint64(header)) != page || order.Uint16(header[8:]) != 2 { // the continuation of a leaf
			continue
		}
		for i := range int(order.Uint16(header[10:])) {
			element := page*f.pageSize + headerSize*(1+i)
			if element+int(order.Uint32(f.data[element+4:])) == at {
				return [2]int{page * f.pageSize, element}
			}
		}
		break
	}
	return offsets
}

// pages returns the page ids of the root and of the freelist, from the newer meta
// page.
func (f *File) pages() (root, free int) {
	newest := uint64(0)
	for i := range 2 {
		b, order := f.data[i*f.pageSize+16:], binary.NativeEndian
		if tx := order.Uint64(b[48:]); tx >= newest {
			newest, root, free = tx, int(order.Uint64(b[16:])), int(order.Uint64(b[32:]))
		}
	}
	return root, free
}

// Mutant is a damaged file.
type Mutant struct {
	How    string // the damage, for people
	Data   []byte
	Intact []Row // whose bytes, leaf header and element are unchanged

	// Mapped means that the meta pages, the root and the freelist are unchanged, and that
	// no page was replaced by an older one.
	Mapped bool
}

// Mutant returns a damaged copy of the file. n chooses the way, and r the rest.
func (f *File) Mutant(r *rand.Rand, n int) Mutant {
	b := &breaking{File: f, Rand: r, out: bytes.Clone(f.data)}
	how := ways[n%len(ways)](b)
	return Mutant{How: how, Data: b.out, Intact: f.Intact(b.out), Mapped: !b.stale && f.mapped(b.out)}
}

// Intact returns the rows that are unchanged in data, with the header of their leaf
// and their element. Older copies of a row on free pages do not count.
func (f *File) Intact(data []byte) (rows []Row) {
	for _, row := range f.Rows {
		same := f.same(data, row.at, len(row.Key)+len(row.Record))
		for _, at := range row.head {
			same = same && (at == 0 || f.same(data, at, headerSize))
		}
		if same {
			rows = append(rows, row)
		}
	}
	return rows
}

// same reports whether n bytes at an offset are unchanged.
func (f *File) same(data []byte, at, n int) bool {
	return at+n <= len(data) && bytes.Equal(data[at:at+n], f.data[at:at+n])
}

func (f *File) mapped(data []byte) bool {
	for _, page := range []int{0, 1, f.root, f.freelist} {
		if !f.same(data, page*f.pageSize, f.pageSize) {
			return false
		}
	}
	return true
}

// breaking is a file that is being damaged.
type breaking struct {
	*File
	*rand.Rand
	out   []byte
	stale bool // a page was replaced by an older one
}

// ways are the ways to damage a file.
var ways = []func(*breaking) string{
	(*breaking).flipBytes, (*breaking).zeroPages, (*breaking).cut, (*breaking).swapPages, (*breaking).metaPage,
	(*breaking).bothMetaPages, (*breaking).freelistPage, (*breaking).tornWrite, (*breaking).garbage, (*breaking).payloads,
	(*breaking).pageHeader, (*breaking).rootPage, (*breaking).flipBytes, (*breaking).replacePage, (*breaking).replaceFile,
}

func (b *breaking) page() int { return 2 + b.IntN(len(b.out)/b.pageSize-2) }

func (b *breaking) flip(at int) { b.out[at] ^= byte(1 + b.IntN(255)) }

func (b *breaking) flipBytes() string {
	n := 1 + b.IntN(64)
	for range n {
		b.flip(b.IntN(len(b.out)))
	}
	return fmt.Sprintf("%d bytes flipped", n)
}

func (b *breaking) zeroPages() string {
	pages := make([]int, 1+b.IntN(5))
	for i := range pages {
		pages[i] = b.page()
		clear(b.out[pages[i]*b.pageSize:][:b.pageSize])
	}
	return fmt.Sprint("zeroed pages ", pages)
}

func (b *breaking) cut() string {
	n := b.IntN(len(b.out))
	b.out = b.out[:n]
	return fmt.Sprintf("cut off after %d bytes", n)
}

func (b *breaking) swapPages() string {
	x, y := b.page(), b.page()
	one, other := b.out[x*b.pageSize:][:b.pageSize], b.out[y*b.pageSize:][:b.pageSize]
	saved := slices.Clone(one)
	copy(one, other)
	copy(other, saved)
	return fmt.Sprintf("pages %d and %d swapped", x, y)
}

func (b *breaking) metaPage() string {
	at := b.IntN(2)*b.pageSize + 16 + b.IntN(64)
	b.flip(at)
	return fmt.Sprintf("a meta page flipped at %d", at)
}

func (b *breaking) bothMetaPages() string {
	if b.IntN(2) == 0 {
		clear(b.out[:2*b.pageSize])
		return "both meta pages zeroed"
	}
	b.flip(16 + b.IntN(64))
	b.flip(b.pageSize + 16 + b.IntN(64))
	return "both meta pages flipped"
}

func (b *breaking) freelistPage() string {
	at := b.freelist * b.pageSize
	if b.IntN(4) == 0 {
		clear(b.out[at:][:b.pageSize])
		return "freelist zeroed"
	}
	at += b.IntN(256)
	b.flip(at)
	return fmt.Sprintf("freelist flipped at %d", at)
}

func (b *breaking) tornWrite() string {
	at := b.page()*b.pageSize + 512*(1+b.IntN(7))
	clear(b.out[at:min(at+b.pageSize, len(b.out))])
	return fmt.Sprintf("torn write at %d", at)
}

func (b *breaking) garbage() string {
	n := 1 + b.IntN(3*b.pageSize)
	for range n {
		b.out = append(b.out, byte(b.Uint32()))
	}
	return fmt.Sprintf("%d bytes of garbage at the end", n)
}

// payloads damages records within sound pages.
func (b *breaking) payloads() string {
	n := 1 + b.IntN(20)
	for range n {
		row := b.Rows[b.IntN(len(b.Rows))]
		b.flip(row.at + len(row.Key) + b.IntN(len(row.Record)))
	}
	return fmt.Sprintf("%d records flipped", n)
}

func (b *breaking) pageHeader() string {
	page := b.page()
	for i := range 16 {
		if b.IntN(2) == 0 {
			b.flip(page*b.pageSize + i)
		}
	}
	return fmt.Sprintf("header of page %d", page)
}

func (b *breaking) rootPage() string {
	at := b.root*b.pageSize + b.IntN(b.pageSize)
	b.flip(at)
	return fmt.Sprintf("root page flipped at %d", at)
}

// replacePage copies a page over another, without its id.
func (b *breaking) replacePage() string {
	b.stale = true
	x, y := b.page(), b.page()
	copy(b.out[x*b.pageSize+8:][:b.pageSize-8], b.out[y*b.pageSize+8:])
	return fmt.Sprintf("page %d written over page %d", y, x)
}

// replaceFile leaves nothing of the database.
func (b *breaking) replaceFile() string {
	switch b.IntN(3) {
	case 0:
		b.out = nil
		return "empty"
	case 1:
		b.out = bytes.Repeat([]byte("SQLite format 3\x00, from another program\n"), 1+b.IntN(5000))
		return "replaced by a file in another format"
	}
	for i := range b.out {
		b.out[i] = byte(b.Uint32())
	}
	return "noise"
}
