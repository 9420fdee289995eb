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
	"strings"
	"time"

	"github.com/schedctl/schedctl/storage"
)

// spoolPrefix is the start of the names of temporary files.
const spoolPrefix = "spool-"

// spoolLife is the age after which the spool of a process that has ended is removed. An
// upload takes less.
const spoolLife = 24 * time.Hour

// Spool is a temporary file with the bytes of one blob. It hashes and counts them while
// they are written. Write and Close must be called by one goroutine at a time; all other
// methods may be called concurrently between writes.
type Spool struct {
	file     *os.File
	hash     hash.Hash
	size     int64
	limit    int64
	err      error // of an earlier write
	finished bool  // the file is on disk and closed
	moved    bool  // the file is now a blob
	closed   bool
}

var (
	_ io.Writer   = (*Spool)(nil)
	_ io.ReaderAt = (*Spool)(nil)
)

// NewSpool returns an empty spool in a directory. It is for engines; others use
// [Store.Spool]. Only this user can read the file.
func NewSpool(dir string) (*Spool, error) {
	f, err := os.CreateTemp(dir, spoolPrefix+"*") // mode 0600
	if err != nil {
		return nil, fullError(dir, fmt.Errorf("create a temporary file: %w", err))
	}
	return &Spool{file: f, hash: sha256.New(), limit: math.MaxInt64}, nil
}

// SetLimit sets the largest size in bytes. A new spool has no limit. The limit may be
// changed at any time, for example when the first bytes have shown the type.
func (s *Spool) SetLimit(size int64) { s.limit = size }

// Write appends bytes. It returns [ErrTooLarge], and writes nothing, when the limit would
// be exceeded, and a [*storage.FullError] when the disk is full. After an error the spool
// is useless.
func (s *Spool) Write(b []byte) (int, error) {
	switch {
	case s.err != nil:
		return 0, s.err
	case int64(len(b)) > s.limit-s.size:
		s.err = fmt.Errorf("%w: it has more than %d bytes", ErrTooLarge, s.limit)
		return 0, s.err
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

// MoveTo syncs the file to disk, closes it and renames it to path, which must be in the
// same file system. It is for engines whose blobs are files. The time of modification is
// now. After an error it can be called again.
func (s *Spool) MoveTo(path string) error {
	err := s.finish()
	if err == nil {
		err = os.Rename(s.file.Name(), path)
	}
	if err != nil {
		return fullError(filepath.Dir(path), err)
	}
	s.moved = true
	return nil
}

// finish syncs and closes the file. Windows renames no open files.
func (s *Spool) finish() error {
	now := time.Now()
	if err := os.Chtimes(s.file.Name(), now, now); err != nil || s.finished {
		return err
	}
	if err := s.file.Sync(); err != nil {
		return err
	}
	s.finished = true
	return s.file.Close()
}

// Close closes the spool, and removes the file unless it became a blob. Further calls do
// nothing.
func (s *Spool) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	var err error
	if !s.finished {
		err = s.file.Close()
	}
	if !s.moved {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	return err
}

// CleanSpools creates a directory for spools if it is missing, and removes spools that
// were last written more than a day ago: the process that wrote them has ended without
// removing them.
func CleanSpools(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fullError(dir, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), spoolPrefix) {
			continue
		}
		info, err := e.Info()
		if err == nil && time.Since(info.ModTime()) > spoolLife {
			err = os.Remove(filepath.Join(dir, e.Name()))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// fullError wraps the error of a full disk in a [*storage.FullError], and returns other
// errors unchanged.
func fullError(dir string, err error) error {
	if storage.IsDiskFull(err) {
		return &storage.FullError{Where: dir, Err: err}
	}
	return err
}
