package outbound

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

var errBodySize = errors.New("the file does not have its size")

// exactReader reads exactly size bytes of a source. It returns the last ones only after
// the source has ended without an error, so that a network never gets the complete bytes
// of a broken file.
type exactReader struct {
	source io.ReadCloser
	left   int64
	probe  [1]byte
}

// Read implements [io.Reader].
func (r *exactReader) Read(b []byte) (int, error) {
	switch {
	case r.left == 0:
		return 0, io.EOF
	case len(b) == 0:
		return 0, nil
	}
	b = b[:min(int64(len(b)), r.left)]
	n, err := io.ReadFull(r.source, b)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = fmt.Errorf("%w: it ends %d bytes early", errBodySize, r.left-int64(n))
	}
	if err == nil && int64(n) == r.left {
		err = r.checkEnd()
	}
	if err != nil {
		return 0, err
	}
	r.left -= int64(n)
	return n, nil
}

// checkEnd returns an error unless the source has ended.
func (r *exactReader) checkEnd() error {
	switch n, err := io.ReadFull(r.source, r.probe[:]); {
	case n > 0:
		return fmt.Errorf("%w: it is longer", errBodySize)
	case err == io.EOF:
		return nil
	default:
		return err
	}
}

// Close implements [io.Closer].
func (r *exactReader) Close() error { return r.source.Close() }

// bodyReader is the body of one request. It remembers the error of its source, and calls
// stalled when the network takes no bytes for some time.
type bodyReader struct {
	exactReader
	ahead []byte // read before the request is sent
	stall *time.Timer

	// failed is the error of the source. net/http may still read the body after the
	// request has returned.
	failed atomic.Pointer[error]
}

func newBodyReader(source io.ReadCloser, size int64, stalled func()) *bodyReader {
	return &bodyReader{exactReader: exactReader{source: source, left: size}, stall: time.AfterFunc(stallTimeout, stalled)}
}

// prefetchSize is how much of a body is read before anything is sent.
const prefetchSize = 4 << 10

// prefetch reads the start of the body.
func (r *bodyReader) prefetch() error {
	ahead := make([]byte, min(prefetchSize, r.left))
	n, err := r.exactReader.Read(ahead)
	r.ahead = ahead[:n]
	return err
}

// Read implements [io.Reader].
func (r *bodyReader) Read(b []byte) (int, error) {
	r.stall.Reset(stallTimeout)
	if len(r.ahead) > 0 {
		n := copy(b, r.ahead)
		r.ahead = r.ahead[n:]
		return n, nil
	}
	n, err := r.exactReader.Read(b)
	switch {
	case err == io.EOF:
		r.stall.Stop() // from here on the limit of the response applies
	case err != nil:
		r.failed.Store(&err)
	}
	return n, err
}

// err returns the error of the source, or nil. It may be called from any goroutine.
func (r *bodyReader) err() error {
	if failed := r.failed.Load(); failed != nil {
		return *failed
	}
	return nil
}

// Close implements [io.Closer].
func (r *bodyReader) Close() error {
	r.stop()
	return r.exactReader.Close()
}

// stop ends the timer, in case net/http never closes the body.
func (r *bodyReader) stop() { r.stall.Stop() }
