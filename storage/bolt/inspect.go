package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"runtime/debug"

	bbolt "go.etcd.io/bbolt"
)

// The layout of the two meta pages of a bbolt file, in the byte order of the machine: a
// page header, then the fields of metaPage.
const (
	pageHeaderSize = 16
	metaSize       = 64
	metaMagic      = 0xED0CDAED
	metaVersion    = 2
)

// metaPage has the fields of a meta page.
type metaPage struct {
	pageSize uint32
	root     uint64 // page id of the root
	freelist uint64 // page id of the freelist
	pages    uint64 // number of pages
	tx       uint64 // the transaction that wrote it
}

var errNoMagic = errors.New("it does not start like a bbolt file")

// inspectFile checks that the file is one that bbolt can open: bbolt maps it
// into memory and would crash on reading past its end. It changes nothing.
func inspectFile(path string) error {
	f, err := openRegular(path)
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w; only the user who owns the file may use it", fs.ErrPermission)
	} else if err != nil {
		return err
	}
	defer f.Close()
	m, err := newestMeta(f)
	if errors.Is(err, errNoMagic) {
		return foreign(err.Error() + " (if it should be one, schedctl daemon salvage saves what is left)")
	} else if err != nil {
		return damaged(err.Error())
	}
	info, err := f.Stat() // after the meta pages: a running daemon may have extended it
	if err != nil {
		return err
	}
	if need := int64(m.pages) * int64(m.pageSize); info.Size() < need {
		return damaged(fmt.Sprintf("it is cut off: %d bytes of %d", info.Size(), need))
	}
	return nil
}

// openRegular opens a file for reading, if it is a regular file with content. Other files
// are not opened: a pipe without a writer would block.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, foreign("it is not a regular file")
	case info.Size() == 0:
		return nil, foreign("it is empty")
	}
	return os.Open(path)
}

// newestMeta returns the valid meta page of the latest transaction.
func newestMeta(f io.ReaderAt) (metaPage, error) {
	first, err := readMeta(f, 0)
	if errors.Is(err, errNoMagic) {
		// Without the first page the size of a page is not known.
		for size := int64(1 << 10); size <= 1<<24; size <<= 1 {
			if second, err2 := readMeta(f, size); err2 == nil && int64(second.pageSize) == size {
				return second, nil
			}
		}
		return first, err
	}
	size := int64(os.Getpagesize())
	if err == nil {
		size = int64(first.pageSize)
	}
	second, err2 := readMeta(f, size)
	switch {
	case err != nil && err2 != nil:
		return first, err
	case err != nil || err2 == nil && second.tx > first.tx:
		return second, nil
	}
	return first, nil
}

// inspectMetas returns the damage of a meta page in torn, for a file whose other meta page
// is sound.
func inspectMetas(path string) (torn, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := newestMeta(f)
	if err != nil {
		return nil, damaged(err.Error())
	}
	return tornMeta(f, m), nil
}

// tornMeta returns an error if only one of the meta pages is sound. bbolt then uses the
// state of that one, and the last transaction may be missing.
func tornMeta(f io.ReaderAt, m metaPage) error {
	_, err := readMeta(f, 0)
	if err != nil {
		return fmt.Errorf("page 0: %w", err)
	}
	if _, err = readMeta(f, int64(m.pageSize)); err != nil {
		return fmt.Errorf("page 1: %w", err)
	}
	return nil
}

func readMeta(f io.ReaderAt, at int64) (m metaPage, err error) {
	var page [pageHeaderSize + metaSize]byte
	n, err := f.ReadAt(page[:], at)
	if err != nil && !errors.Is(err, io.EOF) {
		return m, err
	}
	b, order := page[pageHeaderSize:], binary.NativeEndian
	if order.Uint32(b) != metaMagic {
		return m, errNoMagic
	}
	if n < len(page) {
		return m, errors.New("it is cut off in its meta pages")
	}
	sum := fnv.New64a()
	sum.Write(b[:metaSize-8])
	if order.Uint32(b[4:]) != metaVersion || sum.Sum64() != order.Uint64(b[metaSize-8:]) {
		return m, errors.New("its meta pages have a wrong checksum")
	}
	m = metaPage{
		pageSize: order.Uint32(b[8:]), root: order.Uint64(b[16:]), freelist: order.Uint64(b[32:]),
		pages: order.Uint64(b[40:]), tx: order.Uint64(b[48:]),
	}
	if m.pageSize < 1<<9 || m.pageSize&(m.pageSize-1) != 0 || m.pages > 1<<48/uint64(m.pageSize) {
		return m, errors.New("its meta pages are invalid")
	}
	return m, nil
}

// mostLeaves is how many pages of 4 KB a database of 64 MB has.
const mostLeaves = 64 << 20 >> 12

// inspectBuckets checks that the pages of the file are a tree, and that the file is a
// schedctl database of a known version. It opens the file only for reading.
func inspectBuckets(path string, list []migration) error {
	db, err := openBolt(path, &bbolt.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer db.Close() // holds the lock until then
	if err := walkBranches(path, mostLeaves); err != nil {
		return err
	}
	return safely(func() error {
		return db.View(func(tx *bbolt.Tx) error { return inspectVersion(tx, list) })
	})
}

func inspectVersion(tx *bbolt.Tx, list []migration) error {
	version, err := versionOf(tx, list)
	if err != nil || version < len(list) {
		return err
	}
	for b := range bucketCount {
		if tx.Bucket([]byte(bucketNames[b])) == nil {
			return damaged(fmt.Sprintf("its bucket %q is missing", b))
		}
	}
	return nil
}

// safely calls fn on a file that may be damaged, and returns panics of bbolt as errors.
func safely(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = damaged(fmt.Sprint(r))
		}
	}()
	return fn()
}
