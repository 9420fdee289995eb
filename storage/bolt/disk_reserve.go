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
	// reserveSize is the room that is kept for Records. The end of a call comes to a
	// few kilobytes, and a thousand calls can be in flight; and a large group of
	// Updates may have taken of it before it is looked at.
	reserveSize = 8 << 20

	// The file is given room in steps of a quarter of what it holds, within
	// these.
	minStep, maxStep = 1 << 20, 16 << 20

	// probeSize is how much is written to learn whether a disk is full.
	probeSize = 256 << 10

	// checkInterval is how often a disk that is full is asked for room.
	checkInterval = 500 * time.Millisecond
)

// diskReserve sees to it that the disk has blocks for what is written next. A file grows
// by holes, so that a full disk would be met in the middle of a commit, and by
// whoever comes first. Blocks that the file has cannot be taken by another
// program: while at least reserved of them, or of free pages, are left, all is
// well; with less, and a disk that gives no more, Updates are refused and the
// rest is for Records.
//
// Where blocks have to be had anew to be written over, as on file systems that
// copy on write, the disk can be full all the same. A commit that meets that
// makes the store full until it could be seen that writing works.
type diskReserve struct {
	file     *os.File
	log      *slog.Logger
	dir      string
	allocate func(f *os.File, from, to int64) error // reserveBlocks, or a test's
	retry    func()                                 // has the writer look again
	interval time.Duration                          // lookEvery, or a test's

	full atomic.Pointer[storage.FullError]

	// The rest is the writer's alone.
	allocatedTo int64     // the file has blocks from its last page in use to here
	refusedAt   time.Time // when the disk gave nothing; zero when it gave all
	probedAt    time.Time // when a commit had failed for a reason that was not clear
	mustProbe   bool      // a commit met a full disk: only writing shows that it is not
	timer       *time.Timer
}

func newDiskReserve(path string, log *slog.Logger, retry func()) (*diskReserve, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	return &diskReserve{file: f, log: log, dir: filepath.Dir(path), allocate: reserveBlocks, retry: retry, interval: checkInterval}, nil
}

// check returns why Updates are to be refused, or nil. used is how long the part
// of the file is that holds pages; nothing may be writing behind it.
func (r *diskReserve) check(used int64) *storage.FullError {
	full := r.full.Load()
	if full == nil && r.allocatedTo-used >= reserveSize {
		return nil
	}
	if !r.refusedAt.IsZero() && time.Since(r.refusedAt) < r.interval {
		return full
	}
	err := r.grow(used)
	switch {
	case err != nil:
		r.markFull(err)
	case full != nil:
		r.full.Store(nil)
		r.log.Info("disk has space again, writes are taken", "dir", r.dir)
	}
	return r.full.Load()
}

// markFull notes that there is no room and looks again by itself.
func (r *diskReserve) markFull(err error) {
	if r.full.Load() == nil {
		r.log.Error("disk full: writes are refused and nothing new is published until there is space; what is under way is recorded",
			"dir", r.dir, "error", err)
		r.full.Store(&storage.FullError{Where: r.dir, Err: err})
	}
	if r.timer == nil {
		r.timer = time.AfterFunc(r.interval, r.retry)
	} else {
		r.timer.Reset(r.interval)
	}
}

// commitFailed returns the error of a commit, or what tells that the disk was full,
// when it was. Not every error of bbolt's shows that, and so it is tried, though
// not for each on a disk that has other troubles.
func (r *diskReserve) commitFailed(err error, used int64) error {
	cause := err
	if !noSpace(cause) && time.Since(r.probedAt) >= r.interval {
		r.probedAt = time.Now()
		cause = writeZeros(r.file, used, used+probeSize)
	}
	if !noSpace(cause) {
		return err
	}
	r.mustProbe, r.refusedAt = true, time.Now()
	r.markFull(cause)
	return r.full.Load()
}

// grow gives the file room behind what is used, unless there is enough within.
func (r *diskReserve) grow(used int64) error {
	if r.mustProbe {
		err := writeZeros(r.file, used, used+reserveSize)
		if r.refusedAt = time.Now(); err == nil {
			r.mustProbe = false
			r.markAllocated(used + reserveSize)
		}
		return err
	}
	from := max(used, r.allocatedTo)
	step := min(max(used/4, minStep), maxStep)
	var err error
	for _, to := range []int64{used + reserveSize + step, used + reserveSize} {
		if err = r.allocate(r.file, from, to); !noSpace(err) {
			r.markAllocated(to)
			return nil // another error is for a commit to meet
		}
	}
	r.refusedAt = time.Now()
	if max(r.allocatedTo-used, 0)+freePages(r.file) >= reserveSize {
		return nil
	}
	return err
}

// markAllocated notes that the file has blocks up to a place.
func (r *diskReserve) markAllocated(to int64) {
	r.allocatedTo, r.refusedAt = max(r.allocatedTo, to), time.Time{}
}

func (r *diskReserve) close() {
	if r.timer != nil {
		r.timer.Stop()
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
