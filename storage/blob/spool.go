package blob

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/filelock"
)

// spoolPrefix is the start of the names of temporary files.
const spoolPrefix = "spool-"

// spoolLife is the age after which a spool is removed if its file system has no locks. An
// upload takes less.
const spoolLife = 24 * time.Hour

// Spool is a temporary file with the bytes of one blob. It hashes and counts them while
// they are written. Write and Close must be called by one goroutine at a time; all other
// methods may be called concurrently between writes.
type Spool struct {
	file   *os.File
	hash   hash.Hash
	size   int64
	limit  int64
	grow   func(size int64) error // nil for none
	err    error                  // of an earlier write
	synced bool                   // the file is on disk
	ended  bool                   // the file is closed
	moved  bool                   // the file is now a blob
	closed bool
}

var (
	_ io.Writer   = (*Spool)(nil)
	_ io.ReaderAt = (*Spool)(nil)
)

// NewSpool returns an empty spool in a directory. It is for engines; others use
// [Store.Spool]. Only this user can read the file. It is locked, which tells
// [CleanSpools] that its process has not ended.
func NewSpool(dir string) (*Spool, error) {
	for {
		f, err := os.CreateTemp(dir, spoolPrefix+"*") // mode 0600
		if err != nil {
			return nil, fullError(dir, fmt.Errorf("create a temporary file: %w", err))
		}
		filelock.Lock(f, filelock.Exclusive) // without locks, the age of the file counts
		if removedAtOnce(f) {
			f.Close()
			continue
		}
		return &Spool{file: f, hash: sha256.New(), limit: math.MaxInt64}, nil
	}
}

// removedAtOnce reports whether CleanSpools has removed a new file before it was locked.
func removedAtOnce(f *os.File) bool {
	_, err := os.Lstat(f.Name())
	return errors.Is(err, fs.ErrNotExist)
}

// SetLimit sets the largest size in bytes. A new spool has no limit. The limit may be
// changed at any time, for example when the first bytes have shown the type.
func (s *Spool) SetLimit(size int64) { s.limit = size }

// OnGrow sets a function that is called before the spool grows to a size. Its error ends
// all writing, as the limit does.
func (s *Spool) OnGrow(f func(size int64) error) { s.grow = f }

// checkSize sets the error of a spool that must not grow by so many bytes, and returns it.
func (s *Spool) checkSize(more int) error {
	switch {
	case s.err != nil:
	case int64(more) > s.limit-s.size:
		s.err = fmt.Errorf("%w: it has more than %d bytes", ErrTooLarge, s.limit)
	case s.grow != nil && more > 0:
		s.err = s.grow(s.size + int64(more))
	}
	return s.err
}

// Write appends bytes. It returns [ErrTooLarge], and writes nothing, when the limit would
// be exceeded, and a [*storage.FullError] when the disk is full. After an error the spool
// is useless.
func (s *Spool) Write(b []byte) (int, error) {
	if err := s.checkSize(len(b)); err != nil {
		return 0, err
	}
	n, err := s.file.Write(b)
	s.hash.Write(b[:n])
	s.size += int64(n)
	if err != nil {
		s.err = fullError(filepath.Dir(s.file.Name()), err)
	}
	return n, s.err
}

// ReadAt reads bytes that were written before. It fails after a successful Put of an
// engine that keeps the file.
func (s *Spool) ReadAt(b []byte, offset int64) (int, error) { return s.file.ReadAt(b, offset) }

// Reader returns a reader of all bytes written so far.
func (s *Spool) Reader() *io.SectionReader { return io.NewSectionReader(s, 0, s.size) }

// Size returns the number of bytes written so far.
func (s *Spool) Size() int64 { return s.size }

// Key returns the SHA-256 of the bytes written so far.
func (s *Spool) Key() Key { return Key(s.hash.Sum(nil)) }

// Err returns the error of an earlier write. Engines must not store a spool with an
// error: its bytes are incomplete.
func (s *Spool) Err() error { return s.err }

// Sync writes the file to disk.
func (s *Spool) Sync() error {
	if s.synced {
		return nil
	}
	if err := s.file.Sync(); err != nil {
		return fullError(filepath.Dir(s.file.Name()), err)
	}
	s.synced = true
	return nil
}

// MoveTo syncs the file to disk, renames it to path, which must be in the same file
// system, and closes it. It is for engines whose blobs are files. The time of
// modification is now. After an error it can be called again.
func (s *Spool) MoveTo(path string) error {
	if err := s.Sync(); err != nil {
		return err
	}
	now := time.Now()
	err := os.Chtimes(s.file.Name(), now, now)
	if err == nil && runtime.GOOS == "windows" { // it renames no open files
		err = s.end()
	}
	if err == nil {
		err = os.Rename(s.file.Name(), path)
	}
	if err != nil {
		return fullError(filepath.Dir(path), err)
	}
	s.moved = true
	s.end() // the bytes are on disk
	return nil
}

// end closes the file, which also ends its lock.
func (s *Spool) end() error {
	if s.ended {
		return nil
	}
	s.ended = true
	return s.file.Close()
}

// Close closes the spool, and removes the file unless it became a blob. Further calls do
// nothing.
func (s *Spool) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	err := s.end()
	if !s.moved {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	return err
}

// CleanSpools creates a directory for spools if it is missing, and removes the spools of
// processes that have ended without removing them: those that are not locked. Several
// processes may use the directory. On a file system without locks, a spool is removed a
// day after it was last written.
func CleanSpools(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fullError(dir, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), spoolPrefix) || !e.Type().IsRegular() {
			continue
		}
		if err := cleanSpool(filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// cleanSpool removes a spool unless its process uses it.
func cleanSpool(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	abandoned, err := filelock.TryLock(f, filelock.Exclusive)
	if err != nil {
		info, err := f.Stat()
		abandoned = err == nil && time.Since(info.ModTime()) > spoolLife
	}
	if !abandoned {
		return nil
	}
	if runtime.GOOS == "windows" { // it removes no open files
		f.Close()
	}
	return os.Remove(path)
}

// fullError wraps the error of a full disk in a [*storage.FullError], and returns other
// errors unchanged.
func fullError(dir string, err error) error {
	if storage.IsDiskFull(err) {
		return &storage.FullError{Where: dir, Err: err}
	}
	return err
}
