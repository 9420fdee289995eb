package mediafile

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
)

const (
	// windowSize is how many bytes of a file are in memory at a time.
	windowSize = 32 << 10

	// firstRead is how many bytes a window reads after a jump. It reads twice as many
	// each time that the next read is at most closeBytes away, up to windowSize. So a file
	// of many small parts takes few reads, and one of large parts reads little of them.
	firstRead  = 1 << 10
	closeBytes = 4 << 10
)

// window reads a file of any size through one buffer. A walk that skips the data of
// parts reads little more than their headers, and one that reads all bytes does so in
// few reads.
type window struct {
	ctx   context.Context // of the walk
	r     io.ReaderAt
	size  int64
	start int64  // offset of buf in the file
	buf   []byte // the bytes that were read last
	ahead int    // how many bytes the last load read
}

// at returns n bytes at an offset, at most windowSize. They are valid until the next
// call. A file that ends before them is truncated: part names what the bytes belong to.
func (w *window) at(off int64, n int, part string) ([]byte, error) {
	if !w.has(off, n) {
		return nil, truncated(w.size, "%s", part)
	}
	if off < w.start || off+int64(n) > w.start+int64(len(w.buf)) {
		if err := w.load(off, n); err != nil {
			return nil, err
		}
	}
	return w.buf[off-w.start:][:n], nil
}

// has reports whether the file has n bytes at an offset.
func (w *window) has(off int64, n int) bool {
	return off >= 0 && off <= w.size && int64(n) <= w.size-off
}

// named is at for a part with a name. It builds the text of the part only if it is
// needed, because a file can have millions of parts.
func (w *window) named(off int64, n int, kind, name string) ([]byte, error) {
	if !w.has(off, n) {
		return nil, truncated(w.size, "the %s %s", kind, name)
	}
	return w.at(off, n, kind)
}

// rest returns the bytes from an offset to the end of the buffer, at least one. It is
// for reading long parts in order.
func (w *window) rest(off int64, part string) ([]byte, error) {
	if _, err := w.at(off, 1, part); err != nil {
		return nil, err
	}
	return w.buf[off-w.start:], nil
}

// load fills the buffer from an offset on, with n bytes at least. It fails once the
// context of the walk has ended.
func (w *window) load(off int64, n int) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	gap := max(off-w.start-int64(len(w.buf)), w.start-off)
	if len(w.buf) == 0 || gap > closeBytes {
		w.ahead = firstRead
	} else {
		w.ahead *= 2
	}
	w.ahead = min(max(w.ahead, n), windowSize)
	length := int(min(int64(w.ahead), w.size-off))
	if cap(w.buf) < length {
		w.buf = make([]byte, length)
	}
	w.buf, w.start = w.buf[:length], off
	if n, err := w.r.ReadAt(w.buf, off); n < len(w.buf) {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		w.buf = w.buf[:0]
		return fmt.Errorf("read media file at byte %d: %w", off, err)
	}
	return nil
}

// uint16BE and uint64BE read numbers with the high byte first.
func (w *window) uint16BE(off int64, part string) (int, error) {
	b, err := w.at(off, 2, part)
	if err != nil {
		return 0, err
	}
	return int(binary.BigEndian.Uint16(b)), nil
}

func (w *window) uint64BE(off int64, part string) (uint64, error) {
	b, err := w.at(off, 8, part)
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint64(b), nil
}

// hasPrefix reports whether the n bytes at an offset start with a prefix.
func (w *window) hasPrefix(off, n int64, prefix string) bool {
	if int64(len(prefix)) > n {
		return false
	}
	b, err := w.at(off, len(prefix), "")
	return err == nil && string(b) == prefix
}

// skipBytes returns the offset of the first byte in [off, end) that is not in set, or end.
func (w *window) skipBytes(off, end int64, set string) (int64, error) {
	for off < end {
		b, err := w.rest(off, "")
		if err != nil {
			return 0, err
		}
		b = b[:min(int64(len(b)), end-off)]
		trimmed := bytes.TrimLeft(b, set)
		off += int64(len(b) - len(trimmed))
		if len(trimmed) > 0 {
			return off, nil
		}
	}
	return end, nil
}
