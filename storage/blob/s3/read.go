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

// reader reads an object. It requests the rest of the object at the first read after a
// seek.
type reader struct {
	ctx    context.Context
	store  *Store
	info   blob.Info
	offset int64         // of the next read
	body   io.ReadCloser // the object from offset; nil before the first read
	closed bool
}

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
	if r.body == nil {
		if err := r.request(); err != nil {
			return 0, r.wrap(err)
		}
	}
	n, err := r.body.Read(b)
	r.offset += int64(n)
	switch {
	case err == io.EOF && r.offset < r.info.Size:
		return n, r.wrap(fmt.Errorf("%w: it ends after %d of %d bytes", blob.ErrCorrupt, r.offset, r.info.Size))
	case err != nil && err != io.EOF:
		return n, r.wrap(r.store.classify(err))
	}
	return n, err
}

func (r *reader) wrap(err error) error { return fmt.Errorf("read blob %s: %w", r.info.Key, err) }

// request requests the object from the current offset.
func (r *reader) request() error {
	var options minio.GetObjectOptions
	if r.offset > 0 {
		if err := options.SetRange(r.offset, 0); err != nil { // to the end
			return err
		}
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
	if offset != r.offset {
		r.closeBody()
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
