package bolt

import (
	"context"
	"errors"
	"fmt"
	"io"

	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/schedctl/schedctl/storage"
)

var _ storage.Copier = (*Store)(nil)

// Copy implements [storage.Copier]: what it writes is a file that [Open] opens.
// A ctx that ends stops it at the next write. Space that transactions free
// meanwhile is not used again before it returns, so w should not be slow; and
// as with View, a writer waits when the file outgrows its mapping.
func (s *Store) Copy(ctx context.Context, w io.Writer) (n int64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	tx, err := s.db.Begin(false)
	if errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		return 0, storage.ErrClosed
	}
	if err != nil {
		return 0, fmt.Errorf("begin copying %s: %w", s.path, err)
	}
	defer tx.Rollback()
	defer s.recovered("a copy panicked", &err)
	out := &copyWriter{w: w, err: ctx.Err}
	if n, err = tx.WriteTo(out); err != nil {
		return n, fmt.Errorf("copy %s: %w", s.path, errors.Join(err, out.failed))
	}
	return n, nil
}

// copyWriter refuses to write once err returns an error, and remembers why
// nothing was written: bbolt keeps only the text of some errors.
type copyWriter struct {
	w      io.Writer
	err    func() error
	failed error
}

func (w *copyWriter) Write(p []byte) (n int, err error) {
	if w.failed = w.err(); w.failed == nil {
		n, w.failed = w.w.Write(p)
	}
	return n, w.failed
}
