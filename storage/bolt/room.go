package bolt

import (
	"encoding/binary"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl/storage"
)

const (
	// reserved is the room that is kept for Records. The end of a call comes to a
	// few kilobytes, and a thousand calls can be in flight; and a large group of
	// Updates may have taken of it before it is looked at.
	reserved = 8 << 20

	// The file is given room in steps of a quarter of what it holds, within
	// these.
	minStep, maxStep = 1 << 20, 16 << 20

	// trial is how much is written to learn whether a disk is full.
	trial = 256 << 10

	// lookEvery is how often a disk that is full is asked for room.
	lookEvery = 500 * time.Millisecond
)

// room sees to it that the disk has blocks for what is written next. A file grows
// by holes, so that a full disk would be met in the middle of a commit, and by
// whoever comes first. Blocks that the file has cannot be taken by another
// program: while at least reserved of them, or of free pages, are left, all is
// well; with less, and a disk that gives no more, Updates are refused and the
// rest is for Records.
//
// Where blocks have to be had anew to be written over, as on file systems that
// copy on write, the disk can be full all the same. A commit that meets that
// makes the store full until it could be seen that writing works.
type room struct {
	file    *os.File
	log     *slog.Logger
	where   string
	reserve func(f *os.File, from, to int64) error // reserveBlocks, or a test's
	retry   func()                                 // has the writer look again
	every   time.Duration                          // lookEvery, or a test's

	full atomic.Pointer[storage.FullError]

	// The rest is the writer's alone.
	upTo    int64     // the file has blocks from its last page in use to here
	looked  time.Time // when the disk gave nothing; zero when it gave all
	tried   time.Time // when a commit had failed for a reason that was not clear
	doubted bool      // a commit met a full disk: only writing shows that it is not
	again   *time.Timer
}

func newRoom(path string, log *slog.Logger, retry func()) (*room, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	return &room{file: f, log: log, where: filepath.Dir(path), reserve: reserveBlocks, retry: retry, every: lookEvery}, nil
}

// look returns why Updates are to be refused, or nil. used is how long the part
// of the file is that holds pages; nothing may be writing behind it.
func (r *room) look(used int64) *storage.FullError {
	full := r.full.Load()
	if full == nil && r.upTo-used >= reserved {
		return nil
	}
	if !r.looked.IsZero() && time.Since(r.looked) < r.every {
		return full
	}
	err := r.extend(used)
	switch {
	case err != nil:
		r.lacks(err)
	case full != nil:
		r.full.Store(nil)
		r.log.Info("disk has space again, writes are taken", "dir", r.where)
	}
	return r.full.Load()
}

// lacks notes that there is no room and looks again by itself.
func (r *room) lacks(err error) {
	if r.full.Load() == nil {
		r.log.Error("disk full: writes are refused and nothing new is published until there is space; what is under way is recorded",
			"dir", r.where, "error", err)
		r.full.Store(&storage.FullError{Where: r.where, Err: err})
	}
	if r.again == nil {
		r.again = time.AfterFunc(r.every, r.retry)
	} else {
		r.again.Reset(r.every)
	}
}

// failed returns the error of a commit, or what tells that the disk was full,
// when it was. Not every error of bbolt's shows that, and so it is tried, though
// not for each on a disk that has other troubles.
func (r *room) failed(err error, used int64) error {
	cause := err
	if !noSpace(cause) && time.Since(r.tried) >= r.every {
		r.tried = time.Now()
		cause = writeZeros(r.file, used, used+trial)
	}
	if !noSpace(cause) {
		return err
	}
	r.doubted, r.looked = true, time.Now()
	r.lacks(cause)
	return r.full.Load()
}

// extend gives the file room behind what is used, unless there is enough within.
func (r *room) extend(used int64) error {
	if r.doubted {
		err := writeZeros(r.file, used, used+reserved)
		if r.looked = time.Now(); err == nil {
			r.doubted = false
			r.given(used + reserved)
		}
		return err
	}
	from := max(used, r.upTo)
	step := min(max(used/4, minStep), maxStep)
	var err error
	for _, to := range []int64{used + reserved + step, used + reserved} {
		if err = r.reserve(r.file, from, to); !noSpace(err) {
			r.given(to)
			return nil // another error is for a commit to meet
		}
	}
	r.looked = time.Now()
	if max(r.upTo-used, 0)+freePages(r.file) >= reserved {
		return nil
	}
	return err
}

// given notes that the file has blocks up to a place.
func (r *room) given(to int64) { r.upTo, r.looked = max(r.upTo, to), time.Time{} }

func (r *room) close() {
	if r.again != nil {
		r.again.Stop()
	}
	r.file.Close() // nothing is written by it that a commit relies on
}

// freePages returns how many bytes there are in pages that hold nothing, 0 when
// it cannot be told. They are listed in the file in a page of its own.
func freePages(f io.ReaderAt) int64 {
	m, err := newestMeta(f)
	if err != nil {
		return 0
	}
	var page [pageHeaderSize + 8]byte
	if _, err := f.ReadAt(page[:], int64(m.freelist)*int64(m.pageSize)); err != nil {
		return 0
	}
	n := uint64(binary.NativeEndian.Uint16(page[10:]))
	if n == 0xFFFF { // it does not fit there, and comes first in the list
		n = binary.NativeEndian.Uint64(page[pageHeaderSize:])
	}
	return int64(min(n, m.pages)) * int64(m.pageSize)
}

// writeZeros fills a part of the file that holds nothing, and so finds out
// whether there is room for it.
func writeZeros(f *os.File, from, to int64) error {
	zeros := make([]byte, 256<<10)
	for from < to {
		n, err := f.WriteAt(zeros[:min(int64(len(zeros)), to-from)], from)
		if err != nil {
			return err
		}
		from += int64(n)
	}
	return f.Sync()
}
