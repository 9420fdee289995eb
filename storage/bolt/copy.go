package bolt

import (
	"context"
	"errors"
	"fmt"
	"io"

	bbolt "go.etcd.io/bbolt"

	"github.com/schedctl/schedctl/storage"
)

var _ storage.SnapshotCopier = (*Store)(nil)

// Copy implements [storage.Copier]. It writes a file that [Open] can open. It stops at
// the next write when ctx is done. Until it returns, space that transactions free is not
// reused, so w should not be slow. As with View, a writer that must grow the mapping of
// the file waits for it.
func (s *Store) Copy(ctx context.Context, w io.Writer) (n int64, err error) {
	return s.CopySnapshot(ctx, func(storage.Reader, int64) (io.Writer, error) { return w, nil })
}

// CopySnapshot implements [storage.SnapshotCopier], in the same way as Copy.
func (s *Store) CopySnapshot(ctx context.Context, open func(r storage.Reader, size int64) (io.Writer, error)) (n int64, err error) {
	err = s.read(ctx, "a copy panicked", func(tx *bbolt.Tx, r *reader) error {
		w, err := open(r, tx.Size())
		if err != nil {
			return err
		}
		out := &copyWriter{w: w, err: ctx.Err}
		if n, err = tx.WriteTo(out); err != nil {
			return fmt.Errorf("copy %s: %w", s.path, errors.Join(err, out.failed))
		}
		return nil
	})
	return n, err
}

// copyWriter stops writing when err returns an error. It keeps the cause of a failed
// write, because bbolt keeps only the text of some errors.
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
