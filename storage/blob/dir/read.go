package dir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
)

// reader reads the file of a blob.
type reader struct {
	file *os.File
	ctx  context.Context
	info blob.Info
}

// Open implements [blob.Store]. A deleted blob remains readable until the reader is
// closed.
func (s *Store) Open(ctx context.Context, key blob.Key) (blob.Reader, error) {
	if s.closed.Load() {
		return nil, storage.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := os.Open(s.file(key))
	if err != nil {
		return nil, fmt.Errorf("open blob %s: %w", key, notFound(err))
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open blob %s: %w", key, err)
	}
	return &reader{file: f, ctx: ctx, info: describe(key, info)}, nil
}

// Info implements [blob.Reader].
func (r *reader) Info() blob.Info { return r.info }

// Read implements [blob.Reader].
func (r *reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.file.Read(b)
}

// ReadAt implements the interface for reading at an offset.
func (r *reader) ReadAt(b []byte, offset int64) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.file.ReadAt(b, offset)
}

// Seek implements [blob.Reader].
func (r *reader) Seek(offset int64, whence int) (int64, error) { return r.file.Seek(offset, whence) }

// Close implements [blob.Reader].
func (r *reader) Close() error { return r.file.Close() }

// List implements [blob.Store]. It reads one folder at a time.
func (s *Store) List(ctx context.Context, fn func(blob.Info) error) error {
	if s.closed.Load() {
		return storage.ErrClosed
	}
	for i := range len(s.shards) {
		if err := s.listShard(ctx, fmt.Sprintf("%02x", i), fn); err != nil {
			return err
		}
	}
	return nil
}

// listShard lists one folder. Files whose names are not keys of the folder are skipped.
func (s *Store) listShard(ctx context.Context, name string, fn func(blob.Info) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Join(s.path, name)) // sorted
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("list blobs: %w", err)
	}
	for _, e := range entries {
		key, err := blob.ParseKey(e.Name())
		if err != nil || e.Name()[:2] != name {
			continue
		}
		info, err := e.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // deleted since ReadDir
		case err != nil:
			return fmt.Errorf("list blobs: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fn(describe(key, info)); err != nil {
			return err
		}
	}
	return nil
}
