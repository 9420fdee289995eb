package s3

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/minio/minio-go/v7"

	"github.com/schedctl/schedctl/storage/blob"
)

// Open implements [blob.Store].
func (s *Store) Open(ctx context.Context, key blob.Key) (blob.Reader, error) {
	info, err := s.Stat(ctx, key)
	if err != nil {
		return nil, err
	}
	return &reader{ctx: ctx, store: s, info: info}, nil
}

// reader reads an object in requests for ranges. The first request is for firstRange bytes,
// and each further one for four times as many, so that a short range costs little and a
// whole object few requests. A seek that skips a small part of a range reads through it.
type reader struct {
	ctx    context.Context
	store  *Store
	info   blob.Info
	offset int64 // of the next read
	length int64 // of the last request, in bytes

	body     io.ReadCloser // of the last request; nil before the first read
	pos, end int64         // of the body: what is read next, and where it ends
	closed   bool
}

// firstRange is the length of the first request for an object, in bytes.
const firstRange = 1 << 20

// Info implements [blob.Reader].
func (r *reader) Info() blob.Info { return r.info }

// Read implements [blob.Reader].
func (r *reader) Read(b []byte) (int, error) {
	switch {
	case r.closed:
		return 0, errors.New("read of a closed blob")
	case r.ctx.Err() != nil:
		return 0, r.ctx.Err()
	case len(b) == 0:
		return 0, nil
	case r.offset >= r.info.Size:
		return 0, io.EOF
	}
	if err := r.seekBody(); err != nil {
		return 0, r.wrap(err)
	}
	n, err := r.body.Read(b[:min(int64(len(b)), r.end-r.pos)])
	r.pos += int64(n)
	r.offset = r.pos
	switch {
	case err == io.EOF && r.pos < r.end:
		return n, r.wrap(fmt.Errorf("%w: it ends after %d of %d bytes", blob.ErrCorrupt, r.pos, r.info.Size))
	case err != nil && err != io.EOF:
		return n, r.wrap(r.store.classify(err))
	case r.pos < r.info.Size:
		return n, nil
	}
	return n, err
}

// seekBody makes offset the next byte of the body.
func (r *reader) seekBody() error {
	if gap := r.offset - r.pos; r.body != nil && gap >= 0 && r.offset < r.end && gap <= r.length/4 {
		n, err := io.CopyN(io.Discard, r.body, gap)
		if r.pos += n; err == io.EOF {
			return fmt.Errorf("%w: it ends after %d of %d bytes", blob.ErrCorrupt, r.pos, r.info.Size)
		} else if err != nil {
			return r.store.classify(err)
		}
		return nil
	}
	r.closeBody()
	return r.request()
}

func (r *reader) wrap(err error) error { return fmt.Errorf("read blob %s: %w", r.info.Key, err) }

// request requests a range of the object from the current offset on.
func (r *reader) request() error {
	r.length = min(max(4*r.length, firstRange), r.info.Size)
	r.pos, r.end = r.offset, min(r.offset+r.length, r.info.Size)
	var options minio.GetObjectOptions
	if err := options.SetRange(r.pos, r.end-1); err != nil {
		return err
	}
	body, _, _, err := r.store.client.GetObject(r.ctx, r.store.spec.Bucket, r.store.object(r.info.Key), options)
	if err != nil {
		return r.store.classify(err)
	}
	r.body = body
	return nil
}

// Seek implements [blob.Reader].
func (r *reader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.offset
	case io.SeekEnd:
		offset += r.info.Size
	}
	if offset < 0 {
		return 0, errors.New("seek before the start of a blob")
	}
	r.offset = offset
	return offset, nil
}

func (r *reader) closeBody() {
	if r.body != nil {
		r.body.Close()
		r.body = nil
	}
}

// Close implements [blob.Reader].
func (r *reader) Close() error {
	r.closed = true
	r.closeBody()
	return nil
}
