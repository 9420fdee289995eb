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

// Row is one record of a sound file.
type Row struct {
	Bucket string
	Key    string
	Record []byte

	at int // where key and record are in the file
}

// File is a sound database file.
type File struct {
	Rows []Row // of all buckets with records

	data     []byte
	pageSize int
	root     int // pages
	freelist int
}

// Records are the buckets that hold records; the others follow from them.
var Records = []string{
	"workspaces", "keys", "accounts", "webhooks", "posts", "attempts", "answers", "events", "deliveries", "audit",
}

// Read reads a sound file that nothing else has open, without the room that it
// has to grow.
func Read(path string) (f *File, err error) {
	f = new(File)
	if f.data, err = os.ReadFile(path); err != nil {
		return nil, err
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
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

// read finds all rows, and where they are: what bbolt hands out points into the
// mapping of the file, which begins at first.
func (f *File) read(tx *bbolt.Tx, first uintptr) error {
	f.root, f.freelist = f.pages()
	for _, name := range Records {
		b := tx.Bucket([]byte(name))
		if b == nil {
			continue // an older version had none
		}
		err := b.ForEach(func(k, v []byte) error {
			at := int(uintptr(unsafe.Pointer(&k[0])) - first)
			if at < 0 || at >= len(f.data) { // a copy of a small bucket, which is within the root page
				root := f.root * f.pageSize
				at = root + bytes.Index(f.data[root:], append(bytes.Clone(k), v...))
			}
			f.Rows = append(f.Rows, Row{Bucket: name, Key: string(k), Record: bytes.Clone(v), at: at})
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// pages returns the pages of the root and of the list of free ones, which the
// newer of the two first pages names.
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

// Mutant is a file that was broken.
type Mutant struct {
	How    string // for people
	Data   []byte
	Intact []Row // whose bytes are as they were
}

// Mutant breaks the file in one of many ways, which n and the random numbers
// choose.
func (f *File) Mutant(r *rand.Rand, n int) Mutant {
	b := &breaking{File: f, Rand: r, out: bytes.Clone(f.data)}
	how := ways[n%len(ways)](b)
	return Mutant{How: how, Data: b.out, Intact: f.intact(b.out, b.moved)}
}

// Intact returns the rows that are in data where they are in the file. Older copies
// of them, on pages that are free, are not the rows.
func (f *File) Intact(data []byte) []Row { return f.intact(data, nil) }

// intact is [File.Intact] when pages are elsewhere.
func (f *File) intact(data []byte, moved map[int]int) (rows []Row) {
	for _, row := range f.Rows {
		at := row.at
		if to, ok := moved[at/f.pageSize]; ok {
			at += (to - at/f.pageSize) * f.pageSize
		}
		end := at + len(row.Key) + len(row.Record)
		if end <= len(data) && string(data[at:at+len(row.Key)]) == row.Key && bytes.Equal(data[at+len(row.Key):end], row.Record) {
			rows = append(rows, row)
		}
	}
	return rows
}

// breaking is a file that is being broken.
type breaking struct {
	*File
	*rand.Rand
	out   []byte
	moved map[int]int // pages that are elsewhere
}

// ways are the ways to break a file.
var ways = []func(*breaking) string{
	(*breaking).flipBytes, (*breaking).zeroPages, (*breaking).cut, (*breaking).swapPages, (*breaking).firstPage,
	(*breaking).bothFirstPages, (*breaking).freeList, (*breaking).tornWrite, (*breaking).garbage, (*breaking).payloads,
	(*breaking).pageHead, (*breaking).rootPage, (*breaking).flipBytes, (*breaking).stale, (*breaking).elsewise,
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
	kept := slices.Clone(one)
	copy(one, other)
	copy(other, kept)
	b.moved = map[int]int{x: y, y: x}
	return fmt.Sprintf("pages %d and %d swapped", x, y)
}

func (b *breaking) firstPage() string {
	at := b.IntN(2)*b.pageSize + 16 + b.IntN(64)
	b.flip(at)
	return fmt.Sprintf("a first page flipped at %d", at)
}

func (b *breaking) bothFirstPages() string {
	if b.IntN(2) == 0 {
		clear(b.out[:2*b.pageSize])
		return "both first pages zeroed"
	}
	b.flip(16 + b.IntN(64))
	b.flip(b.pageSize + 16 + b.IntN(64))
	return "both first pages flipped"
}

func (b *breaking) freeList() string {
	at := b.freelist * b.pageSize
	if b.IntN(4) == 0 {
		clear(b.out[at:][:b.pageSize])
		return "list of free pages zeroed"
	}
	at += b.IntN(256)
	b.flip(at)
	return fmt.Sprintf("list of free pages flipped at %d", at)
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

// payloads breaks records within pages that are sound.
func (b *breaking) payloads() string {
	n := 1 + b.IntN(20)
	for range n {
		row := b.Rows[b.IntN(len(b.Rows))]
		b.flip(row.at + len(row.Key) + b.IntN(len(row.Record)))
	}
	return fmt.Sprintf("%d records flipped", n)
}

func (b *breaking) pageHead() string {
	page := b.page()
	for i := range 16 {
		if b.IntN(2) == 0 {
			b.flip(page*b.pageSize + i)
		}
	}
	return fmt.Sprintf("head of page %d", page)
}

func (b *breaking) rootPage() string {
	at := b.root*b.pageSize + b.IntN(b.pageSize)
	b.flip(at)
	return fmt.Sprintf("root page flipped at %d", at)
}

// stale puts a page in the place of another, with the head that belongs there.
func (b *breaking) stale() string {
	x, y := b.page(), b.page()
	copy(b.out[x*b.pageSize+8:][:b.pageSize-8], b.out[y*b.pageSize+8:])
	return fmt.Sprintf("page %d written over page %d", y, x)
}

// elsewise makes no database of it at all.
func (b *breaking) elsewise() string {
	switch b.IntN(3) {
	case 0:
		b.out = nil
		return "empty"
	case 1:
		b.out = bytes.Repeat([]byte("SQLite format 3\x00, and what another program writes\n"), 1+b.IntN(5000))
		return "a file of another program"
	}
	for i := range b.out {
		b.out[i] = byte(b.Uint32())
	}
	return "noise"
}
