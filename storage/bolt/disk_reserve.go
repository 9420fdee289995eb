package bolt

import (
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl/storage"
)

const (
	// reserveSize is the space for UpdateFromReserve, in bytes. The result of a request
	// has a few kilobytes, and a thousand requests can be running. A large group of
	// Updates may also use some of it before the next check.
	reserveSize = 8 << 20

	// The file grows by a quarter of its used length, within these bounds.
	minStep, maxStep = 1 << 20, 16 << 20

	// probeSize is the number of bytes written to test whether the disk is full.
	probeSize = 256 << 10

	// checkInterval is the time between checks of a full disk.
	checkInterval = 500 * time.Millisecond
)

// diskReserve allocates blocks of the file before they are written. A file grows sparse, so
// without it a commit could fail in the middle on a full disk. Other programs cannot take
// allocated blocks. If fewer than reserveSize bytes are left in them and in long runs of free
// pages, and the disk has no more, Updates are refused and only UpdateFromReserve can write.
//
// On file systems that copy on write, overwriting a block needs a new one, so a commit can
// still fail. The store is then full until a test write succeeds.
type diskReserve struct {
	file     *os.File
	log      *slog.Logger
	dir      string
	allocate func(f *os.File, from, to int64) error // reserveBlocks, or a test's
	retry    func()                                 // makes the writer check again
	interval time.Duration                          // checkInterval, or a test's

	full atomic.Pointer[storage.FullError]

	// The following fields belong to the writer.
	allocatedTo int64     // the file has blocks from its last page in use to here
	refusedAt   time.Time // when the disk last refused space; zero after a success
	refusal     error     // why it did
	probedAt    time.Time // the last test write after a commit failed for an unclear reason
	mustProbe   bool      // a commit found the disk full: only a test write shows that it has space
	timer       *time.Timer
}

func newDiskReserve(path string, log *slog.Logger, retry func()) (*diskReserve, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	return &diskReserve{file: f, log: log, dir: filepath.Dir(path), allocate: reserveBlocks, retry: retry, interval: checkInterval}, nil
}

// check returns the reason to refuse Updates, or nil. used is the length of the file with
// pages, pending the size of the freed pages in it that a reader may still need. No other
// goroutine may write after it.
func (r *diskReserve) check(used, pending int64) *storage.FullError {
	full := r.full.Load()
	if full == nil && r.allocatedTo-used >= reserveSize {
		return nil
	}
	if !r.refusedAt.IsZero() && time.Since(r.refusedAt) < r.interval {
		if full == nil && !r.enough(used, pending) {
			r.markFull(r.refusal)
		}
		return r.full.Load()
	}
	err := r.grow(used, pending)
	switch {
	case err != nil:
		r.markFull(err)
	case full != nil:
		r.full.Store(nil)
		r.log.Info("disk has space again, writes are accepted", "dir", r.dir)
	}
	return r.full.Load()
}

// markFull marks the store as full and starts the timer of the next check.
func (r *diskReserve) markFull(err error) {
	if r.full.Load() == nil {
		r.log.Error("disk full: writes are refused and no post is published until there is space; running requests are recorded",
			"dir", r.dir, "error", err)
		r.full.Store(&storage.FullError{Where: r.dir, Err: err})
	}
	if r.timer == nil {
		r.timer = time.AfterFunc(r.interval, r.retry)
	} else {
		r.timer.Reset(r.interval)
	}
}

// commitFailed returns the error of a failed commit, or a [*storage.FullError] if the disk is
// full. Not every error of bbolt shows that, so a test write finds out, at most once in
// an interval.
func (r *diskReserve) commitFailed(err error, used int64) error {
	cause := err
	if !storage.IsDiskFull(cause) && time.Since(r.probedAt) >= r.interval {
		r.probedAt = time.Now()
		cause = writeZeros(r.file, used, used+probeSize)
	}
	if !storage.IsDiskFull(cause) {
		return err
	}
	r.mustProbe, r.refusedAt, r.refusal = true, time.Now(), cause
	r.markFull(cause)
	return r.full.Load()
}

// grow allocates blocks after the used part of the file, unless enough pages are free.
func (r *diskReserve) grow(used, pending int64) error {
	if r.mustProbe {
		err := writeZeros(r.file, used, used+reserveSize)
		if r.refusedAt, r.refusal = time.Now(), err; err == nil {
			r.mustProbe = false
			r.markAllocated(used + reserveSize)
		}
		return err
	}
	from := max(used, r.allocatedTo)
	step := min(max(used/4, minStep), maxStep)
	var err error
	for _, to := range []int64{used + reserveSize + step, used + reserveSize} {
		if err = r.allocate(r.file, from, to); !storage.IsDiskFull(err) {
			r.markAllocated(to)
			return nil // the commit reports any other error
		}
	}
	r.refusedAt, r.refusal = time.Now(), err
	if r.enough(used, pending) {
		return nil
	}
	return err
}

// enough reports whether the file has space for the reserve without new blocks.
func (r *diskReserve) enough(used, pending int64) bool {
	left := max(r.allocatedTo-used, 0)
	return left >= reserveSize || left+freeRuns(r.file, reserveSize+pending)-pending >= reserveSize
}

// markAllocated records that the file has blocks up to an offset.
func (r *diskReserve) markAllocated(to int64) {
	r.allocatedTo, r.refusedAt = max(r.allocatedTo, to), time.Time{}
}

func (r *diskReserve) close() {
	if r.timer != nil {
		r.timer.Stop()
	}
	r.file.Close() // no commit relies on its writes
}

// writeZeros writes zeros to an unused part of the file, which fails if the disk is full.
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
