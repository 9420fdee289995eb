package blob

import (
	"errors"
	"io"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// pieceSize is how many bytes ReadFrom reads, writes and hashes at once, at most, and
	// maxPieces how many such pieces are in memory.
	pieceSize = 1 << 20
	maxPieces = 4

	// ReadFrom does not wait longer than pieceWait for a full piece if it has minPiece
	// bytes. A network delivers bytes slowly, and short pieces delay other requests less:
	// the daemon hashes and writes each piece without a pause.
	minPiece  = 64 << 10
	pieceWait = time.Millisecond

	// writeBehind is after how many bytes ReadFrom asks the system to write them to disk.
	// The sync at the end then has little left to wait for.
	writeBehind = 4 << 20
)

var pieces = sync.Pool{New: func() any { return new([pieceSize]byte) }}

// ReadFrom appends the bytes of r, with the errors of Write and of r. It writes and
// hashes a large file while it reads the next bytes, in other goroutines, which have
// ended when it returns. It reads r only in this goroutine, and uses 4 MB of memory at most.
func (s *Spool) ReadFrom(r io.Reader) (n int64, err error) {
	first := pieces.Get().(*[pieceSize]byte)
	count, err := readPiece(r, first)
	if err != nil { // the end of r is in the first piece, or there is an error
		defer pieces.Put(first)
		written, failed := s.Write(first[:count])
		return int64(written), errors.Join(failed, notEOF(err))
	}
	c := &spoolCopy{spool: s, writes: make(chan piece, maxPieces), hashes: make(chan piece, maxPieces), free: make(chan *[pieceSize]byte, maxPieces)}
	return c.run(r, first, count)
}

// readPiece reads at least minPiece bytes. Otherwise the error is that of r: [io.EOF] at
// its end. [io.ReadFull] would return the same error for the end of r and for a request
// body that is cut off.
func readPiece(r io.Reader, memory *[pieceSize]byte) (n int, err error) {
	started := time.Now()
	for err == nil && (n < minPiece || n < pieceSize && time.Since(started) < pieceWait) {
		var more int
		more, err = r.Read(memory[n:])
		n += more
	}
	if n >= minPiece {
		return n, nil // the next read returns the error again
	}
	return n, err
}

// notEOF returns err, or nil at the end of a reader.
func notEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// spoolCopy is a ReadFrom: its caller reads, and two goroutines write and hash.
type spoolCopy struct {
	spool  *Spool
	writes chan piece
	hashes chan piece
	free   chan *[pieceSize]byte
	failed atomic.Bool // writing has failed
	err    error       // of writing; set before hashes is closed
}

type piece struct {
	memory *[pieceSize]byte
	length int
}

func (c *spoolCopy) run(r io.Reader, first *[pieceSize]byte, count int) (n int64, err error) {
	s, begin := c.spool, c.spool.size
	var working sync.WaitGroup
	working.Go(c.write)
	working.Go(c.hash)
	made, p := 1, piece{first, count}
	var readErr error
	for p.length > 0 && s.err == nil && !c.failed.Load() {
		if s.checkSize(p.length) != nil {
			break
		}
		s.size += int64(p.length)
		c.writes <- p
		if p = (piece{}); readErr != nil {
			break
		}
		if made < maxPieces {
			made++
			p.memory = pieces.Get().(*[pieceSize]byte)
		} else {
			p.memory = <-c.free
		}
		p.length, readErr = readPiece(r, p.memory)
	}
	close(c.writes)
	working.Wait()
	if s.err == nil && c.err != nil {
		s.err = fullError(filepath.Dir(s.file.Name()), c.err)
	}
	if p.memory != nil {
		pieces.Put(p.memory)
	}
	close(c.free)
	for memory := range c.free {
		pieces.Put(memory)
	}
	return s.size - begin, errors.Join(s.err, notEOF(readErr))
}

// write writes the pieces in order.
func (c *spoolCopy) write() {
	defer close(c.hashes)
	behind := int64(0)
	for p := range c.writes {
		if c.err == nil {
			n, err := c.spool.file.Write(p.memory[:p.length])
			if c.err = err; err != nil {
				c.failed.Store(true)
			}
			if behind += int64(n); behind >= writeBehind {
				startWriteback(c.spool.file)
				behind = 0
			}
		}
		c.hashes <- p
	}
}

// hash hashes the pieces in order, and frees them.
func (c *spoolCopy) hash() {
	for p := range c.hashes {
		c.spool.hash.Write(p.memory[:p.length])
		c.free <- p.memory
	}
}
